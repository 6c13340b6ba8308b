import type { Command } from "commander";
import { formatExamples, run } from "../../terminal/frame.ts";

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
      formatExamples(
        ["pm open", "what happened lately"],
        ['pm open search "why do we retry"', "a search"],
        ["pm open file src/db.ts:42", "a file at a line"],
        ["pm open review main..HEAD", "what a branch does, and who wrote it"],
        ["pm open --no-browser", "for a browser elsewhere, through a tunnel"],
        ["pm open --sign-out all", "sign all browsers out"],
      ),
    )
    .action(run(async () => (await import("./pm-open.ts")).openCommand));
}
