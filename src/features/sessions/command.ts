import { type Command, Option } from "commander";
import { examples, query, run } from "../../terminal/frame.ts";
import { addOptions, shared } from "../../terminal/options.ts";
import { listSessions, showSession } from "./operation.ts";

/** `pm session`: options and help; the code is loaded when it runs. */
export function declareSession(program: Command): void {
  const session = program
    .command("session")
    .description("Show recorded agent sessions, and go on with them")
    .addHelpText(
      "after",
      examples(
        ["pm session", "the last twenty"],
        ["pm session 8ecde0fc", "one session, as a chat"],
        ["pm session show 8ecde0fc --turn 7", "a turn in full"],
        ["pm session current", "open sessions"],
        ['pm session resume "the flaky importer test"', "reopen one in its agent"],
        ["pm session handoff --to codex", "go on with the latest in another agent"],
      ),
    );

  const sessions = session
    .command("list", { isDefault: true })
    .description("List sessions, most recently active first")
    .argument("[id]", "show this one instead, as `pm session show` does");
  // With an id, which is `pm session show`.
  for (const flag of ["--full", "--outline"]) sessions.addOption(new Option(flag).hideHelp());
  addOptions(sessions, listSessions)
    .option(...shared.allProjects)
    .addHelpText(
      "after",
      examples(
        ['pm session list --since "last week"', "lately"],
        ["pm session list --branch main --json", "for scripts"],
        ["pm session list --all-projects", "everywhere"],
      ),
    )
    .action(
      query(
        async () => (await import("./pm-session-list.ts")).sessionListCommand,
        ({ allProjects }) => allProjects === true,
      ),
    );

  const show = session
    .command("show")
    .description("Show a session: its summary, turns, files, notes and tokens")
    .argument("<id>", "the session; a prefix of its id is enough; 8ecde0fc:7 is its seventh turn");
  addOptions(show, showSession, { id: null, log: null })
    .option("--full", "whole results and the changed lines of edits")
    .option("--outline", "a line for each turn, as in a pipe")
    .addHelpText(
      "after",
      `${examples(
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
      `${examples(["pm session current --json", "for scripts"])}

A session is open if it was active in the last 30 minutes and has not ended. In Claude Code: the asking session.`,
    )
    .action(run(async () => (await import("./pm-session-list.ts")).sessionCurrentCommand));

  declareGoingOn(session);

  session
    .command("context")
    .description(
      "Show automatic context: what was injected into agents' sessions, when, why, its size, and whether it was used",
    )
    .argument("[prompt...]", "preview what this prompt would inject into a new session")
    .option("--last", "only the latest")
    .option("--session <id>", "only this session; a prefix of its id is enough")
    .option(...shared.limit)
    .option("--start", "preview what a new session would start with")
    .addHelpText(
      "after",
      examples(
        ["pm session context --last", "the latest injection, and why"],
        ["pm session context --session 8ecde0fc", "in a session"],
        ['pm session context "the retries of the importer fail again"', "what a prompt would inject"],
        ["pm session context --start", "what a new session starts with"],
      ),
    )
    .action(query(async () => (await import("../context/pm-context.ts")).contextCommand));
}

function declareGoingOn(session: Command): void {
  const which = [
    "[session...]",
    "a session's id or a prefix of it, or what it was about; default: the latest",
  ] as const;
  session
    .command("resume")
    .description("Reopen a session in its agent, in the directory where it was started")
    .argument(...which)
    .option("--print", "only print the command, as without a terminal")
    .addHelpText(
      "after",
      `${examples(
        ["pm session resume", "the latest session"],
        ["pm session resume 8ecde0fc", "this one"],
        ['pm session resume "the flaky importer test"', "the one that session search finds"],
      )}\n\nExits with 5 when no session is found, otherwise as the agent does.`,
    )
    .action(run(async () => (await import("../handoff/pm-resume.ts")).resumeCommand));

  session
    .command("handoff")
    .description(
      "Write what another agent needs to go on with a session: goal, state, decisions, files, commands",
    )
    .argument(...which)
    .option(
      "--to <agent>",
      "start this agent with it: claude, codex, gemini or qwen; without a terminal only print it",
    )
    .addHelpText(
      "after",
      `${examples(
        ["pm session handoff 8ecde0fc", "as Markdown"],
        ["pm session handoff 8ecde0fc --to codex", "go on with it in Codex CLI"],
        ['pm session handoff "the flaky importer test" > HANDOFF.md', "the one that session search finds"],
      )}\n\nExits with 5 when no session is found.`,
    )
    .action(run(async () => (await import("../handoff/pm-resume.ts")).handoffCommand));
}
