import { findProjectIfAny } from "../git/projects/find-project.ts";
import { loadConfig } from "../project/config/config.ts";
import { createScrubber } from "../redact/create-scrubber.ts";
import { globalPatternsFile, projectPatternsFile } from "../redact/patterns/patterns-file.ts";
import { scrubAlone } from "../redact/scrubber.ts";

/**
 * Scrubs a prompt's notes before they are spooled. Loaded only for prompts with notes, because it takes longer than the
 * rest of a hook.
 * @throws PommelError `config_invalid`, `unreadable`
 */
export async function scrubNotes(place: string, notes: string): Promise<string> {
  const project = await findProjectIfAny(place);
  const { config } = loadConfig(project);
  const scrubber = createScrubber({
    globalFile: globalPatternsFile(),
    projectFile: project && projectPatternsFile(project),
    pii: config["scrub.pii"],
  });
  // Only the daemon knows which of the session's secrets these are; here they are numbered on their own.
  return scrubAlone(scrubber, notes);
}
