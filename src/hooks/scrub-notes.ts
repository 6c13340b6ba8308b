import { loadConfig } from "../project/config/config.ts";
import type { Project } from "../project/paths.ts";
import { createScrubber } from "../redact/create-scrubber.ts";
import { globalPatternsFile, projectPatternsFile } from "../redact/patterns/patterns-file.ts";
import { scrubAlone } from "../redact/scrubber.ts";

/**
 * Scrubs a prompt's notes before they are spooled. Loaded only for prompts with notes, because it takes longer than the
 * rest of a hook.
 * @throws PommelError `config_invalid`, `unreadable`
 */
export function scrubNotes(project: Project, notes: string): string {
  const { config } = loadConfig(project);
  const scrubber = createScrubber({
    globalFile: globalPatternsFile(),
    projectFile: projectPatternsFile(project),
    pii: config["scrub.pii"],
  });
  // Only the daemon knows which of the session's secrets these are; here they are numbered on their own.
  return scrubAlone(scrubber, notes);
}
