import type { Command } from "commander";
import { examples, run } from "../../frame.ts";

/** `pm resume` and `pm handoff`: options and help; the code is loaded when it runs. */
export function declareResume(program: Command): void {
  program
    .command("resume")
    .description("Reopen a session in its agent, in the directory where it was started")
    .argument("[session...]", "a session's id or a prefix of it, or what it was about; default: the latest")
    .option("--print", "only print the command, as without a terminal")
    .addHelpText(
      "after",
      `${examples(
        ["pm resume", "the latest session"],
        ["pm resume 8ecde0fc", "this one"],
        ['pm resume "the flaky importer test"', "the one that session search finds"],
      )}\n\nExits with 5 when no session is found, otherwise as the agent does.`,
    )
    .action(run(async () => (await import("./resume.ts")).resumeCommand));

  program
    .command("handoff")
    .description(
      "Write what another agent needs to go on with a session: goal, state, decisions, files, commands",
    )
    .argument("[session...]", "a session's id or a prefix of it, or what it was about; default: the latest")
    .option(
      "--to <agent>",
      "start this agent with it: claude, codex, gemini or qwen; without a terminal only print it",
    )
    .addHelpText(
      "after",
      `${examples(
        ["pm handoff 8ecde0fc", "as Markdown"],
        ["pm handoff 8ecde0fc --to codex", "go on with it in Codex CLI"],
        ['pm handoff "the flaky importer test" > HANDOFF.md', "the one that session search finds"],
      )}\n\nExits with 5 when no session is found.`,
    )
    .action(run(async () => (await import("./resume.ts")).handoffCommand));
}
