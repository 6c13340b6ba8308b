import { loadConfig } from "../project/config/config.ts";
import type { Project } from "../project/paths.ts";
import { createScrubber } from "../redact/create-scrubber.ts";
import { globalPatternsFile, projectPatternsFile } from "../redact/patterns/patterns-file.ts";
import type { SecretLedger } from "../redact/scrubber.ts";

/**
 * Takes secrets out of a prompt's notes before they lie in the spool. Loaded for prompts with notes only, as it takes
 * longer than all else that a hook does.
 * @throws PommelError `config_invalid`, `unreadable`
 */
export function scrubNotes(project: Project, notes: string): string {
  const { config } = loadConfig(project);
  const scrubber = createScrubber({
    globalFile: globalPatternsFile(),
    projectFile: projectPatternsFile(project),
    pii: config["scrub.pii"],
  });
  return scrubber.scrub(notes, createLedgerOfOne());
}

/** Which of the session's secrets one is, only the daemon knows; here they are numbered as if there were no others. */
function createLedgerOfOne(): SecretLedger {
  const secrets = new Map<string, string[]>();
  return {
    numberOf(type, secret) {
      const known = secrets.get(type) ?? [];
      secrets.set(type, known);
      if (!known.includes(secret)) known.push(secret);
      return known.indexOf(secret) + 1;
    },
  };
}
