import type { Command } from "commander";
import { daysInTrash } from "../../protocol/days-in-trash.ts";
import { formatExamples, run } from "../../terminal/frame.ts";
import { addOptions, shared } from "../../terminal/options.ts";
import { forget } from "./operation.ts";

/** `pm memory forget`. */
export function declareForget(memory: Command): void {
  addOptions(
    memory.command("forget").description("Remove something from the memory, after showing what"),
    forget,
    { turn: "--turn <id>", annotation: "--note <id>", pattern: "--match <pattern>" },
  )
    .option(...shared.yes)
    .addHelpText(
      "after",
      `${formatExamples(
        ["pm memory forget --session 8ecde0fc", "a session"],
        ["pm memory forget --turn 8ecde0fc:7", "one turn of it"],
        ['pm memory forget --match "Project Falcon" --dry-run', "what a pattern would remove"],
        ["pm memory forget --since yesterday --yes", "for scripts"],
        ["pm memory forget --turn 8ecde0fc:7 --for-good", "at once, and with all backups"],
      )}\n\nWhat goes is kept in the trash for ${daysInTrash} days, where \`pm memory undo\` finds it. --for-good and --match keep nothing:
no trash and no backup of this memory. The agent's own transcripts are not touched.`,
    )
    .action(run(async () => (await import("./pm-forget.ts")).forgetCommand, { startsDaemon: true }));
}
