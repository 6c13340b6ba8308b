import { join } from "node:path";
import type { Config } from "../project/config/settings.ts";
import type { Project } from "../project/paths.ts";
import { createScrubber } from "../redact/create-scrubber.ts";
import { globalPatternsFile, patternsFileName } from "../redact/patterns/patterns-file.ts";
import type { Scrubber } from "../redact/scrubber.ts";

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
