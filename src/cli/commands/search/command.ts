import type { Command } from "commander";
import { examples, query } from "../../frame.ts";
import { addOptions } from "../../options.ts";
import { namesOf, sidesOf } from "./request.ts";

/** `pm search`: options and help; the code is loaded when it runs. */
export function declareSearch(program: Command): void {
  const search = program
    .command("search")
    .description("Find code, sessions, commits and events by meaning, name or words")
    .argument(
      "<query...>",
      "what to find; before it `code`, `sessions`, `notes`, `commits`, `checkpoints`, `events` or `all` says where",
    );
  addOptions(search, "searchAll", { q: null, match: null, near: null, graph_of_first: null });
  for (const option of search.options) {
    const sides = sidesOf(option.attributeName());
    if (sides !== null) option.description = `${namesOf(sides).join(", ")}: ${option.description}`;
  }
  search
    .option("--all-projects", "in all Pommel projects on this machine (`pm projects`)")
    .option("--full", "print whole chunks instead of matching lines")
    .option("--exact", "code, or what sessions hold: every result contains the query as it is")
    .option("--regex", "code, or what sessions hold: every result matches the query, a pattern in RE2 syntax")
    .option("--metrics", "code: print how much reading this saves compared with grep")
    .addHelpText(
      "after",
      `${examples(
        ['pm search "where do we retry failed requests"', "everything"],
        ['pm search code "rate limit" --json -n 3', "code only, for scripts"],
        ['pm search "parse dates" --package api', "one package of a monorepo (`pm code packages`)"],
        ["pm search parseConfig --level function", "a name, functions and methods only"],
        ["pm search code 'retry \"timed out\"'", "what is in quotes is in every result"],
        ['pm search code --exact "next() called"', "a text as it is"],
        ['pm search code --regex "http\\.(Get|Post)\\("', "a pattern"],
        ['pm search sessions "how did we fix the flaky test"', "past sessions"],
        ['pm search sessions auth --since "last week"', "recent sessions"],
        ["pm search code auth --by chunk", "every matching chunk, not one result a file"],
        ["pm search sessions auth --by turn", "every matching turn"],
        ['pm search "ECONNREFUSED 5432" --in content', "all that was said and tools wrote, newest first"],
        ['pm search sessions --regex "exit code [1-9]"', "the same, a pattern"],
        [
          'pm search commits "retry of uploads" --since "last month"',
          "commits, and the sessions behind them",
        ],
        ["pm search 1f3a9c2", "a commit, by the beginning of its hash"],
        ['pm search sessions "token refresh" --team', "what colleagues shared (`pm share team`)"],
        ['pm search notes "staging"', "what people noted"],
        ["pm search events auth", "named groups of sessions and checkpoints"],
        ['pm search --all-projects "how did we parse dates"', "in all projects"],
      )}\n\nAn option for code, sessions or commits limits the search to them. Exits with 5 when nothing is found.`,
    )
    .action(
      query(
        async () => (await import("./search.ts")).searchCommand,
        ({ allProjects }) => allProjects === true,
      ),
    );
}
