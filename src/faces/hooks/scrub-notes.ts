import { loadConfig } from "../../base/config/config.ts";
import { findProjectIfAny } from "../../git/projects/find-project.ts";
import { loadRecordingConfig } from "../../git/projects/recorded.ts";
import { makeNotedMessage, parsePromptNotes } from "../../protocol/reading/prompt-notes.ts";
import { createScrubber } from "../../redact/create-scrubber.ts";
import { locateGlobalPatterns, locateProjectPatterns } from "../../redact/patterns/patterns-file.ts";
import { scrubAlone } from "../../redact/scrubber.ts";

/**
 * Scrubs a prompt's notes before they are spooled. Loaded only for prompts with notes, because it takes longer than the
 * rest of a hook.
 * @returns the notes, and what to tell the person about them; null if the project is not recorded
 * @throws PommelError `config_invalid`, `unreadable`
 */
export async function scrubNotes(
  place: string,
  prompt: string,
): Promise<{ prompt: string; message: string | null }> {
  const project = await findProjectIfAny(place);
  const { config } = project === null ? loadConfig(null) : loadRecordingConfig(project);
  const scrubber = createScrubber({
    globalFile: locateGlobalPatterns(),
    projectFile: project && locateProjectPatterns(project),
    pii: config["scrub.pii"],
  });
  // Only the daemon knows the numbers of the session's earlier secrets, so the numbers here start anew.
  const scrubbed = scrubAlone(scrubber, prompt);
  const isKept = project !== null && config["sessions.capture"];
  return { prompt: scrubbed, message: isKept ? makeNotedMessage(parsePromptNotes(scrubbed)) : null };
}
