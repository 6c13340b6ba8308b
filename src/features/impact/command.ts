import type { Command } from "commander";
import { examples, query } from "../../terminal/frame.ts";
import { addOptions, list, shared } from "../../terminal/options.ts";
import { findRelated } from "../related/operation.ts";
import { showStats } from "../stats/operation.ts";
import { findImpact } from "./operation.ts";

/** `pm code` and its commands: options and help; the code is loaded when it runs. */
export function declareCode(program: Command): void {
  const code = program
    .command("code")
    .description("What belongs together in the code, and who wrote it")
    .addHelpText(
      "after",
      examples(
        ["pm code impact parseConfig", "what calls it, and what calls that"],
        ["pm code related", "sessions behind your uncommitted changes"],
        ["pm code stats", "the shares of agents and people"],
      ),
    );

  const impact = code
    .command("impact")
    .description("List what a change may touch, tests first")
    .argument("[what...]", "a symbol (name, Type.name), a file, or lines of it (src/db.ts:12-20)");
  addOptions(impact, findImpact, { of: null })
    .addHelpText(
      "after",
      `${examples(
        ["pm code impact parseConfig", "what calls it, and what calls that"],
        ["pm code impact Session.close src/db.ts", "a method, and all of a file"],
        ["pm code impact --diff", "what your uncommitted changes may touch"],
        ["pm code impact --diff --json", "for scripts: test_files are those to run"],
      )}\n\nAn edge is resolved (by imports, scopes and types), dispatch (through what it implements), unique (the only
definition of that name) or ambiguous. Exits with 5 when nothing has the name.`,
    )
    .action(query(async () => (await import("./pm-code.ts")).impactCommand));

  const related = code
    .command("related")
    .description(
      "List the sessions and decisions about files (default: those with uncommitted changes), with the code around them, or about a question",
    )
    .argument("[query...]", "what they are about; with files, ranks those that touched them")
    .option("-f, --files <paths>", "files, directories or globs, comma separated; repeatable", list);
  addOptions(related, findRelated, { q: null, file: null })
    .addHelpText(
      "after",
      examples(
        ["pm code related", "sessions behind your uncommitted changes"],
        ["pm code related --files src/db.ts,src/pool.ts", "sessions that touched these"],
        ['pm code related --files src/db.ts "connection leak"', "and were about that"],
        ['pm code related "connection leak"', "about that, whatever they touched"],
      ),
    )
    .action(query(async () => (await import("./pm-code.ts")).relatedCommand));

  code
    .command("chunk")
    .description("Show a function, class or other chunk of code, what it lies in and what lies in it")
    .argument("<place>", "FILE:LINE, FILE:FIRST-LAST, or an id of a search result")
    .addHelpText(
      "after",
      `${examples(
        ["pm code chunk src/auth.ts:42", "the function at this line, and its class"],
        ["pm code chunk src/auth.ts:10-80", "the smallest chunk that holds these lines"],
        ["pm code chunk a81e44d09c7b2f15", "by id, such as parent_id of pm search --json"],
      )}\n\nExits with 5 when there is none.`,
    )
    .action(query(async () => (await import("./pm-code.ts")).chunkCommand));

  code
    .command("packages")
    .description("List the packages of this repository")
    .addHelpText(
      "after",
      `${examples(
        ["pm code packages", "workspaces, crates, modules; * marks the one you are in"],
        ["pm code packages --json", "for scripts"],
        ['pm search "retry" --package api', "search one of them"],
      )}\n\nInside a package, \`pm search\` shows its results first.`,
    )
    .action(query(async () => (await import("./pm-code.ts")).packagesCommand));

  const stats = code
    .command("stats")
    .description("Show the shares of agents and people in committed lines, by author, directory and week");
  addOptions(stats, showStats, { depth: "--dir-depth <levels>" })
    .option(shared.limit[0], "rows per table (default: 10)", shared.limit[2])
    .addHelpText(
      "after",
      examples(
        ["pm code stats", "HEAD's history, as far as it is analysed"],
        ['pm code stats --since "last month" --path src', "last month, in src"],
        ["pm code stats --json", "for scripts"],
      ),
    )
    .action(query(async () => (await import("../stats/pm-stats.ts")).statsCommand));
}
