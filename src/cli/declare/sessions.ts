import { type Command, Option } from "commander";
import { levels } from "../../project/levels.ts";
import { chunkKinds, chunkTypes, searchModes } from "../../protocol/values.ts";
import { examples, query, run } from "../frame.ts";
import { collect, list, resultLimit, wholeNumber } from "./values.ts";

const since = ["--since <time>", 'only from then on: "2026-01-31", "last week", "3 days ago"'] as const;
const until = ["--until <time>", "only up to then"] as const;
const limit = ["-n, --limit <count>", "at most this many", resultLimit] as const;

/** The commands that search and show what is known: code, conversations, notes. */
export function declareSessionCommands(program: Command): void {
  declareSearch(program);
  declareSession(program);

  program
    .command("annotations")
    .description('List what was noted with "Note to Pommel: ..." or `pm note`, the latest first')
    .option("--search <words>", "only notes that hold all of these words")
    .option(...since)
    .option(...until)
    .option("--session <id>", "only of this session; the beginning of its id is enough")
    .option(...limit)
    .addHelpText(
      "after",
      examples(
        ["pm annotations", "the last ten"],
        ["pm annotations --search caching", "those about caching"],
        ['pm annotations --since "last week" --json', "for scripts"],
      ),
    )
    .action(query(async () => (await import("../commands/notes/annotations.ts")).annotationsCommand));

  program
    .command("decisions")
    .description(
      "List notes and what was decided in conversations: the latest first, or the best for a query",
    )
    .argument("[query...]", "what it is about")
    .option(...since)
    .option(...until)
    .option("-f, --file <path>", "only about this file, directory or glob; repeatable", collect)
    .option(...limit)
    .addHelpText(
      "after",
      examples(
        ["pm decisions", "the last ten"],
        ['pm decisions "why sqlite"', "those about it, best first"],
        ["pm decisions --file src/db", "where these files were touched"],
      ),
    )
    .action(query(async () => (await import("../commands/decisions/decisions.ts")).decisionsCommand));

  program
    .command("related")
    .description(
      "List the sessions that touched these files, or those that you have changed and not committed",
    )
    .argument("[query...]", "what it is about, besides")
    .option("-f, --files <paths>", "files, directories or globs, comma separated; repeatable", list)
    .option(...limit)
    .addHelpText(
      "after",
      examples(
        ["pm related", "who touched what git status lists, and when"],
        ["pm related --files src/db.ts,src/pool.ts", "who touched these"],
        ['pm related --files src/db.ts "connection leak"', "and was about that"],
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
    .description("Find code and conversations by meaning, by name or by words")
    .argument("<query...>", "what to look for; `code`, `transcripts` or `all` before it says where")
    .option("-n, --limit <count>", "at most this many results (of each)", resultLimit)
    .option("--all-projects", "in all projects that Pommel knows (`pm projects`), from anywhere")
    .option("--full", "print whole chunks instead of what matches")
    .option("--explain", "print what each ranking signal contributed")
    .addOption(among("-l, --level <levels>", "code: only these, comma separated", levels))
    .option("-p, --path <glob>", "code: only files that match, from the project's root; repeatable", collect)
    .option("--language <languages>", "code: only these, comma separated (ids or extensions)", list)
    .option("--metrics", "code: print how much reading the results save, compared with grep")
    .option("--since <time>", `conversations: ${since[1]}`)
    .option("--until <time>", `conversations: ${until[1]}`)
    .addOption(among("--type <types>", "conversations: only these, comma separated", chunkTypes))
    .addOption(among("--kind <kinds>", "conversations: only these, comma separated", chunkKinds))
    .option("--file <path>", "conversations: only about this file, directory or glob; repeatable", collect)
    .option("--session <id>", "conversations: only of this session; the beginning of its id is enough")
    .option("--commit <id>", "conversations: only what led to this commit or checkpoint")
    .option("--event <id>", "conversations: only what belongs to this event")
    .option("--branch <name>", "conversations: only on this git branch")
    .option("--agent <name>", "conversations: only with this agent, such as claude")
    .addOption(
      new Option("--mode <mode>", "conversations: fts is words alone, regex is RE2").choices(searchModes),
    )
    .addHelpText(
      "after",
      `${examples(
        ['pm search "where do we retry failed requests"', "code and conversations"],
        ['pm search code "rate limit" --json -n 3', "code only, for scripts"],
        ["pm search parseConfig --level method", "a name, methods only"],
        ['pm search transcripts "how did we fix the flaky test"', "what was said and done"],
        ['pm search transcripts auth --since "last week"', "lately"],
        ['pm search transcripts "TODO|FIXME" --mode regex', "a pattern, newest first"],
        ['pm search --all-projects "how did we parse dates"', "wherever it was"],
      )}\n\nAn option for code or for conversations limits the search to them. Exits with 0 also when nothing is found.`,
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
    .description("Show remembered sessions with agents")
    .addHelpText(
      "after",
      examples(
        ["pm session", "the last twenty"],
        ["pm session show 8ecde0fc", "one: its summary, its turns, its files"],
        ["pm session show 8ecde0fc --turn 7", "everything that was said and done in a turn"],
        ["pm session current", "those that are open now"],
      ),
    );

  session
    .command("list", { isDefault: true })
    .description("List sessions, those with the latest line first")
    .option(...since)
    .option(...until)
    .option("--branch <name>", "only on this git branch")
    .option("--agent <name>", "only with this agent, such as claude")
    .option("--agents", "also the sessions of their subagents")
    .option("--all-projects", "of all projects that Pommel knows (`pm projects`), from anywhere")
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
    .argument("<id>", "the session; the beginning of its id is enough")
    .option("--turn <number>", "print this turn in full", wholeNumber)
    .option("--full", "print every turn in full")
    .addHelpText(
      "after",
      `${examples(
        ["pm session show 8ecde0fc", "an overview"],
        ["pm session show 8ecde0fc --turn 7", "what was said and done in the seventh turn"],
      )}\n\nExits with 5 when there is no such session or turn.`,
    )
    .action(query(async () => (await import("../commands/session/show.ts")).sessionShowCommand));

  session
    .command("current")
    .description("Name the sessions that are open in this project now")
    .addHelpText(
      "after",
      `${examples(["pm session current --json", "for scripts"])}

Open is what had a line in the last 30 minutes and was not ended. Inside of Claude Code it is the session that asks.`,
    )
    .action(run(async () => (await import("../commands/session/current.ts")).sessionCurrentCommand));
}
