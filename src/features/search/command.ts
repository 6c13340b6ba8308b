import type { Command } from "commander";
import { formatExamples, query } from "../../terminal/frame.ts";
import { addOptions } from "../../terminal/options.ts";
import { searchAll } from "./operation.ts";
import { findSides, listSideNames } from "./pm/request.ts";

/** The commands of every day: options and help. Their code is loaded when they run. */
export function declareSearch(program: Command): void {
  const search = program
    .command("search")
    .description("Find code, sessions, commits and events by meaning, name or words")
    .argument(
      "<query...>",
      "what to find. Put `code`, `sessions`, `notes`, `commits`, `checkpoints` or `events` before it to search only there",
    );
  search
    .option("--all-projects", "in all Pommel projects on this machine (`pm projects`)")
    .option("--full", "print whole chunks instead of matching lines")
    .option(
      "--exact",
      "only results that contain the query exactly; searches code, unless `sessions` or --in content is given: then sessions",
    )
    .option("--regex", "the query is a regular expression in RE2 syntax; searches the same as --exact")
    .option("--metrics", "print how much less code you have to read than with grep");
  addOptions(search, searchAll, {
    q: null,
    match: null,
    near: null,
    graph_of_first: null,
    only: "--only <kinds>",
    by: "--by <unit>",
    in: "--in <where>",
  });
  for (const option of search.options) {
    const sides = findSides(option.attributeName());
    const isVerbatim = option.long === "--exact" || option.long === "--regex";
    if (sides !== null && !isVerbatim) option.helpGroup(`Only ${listSideNames(sides).join(" and ")}:`);
  }
  search
    .addHelpText(
      "after",
      `${formatExamples(
        ['pm search "where do we retry failed requests"', "everything"],
        ['pm search code "rate limit" --json -n 3', "code only, for scripts"],
        ['pm search "parse dates" --package api', "one package of a monorepo (`pm code packages`)"],
        ["pm search parseConfig --level function", "a name, functions and methods only"],
        ["pm search code 'retry \"timed out\"'", "quoted text counts more than the other words"],
        ['pm search code --exact "next() called"', "an exact text"],
        ['pm search code --regex "http\\.(Get|Post)\\("', "a regular expression"],
        ['pm search sessions "how did we fix the flaky test"', "past sessions"],
        ['pm search sessions auth --since "last week"', "recent sessions"],
        ["pm search code auth --by chunk", "every matching chunk, not one result for each file"],
        ["pm search sessions auth --by turn", "every matching turn"],
        [
          'pm search "ECONNREFUSED 5432" --in content',
          "exact words in everything that was said, newest first",
        ],
        ['pm search sessions --regex "exit code [1-9]"', "a regular expression in everything that was said"],
        [
          'pm search commits "retry of uploads" --since "last month"',
          "commits, and the sessions behind them",
        ],
        ["pm search 1f3a9c2", "a commit, by the beginning of its hash"],
        ['pm search sessions "token refresh" --team', "what colleagues shared (`pm share team`)"],
        ['pm search notes "staging"', "what people noted"],
        ["pm search events auth", "named groups of sessions and checkpoints"],
        ['pm search --all-projects "how did we parse dates"', "in all projects"],
      )}\n\nAn option that exists only for code, sessions or commits limits the search to these. Exits with 5 when nothing is found.`,
    )
    .action(
      query(async () => (await import("./pm/search.ts")).searchCommand, {
        unless: ({ allProjects }) => allProjects === true,
      }),
    );
}

/** `pm code chunk`. */
export function declareChunk(code: Command): void {
  code
    .command("chunk")
    .description("Show a function, class or other chunk of code, what contains it, and what it contains")
    .argument("<place>", "FILE:LINE, FILE:FIRST-LAST, or an id of a search result")
    .addHelpText(
      "after",
      `${formatExamples(
        ["pm code chunk src/auth.ts:42", "the function at this line, and its class"],
        ["pm code chunk src/auth.ts:10-80", "the smallest chunk that contains these lines"],
        ["pm code chunk a81e44d09c7b2f15", "by id, such as parent_id of pm search --json"],
      )}\n\nExits with 5 when there is none.`,
    )
    .action(query(async () => (await import("./pm/chunk.ts")).chunkCommand));
}
