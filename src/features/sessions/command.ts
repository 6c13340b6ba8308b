import { type Command, Option } from "commander";
import { formatExamples, query, run } from "../../terminal/frame.ts";
import { addOptions, shared } from "../../terminal/options.ts";
import { listSessions, showSession } from "./operation.ts";

/** `pm session list`, `show` and `current`. */
export function declareSessions(session: Command): void {
  const sessions = session
    .command("list", { isDefault: true })
    .description("List sessions, most recently active first")
    .argument("[id]", "show this one instead, as `pm session show` does");
  // With an id, which is `pm session show`.
  for (const flag of ["--full", "--outline"]) sessions.addOption(new Option(flag).hideHelp());
  sessions.option(...shared.allProjects).optionsGroup("Which sessions:");
  addOptions(sessions, listSessions)
    .addHelpText(
      "after",
      formatExamples(
        ['pm session list --since "last week"', "lately"],
        ["pm session list --branch main --json", "for scripts"],
        ["pm session list --all-projects", "everywhere"],
      ),
    )
    .action(
      query(async () => (await import("./pm-session-list.ts")).sessionListCommand, {
        unless: ({ allProjects }) => allProjects === true,
      }),
    );

  const show = session
    .command("show")
    .description("Show a session: its summary, turns, files, notes and tokens")
    .argument("<id>", "the session; a prefix of its id is enough; 8ecde0fc:7 is its seventh turn");
  addOptions(show, showSession, { id: null, log: null })
    .option("--full", "whole results and the changed lines of edits")
    .option("--outline", "a line for each turn (the default if the output goes into a pipe)")
    .addHelpText(
      "after",
      `${formatExamples(
        ["pm session show 8ecde0fc", "what was said and done"],
        ["pm session show 8ecde0fc:7", "the seventh turn in full"],
        ["pm session show 8ecde0fc --outline", "a line for each turn"],
      )}\n\nExits with 5 when the session or turn does not exist.`,
    )
    .action(query(async () => (await import("./pm-session-show.ts")).sessionShowCommand));

  session
    .command("current")
    .description("Show the open sessions of this project")
    .addHelpText(
      "after",
      `${formatExamples(["pm session current --json", "for scripts"])}

A session is open if it was active in the last 30 minutes and has not ended. In the shell of an agent that names its session,
such as Claude Code, only this session is shown.`,
    )
    .action(
      run(async () => (await import("./pm-session-list.ts")).sessionCurrentCommand, { startsDaemon: true }),
    );
}
