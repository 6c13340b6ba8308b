import { type Command, Option } from "commander";
import { levels } from "../../project/levels.ts";
import { chunkKinds, chunkTypes, searchModes } from "../../protocol/values.ts";
import { examples, query, run } from "../frame.ts";
import { collect, list, resultLimit, wholeNumber } from "./values.ts";

const since = ["--since <time>", 'only since: "2026-01-31", "last week", "3 days ago"'] as const;
const until = ["--until <time>", "only until"] as const;
const limit = ["-n, --limit <count>", "at most this many results", resultLimit] as const;

/** The commands that search and show what is known: code, conversations, notes. */
export function declareSessionCommands(program: Command): void {
  declareSearch(program);
  declareSession(program);

  program
    .command("notes")
    .alias("annotations")
    .description('List notes ("Note to Pommel: ..." or `pm note`), latest first')
    .option("--search <words>", "only notes with all of these words")
    .option(...since)
    .option(...until)
    .option("--session <id>", "only this session; a prefix of its id is enough")
    .option(...limit)
    .addHelpText(
      "after",
      examples(
        ["pm notes", "the last ten"],
        ["pm notes --search caching", "notes about caching"],
        ['pm notes --since "last week" --json', "for scripts"],
      ),
    )
    .action(query(async () => (await import("../commands/notes/annotations.ts")).annotationsCommand));

  program
    .command("decisions")
    .description("List notes and decisions: latest first, or best match for a query")
    .argument("[query...]", "what it is about")
    .option(...since)
    .option(...until)
    .option("-f, --file <path>", "only this file, directory or glob; repeatable", collect)
    .option(...limit)
    .addHelpText(
      "after",
      examples(
        ["pm decisions", "the last ten"],
        ['pm decisions "why sqlite"', "best matches first"],
        ["pm decisions --file src/db", "decisions about these files"],
      ),
    )
    .action(query(async () => (await import("../commands/decisions/decisions.ts")).decisionsCommand));

  program
    .command("related")
    .description("List the sessions that touched files (default: those with uncommitted changes)")
    .argument("[query...]", "also rank by topic")
    .option("-f, --files <paths>", "files, directories or globs, comma separated; repeatable", list)
    .option(...limit)
    .addHelpText(
      "after",
      examples(
        ["pm related", "sessions behind your uncommitted changes"],
        ["pm related --files src/db.ts,src/pool.ts", "sessions that touched these"],
        ['pm related --files src/db.ts "connection leak"', "and were about that"],
      ),
    )
    .action(query(async () => (await import("../commands/decisions/related.ts")).relatedCommand));
}

/** Some of these; which are none of them the command says. */
const among = (flags: string, about: string, values: readonly string[]) =>
  new Option(flags, about).choices(values).argParser(list);

function declareSearch(program: Command): void {
  program
    .command("search")
    .description("Find code and sessions by meaning, name or words")
    .argument("<query...>", "what to find; `code`, `sessions` or `all` before it says where")
    .option("-n, --limit <count>", "at most this many results of each", resultLimit)
    .option("--all-projects", "in all Pommel projects on this machine (`pm projects`)")
    .option("--full", "print whole chunks instead of matching lines")
    .option("--explain", "print each ranking signal's contribution")
    .addOption(among("-l, --level <levels>", "code: only these, comma separated", levels))
    .option(
      "-p, --path <glob>",
      "code: only files that match, relative to the project root; repeatable",
      collect,
    )
    .option("--language <languages>", "code: only these, comma separated (ids or extensions)", list)
    .option("--metrics", "code: print how much reading this saves compared with grep")
    .option("--since <time>", `sessions: ${since[1]}`)
    .option("--until <time>", `sessions: ${until[1]}`)
    .addOption(among("--type <types>", "sessions: only these, comma separated", chunkTypes))
    .addOption(among("--kind <kinds>", "sessions: only these, comma separated", chunkKinds))
    .option("--file <path>", "sessions: only this file, directory or glob; repeatable", collect)
    .option("--session <id>", "sessions: only this session; a prefix of its id is enough")
    .option("--commit <id>", "sessions: only what led to this commit or checkpoint")
    .option("--event <id>", "sessions: only what belongs to this event")
    .option("--branch <name>", "sessions: only on this git branch")
    .option("--agent <name>", "sessions: only this agent, such as claude")
    .addOption(new Option("--mode <mode>", "sessions: fts is words alone, regex is RE2").choices(searchModes))
    .addHelpText(
      "after",
      `${examples(
        ['pm search "where do we retry failed requests"', "code and sessions"],
        ['pm search code "rate limit" --json -n 3', "code only, for scripts"],
        ["pm search parseConfig --level method", "a name, methods only"],
        ['pm search sessions "how did we fix the flaky test"', "past sessions"],
        ['pm search sessions auth --since "last week"', "recent sessions"],
        ['pm search sessions "TODO|FIXME" --mode regex', "a pattern, newest first"],
        ['pm search --all-projects "how did we parse dates"', "in all projects"],
      )}\n\nAn option for code or for sessions limits the search to them. Exits with 0 even when nothing is found.`,
    )
    .action(
      query(
        async () => (await import("../commands/search/search.ts")).searchCommand,
        ({ allProjects }) => allProjects === true,
      ),
    );
}

function declareSession(program: Command): void {
  const session = program
    .command("session")
    .description("Show recorded agent sessions")
    .addHelpText(
      "after",
      examples(
        ["pm session", "the last twenty"],
        ["pm session show 8ecde0fc", "one session: summary, turns, files"],
        ["pm session show 8ecde0fc --turn 7", "a turn in full"],
        ["pm session current", "open sessions"],
      ),
    );

  session
    .command("list", { isDefault: true })
    .description("List sessions, most recently active first")
    .option(...since)
    .option(...until)
    .option("--branch <name>", "only on this git branch")
    .option("--agent <name>", "only this agent, such as claude")
    .option("--agents", "include subagent sessions")
    .option("--all-projects", "of all Pommel projects on this machine (`pm projects`)")
    .option(...limit)
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
        async () => (await import("../commands/session/list.ts")).sessionListCommand,
        ({ allProjects }) => allProjects === true,
      ),
    );

  session
    .command("show")
    .description("Show a session: its summary, turns, files, notes and tokens")
    .argument("<id>", "the session; a prefix of its id is enough")
    .option("--turn <number>", "print this turn in full", wholeNumber)
    .option("--full", "print every turn in full")
    .addHelpText(
      "after",
      `${examples(
        ["pm session show 8ecde0fc", "an overview"],
        ["pm session show 8ecde0fc --turn 7", "the seventh turn in full"],
      )}\n\nExits with 5 when the session or turn does not exist.`,
    )
    .action(query(async () => (await import("../commands/session/show.ts")).sessionShowCommand));

  session
    .command("current")
    .description("Show the open sessions of this project")
    .addHelpText(
      "after",
      `${examples(["pm session current --json", "for scripts"])}

A session is open if it was active in the last 30 minutes and has not ended. In Claude Code: the asking session.`,
    )
    .action(run(async () => (await import("../commands/session/current.ts")).sessionCurrentCommand));
}
