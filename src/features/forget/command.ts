import type { Command } from "commander";
import { daysInTrash } from "../../protocol/days-in-trash.ts";
import { formatExamples, run } from "../../terminal/frame.ts";
import { addOptions, groupOptions, shared } from "../../terminal/options.ts";
import { forget } from "./operation.ts";

/** `pm memory forget`. */
export function declareForget(memory: Command): void {
  const command = memory
    .command("forget")
    .description("Remove something from the memory, after showing what will go");
  addOptions(command, forget, {
    turn: "--turn <id>",
    annotation: "--note <id>",
    pattern: "--match <pattern>",
  }).option(...shared.yes);
  groupOptions(command, { "What to forget": ["session", "turn", "note", "since", "until", "text", "match"] });
  command
    .addHelpText(
      "after",
      `${formatExamples(
        ["pm memory forget --session 8ecde0fc", "a session"],
        ["pm memory forget --turn 8ecde0fc:7", "one turn of it"],
        ['pm memory forget --text "Project Falcon" --dry-run', "where a text occurs"],
        ['pm memory forget --match "sk_live_[a-z0-9]+"', "all texts that match a pattern"],
        ["pm memory forget --since yesterday --yes", "for scripts"],
        ["pm memory forget --turn 8ecde0fc:7 --for-good", "at once, and with all backups"],
      )}\n\nWhat you forget stays in the trash for ${daysInTrash} days, and \`pm memory undo\` brings it back. --for-good, --text and
--match keep nothing: they also delete all backups of this project's memory, and everything of it that is in the trash.
Not deleted: backups made elsewhere (\`pm memory backup --to\`), exports, and the agent's own transcripts.
Upper and lower case are treated as equal unless the text or pattern contains a capital letter.`,
    )
    .action(run(async () => (await import("./pm-forget.ts")).forgetCommand, { startsDaemon: true }));
}
