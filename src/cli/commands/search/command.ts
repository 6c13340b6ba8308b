import { type Command, Option } from "commander";
import { levelNames } from "../../../project/levels.ts";
import { chunkKinds, chunkTypes, searchModes } from "../../../protocol/values.ts";
import { examples, query } from "../../frame.ts";
import { collect, list, resultLimit, since, until } from "../../values.ts";

/** Some of these; which are none of them the command says. */
const among = (flags: string, about: string, values: readonly string[]) =>
  new Option(flags, about).choices(values).argParser(list);

/** `pm search`: options and help; the code is loaded when it runs. */
export function declareSearch(program: Command): void {
  program
    .command("search")
    .description("Find code and sessions by meaning, name or words")
    .argument("<query...>", "what to find; `code`, `sessions` or `all` before it says where")
    .option("-n, --limit <count>", "at most this many results of each", resultLimit)
    .option("--all-projects", "in all Pommel projects on this machine (`pm projects`)")
    .option("--full", "print whole chunks instead of matching lines")
    .option("--explain", "print each ranking signal's contribution")
    .addOption(among("-l, --level <levels>", "code: only these, comma separated", levelNames))
    .option(
      "-p, --path <glob>",
      "code: only files that match, relative to the project root; repeatable",
      collect,
    )
    .option("--language <languages>", "code: only these, comma separated (ids or extensions)", list)
    .option("--exact", "code: every result contains the query as it is")
    .option("--regex", "code: every result matches the query, a pattern in RE2 syntax")
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
        ["pm search parseConfig --level function", "a name, functions and methods only"],
        ["pm search code 'retry \"timed out\"'", "what is in quotes is in every result"],
        ['pm search code --exact "next() called"', "a text as it is"],
        ['pm search code --regex "http\\.(Get|Post)\\("', "a pattern"],
        ['pm search sessions "how did we fix the flaky test"', "past sessions"],
        ['pm search sessions auth --since "last week"', "recent sessions"],
        ['pm search sessions "TODO|FIXME" --mode regex', "a pattern, newest first"],
        ['pm search --all-projects "how did we parse dates"', "in all projects"],
      )}\n\nAn option for code or for sessions limits the search to them. Exits with 0 even when nothing is found.`,
    )
    .action(
      query(
        async () => (await import("./search.ts")).searchCommand,
        ({ allProjects }) => allProjects === true,
      ),
    );
}
