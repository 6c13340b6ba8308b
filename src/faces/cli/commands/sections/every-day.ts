import { type Command, Option } from "commander";
import { blame as blameOperation } from "../../../../features/blame/operation.ts";
import { sumUp } from "../../../../features/digest/operation.ts";
import { fix as fixOperation } from "../../../../features/fix/operation.ts";
import { how as howOperation } from "../../../../features/how/operation.ts";
import { reviewChange } from "../../../../features/review/operation.ts";
import { searchAll } from "../../../../features/search/operation.ts";
import { namesOf, sidesOf } from "../../../../features/search/pm/request.ts";
import { why as whyOperation } from "../../../../features/why/operation.ts";
import { examples, query, run } from "../../../../terminal/frame.ts";
import { addOptions, collect } from "../../../../terminal/options.ts";

/** The commands of every day: options and help. Their code is loaded when they run. */

export function declareSearch(program: Command): void {
  const search = program
    .command("search")
    .description("Find code, sessions, commits and events by meaning, name or words")
    .argument(
      "<query...>",
      "what to find; before it `code`, `sessions`, `notes`, `commits`, `checkpoints`, `events` or `all` says where",
    );
  addOptions(search, searchAll, { q: null, match: null, near: null, graph_of_first: null });
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
        async () => (await import("../../../../features/search/pm/search.ts")).searchCommand,
        ({ allProjects }) => allProjects === true,
      ),
    );
}

export function declareWhy(program: Command): void {
  const why = program
    .command("why")
    .description(
      "Explain why a line exists: who wrote it, what was asked and decided, whether it is still current",
    )
    .argument("<place>", "a file, with a line or range: src/auth.ts:42, src/auth.ts:42-50")
    .argument("[lines]", "the line or range, where the file does not name it: 42, 42-50");
  addOptions(why, whyOperation, { file: null, first_line: null, last_line: null, brief: null })
    .option("--full", "print prompts and lines in full")
    .addHelpText(
      "after",
      `${examples(
        ["pm why src/auth.ts:42", "a line: its commit, turn, prompt, decisions, history"],
        ["pm why src/auth.ts 42", "the same"],
        ["pm why src/auth.ts", "the whole file"],
        ["pm why src/auth.ts:42-50 --json", "nine lines, for scripts"],
      )}\n\nExits with 5 when the file or line does not exist.`,
    )
    .action(query(async () => (await import("../../../../features/why/pm-why.ts")).whyCommand));
}

export function declareBlame(program: Command): void {
  const blame = program
    .command("blame")
    .description("Show who wrote each line of a file, or the files of a directory: agents or people")
    .argument(
      "[file]",
      "the file, optionally with a range: src/auth.ts:10-30; or a directory (default: this one)",
    )
    .option("-L, --lines <range>", "only these: 10,30 or 10,+5 or 10, (to the end); repeatable", collect);
  addOptions(blame, blameOperation, {
    file: null,
    first_line: null,
    last_line: null,
    lines: null,
    texts: null,
  })
    .option("--summary", "only totals: by kind of author, session, model, person")
    .option("--explain", "what each verdict rests on")
    .option("-p, --porcelain", "as `git blame --porcelain`, with headers of Pommel's for each line")
    .option("--line-porcelain", "as `git blame --line-porcelain`, with the same")
    .option("--text", "with --json: include the text of each line")
    .addHelpText(
      "after",
      `${examples(
        ["pm blame", "who wrote what in this directory"],
        ["pm blame src/auth.ts", "every line"],
        ["pm blame src/auth.ts -L 10,30", "a range"],
        ["pm blame src/auth.ts --summary", "shares"],
        ["pm blame src/auth.ts -L 10,30 --explain", "why each of them is said to be whose"],
        ["pm blame src/auth.ts --line-porcelain", "for programs that read git's format"],
      )}\n\nExits with 5 when the file or line does not exist.`,
    )
    .action(
      query(
        async () => (await import("../../../../features/blame/pm-blame.ts")).blameCommand,
        // A daemon passes on text, not bytes.
        ({ porcelain, linePorcelain }) => porcelain === true || linePorcelain === true,
      ),
    );
}

export function declareReview(program: Command): void {
  const review = program
    .command("review")
    .description("Show what a change does, who wrote each line of it, and for which prompt")
    .argument("[range]", "a commit, a branch, or main..HEAD (default: what is not committed)");
  addOptions(review, reviewChange, { range: null })
    .option("--patch", "every line, with a mark for who wrote it")
    .addOption(
      new Option("--format <format>", "how to print it; markdown is a comment for a pull request")
        .choices(["text", "markdown", "json"])
        .default("text"),
    )
    .option(
      "--merged-as <commit>",
      "the commit that a squash or rebase merge made of the range: carries over who wrote it, as notes in refs/notes/ai",
    )
    .addHelpText(
      "after",
      `${examples(
        ["pm review", "what is not committed yet"],
        ["pm review --patch", "line by line"],
        ["pm review HEAD", "the last commit"],
        ["pm review main..HEAD --format markdown", "a branch, for its pull request"],
        ["pm review main..topic --merged-as main", "after a squash merge"],
      )}\n\nOn the page: \`pm open review main..HEAD\`.`,
    )
    .action(
      query(
        async () => (await import("../../../../features/review/pm-review.ts")).reviewCommand,
        ({ mergedAs }) => mergedAs !== undefined,
      ),
    );
}

