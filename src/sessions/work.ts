import type { Config } from "../project/config/settings.ts";
import type { Project } from "../project/paths.ts";
import { createScrubber } from "../redact/create-scrubber.ts";
import { globalPatternsFile, projectPatternsFile } from "../redact/patterns/patterns-file.ts";
import type { Scrubber } from "../redact/scrubber.ts";
import type { IngestOptions } from "./ingest/ingest.ts";

/** Everything needed to change stored sessions; whoever reads transcripts has it. */
export type SessionWork = Pick<
  IngestOptions,
  "memory" | "embedder" | "chunks" | "maxChunks" | "root" | "worktrees" | "log"
>;

/** The same, with everything needed to scrub. */
export type ScrubbingWork = SessionWork & Pick<IngestOptions, "scrubber" | "ledgerKey">;

/**
 * The scrubber of a project, or of what is about none: the user's patterns, and those that the project adds.
 * @throws PommelError `config_invalid`
 */
export function scrubberOf(project: Project | null, config: Config): Scrubber {
  return createScrubber({
    globalFile: globalPatternsFile(),
    projectFile: project && projectPatternsFile(project),
    pii: config["scrub.pii"],
  });
}
