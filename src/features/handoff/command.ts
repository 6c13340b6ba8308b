import type { Command } from "commander";
import { startableNames } from "../../agents/profiles.ts";
import { formatExamples, run } from "../../terminal/frame.ts";

/** `pm session resume` and `handoff`. */
export function declareHandoff(session: Command): void {
  const which = [
    "[session...]",
    "a session's id or a prefix of it, or what it was about; default: the latest",
  ] as const;
  session
    .command("resume")
    .description("Reopen a session in its agent, in the directory where it was started")
    .argument(...which)
    .option("--print", "only print the command that reopens the session (the default without a terminal)")
    .addHelpText(
      "after",
      `${formatExamples(
        ["pm session resume", "the latest session"],
        ["pm session resume 8ecde0fc", "this one"],
        ['pm session resume "the flaky importer test"', "the one that session search finds"],
      )}\n\nExits with 5 when no session is found, otherwise as the agent does.`,
    )
    .action(run(async () => (await import("./pm-resume.ts")).resumeCommand, { startsDaemon: true }));

  session
    .command("handoff")
    .description(
      "Write what another agent needs to continue a session: goal, what was done, what is open, decisions, commands",
    )
    .argument(...which)
    .option(
      "--to <agent>",
      `start this agent with it: ${startableNames.join(", ")}; without a terminal only print it`,
    )
    .addHelpText(
      "after",
      `${formatExamples(
        ["pm session handoff 8ecde0fc", "as Markdown"],
        ["pm session handoff 8ecde0fc --to codex", "continue it in Codex CLI"],
        ['pm session handoff "the flaky importer test" > HANDOFF.md', "the one that session search finds"],
      )}\n\nExits with 5 when no session is found.`,
    )
    .action(run(async () => (await import("./pm-resume.ts")).handoffCommand, { startsDaemon: true }));
}
