import { join } from "node:path";
import type { Config } from "../project/config/settings.ts";
import type { Project } from "../project/paths.ts";
import { createScrubber } from "../redact/create-scrubber.ts";
import { globalPatternsFile, patternsFileName } from "../redact/patterns/patterns-file.ts";
import type { Scrubber } from "../redact/scrubber.ts";
import { kindRules } from "./chunks/kinds.ts";
import type { IngestOptions } from "./ingest/ingest.ts";

/** How a configuration wants conversations to be cut into chunks. */
export function chunkOptionsOf(config: Config): IngestOptions["chunks"] {
  return {
    minTokens: config["sessions.chunk_min_tokens"],
    maxTokens: config["sessions.chunk_max_tokens"],
    pauseMinutes: config["sessions.topic_pause_minutes"],
    kinds: kindRules({
      decision: config["sessions.decision_words"],
      error: config["sessions.error_words"],
      architecture: config["sessions.architecture_words"],
    }),
  };
}

/**
 * The scrubber of a project: the user's patterns, and those that the project adds.
 * @throws PommelError `config_invalid`
 */
export function scrubberOf(project: Project, config: Config): Scrubber {
  return createScrubber({
    globalFile: globalPatternsFile(),
    projectFile: join(project.stateDir, patternsFileName),
    pii: config["scrub.pii"],
  });
}