export function declareHow(program: Command): void {
  const how = program
    .command("how")
    .description("Show the command lines that worked here for something, with what failed before they did")
    .argument("<what...>", "what to run, or a command line that failed");
  addOptions(how, howOperation, { q: null })
    .addHelpText(
      "after",
      `${examples(
        ["pm how test", "how the tests are run here"],
        ['pm how "run one integration test"', "with the flags that it takes"],
        ['pm how "go test ./..."', "what worked where this failed"],
      )}\n\nExits with 5 when agents ran nothing like it here.`,
    )
    .action(query(async () => (await import("../../../../features/how/pm-how.ts")).howCommand));
}

/** `pm fix` */
export function declareFix(program: Command): void {
  const fix = program
    .command("fix")
    .description("Find an error that agents met here before, and what fixed it")
    .argument("[error...]", "the error; without it, read from stdin");
  addOptions(fix, fixOperation, { error: null })
    .addHelpText(
      "after",
      `${examples(
        ['pm fix "undefined: openStore"', "an error, without its paths, numbers and hashes"],
        ["make 2>&1 | pm fix", "the errors of a build"],
        ["pm fix --json < build.log", "for scripts"],
      )}\n\nExits with 5 when no agent met it here.`,
    )
    .action(run(async () => (await import("../../../../features/how/pm-how.ts")).fixCommand));
}

export function declareDigest(program: Command): void {
  const digest = program
    .command("digest")
    .description("Sum up what happened lately: sessions, commits, decisions, what is unfinished, tokens");
  addOptions(digest, sumUp, { by: null })
    .addOption(
      new Option("--by <what>", "a part for each branch, or for each project on this machine").choices([
        "branch",
        "project",
      ]),
    )
    .addOption(
      new Option("--format <format>", "how to print it").choices(["text", "markdown"]).default("text"),
    )
    .addHelpText(
      "after",
      examples(
        ["pm digest", "since yesterday"],
        ["pm digest --since friday --by branch", "branch by branch"],
        ["pm digest --since 7d --by project", "of all projects"],
        ["pm digest --since monday --format markdown", "to paste into a message"],
      ),
    )
    .action(
      query(
        async () => (await import("../../../../features/digest/pm-digest.ts")).digestCommand,
        ({ by }) => by === "project",
      ),
    );
}

export function declareStatus(program: Command): void {
  program
    .command("status")
    .description("Show the daemon, the index, current work and health")
    .option("-w, --watch", "refresh every 2 seconds until Ctrl-C")
    .option("--skipped", "list files that are not indexed, and why")
    .addOption(
      new Option("--check", "fail (exit code 4) when the daemon does not answer").conflicts([
        "watch",
        "skipped",
      ]),
    )
    .addHelpText(
      "after",
      examples(
        ["pm status", "once"],
        ["pm status --watch", "live, while it indexes"],
        ["pm status --json | jq .queue.is_idle", "true when everything is searchable"],
        ["pm status --skipped", "skipped files, and why"],
        ["pm status --check || pm daemon start", "in a script or a health check"],
      ),
    )
    .action(
      query(
        async () => (await import("../../../../features/status/pm-status.ts")).statusCommand,
        ({ watch }) => watch === true,
      ),
    );
}

export function declareOpen(program: Command): void {
  program
    .command("open")
    .description("Open the project's page in the browser")
    .argument("[view]", "home, search, sessions, session, file or review")
    .argument("[what...]", "what to search for, a session's id, a file's path with :LINE, or what to review")
    .option("--no-browser", "only print the address")
    .option("--browsers", "list the browsers that are signed in")
    .option("--sign-out <browser>", "sign out a browser, by its id in that list, or all")
    .addHelpText(
      "after",
      examples(
        ["pm open", "what happened lately"],
        ['pm open search "why do we retry"', "a search"],
        ["pm open file src/db.ts:42", "a file at a line"],
        ["pm open review main..HEAD", "what a branch does, and who wrote it"],
        ["pm open --no-browser", "for a browser elsewhere, through a tunnel"],
        ["pm open --sign-out all", "end what any browser may see"],
      ),
    )
    .action(run(async () => (await import("../../../../features/page/pm-open.ts")).openCommand));
}

export function declareBrowse(program: Command): void {
  program
    .command("browse")
    .description("Browse sessions, search and the history of lines in the terminal")
    .argument("[view]", "sessions, search, session, why, or a place: src/db.ts:42")
    .argument("[what...]", "what to search for, a session's id (with :TURN), or a file with :LINE")
    .addHelpText(
      "after",
      `${examples(
        ["pm browse", "the sessions, latest first"],
        ['pm browse search "why do we retry"', "code, sessions and commits"],
        ["pm browse session 8ecde0fc:7", "a session at its seventh turn"],
        ["pm browse src/db.ts:42", "why a line is there"],
      )}\n\nKeyboard only: ? lists the keys, q leaves. Exits with 2 outside of a terminal.`,
    )
    .action(run(async () => (await import("../../../../features/browse/pm-browse.ts")).browseCommand));
}
