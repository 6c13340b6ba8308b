import type { Command } from "commander";
import { formatExamples, run } from "../../terminal/frame.ts";

export function declareBrowse(program: Command): void {
  program
    .command("browse")
    .description("Browse sessions, commits, search and the history of lines in the terminal")
    .argument("[view]", "sessions, now, commits, search, session, why, or a place: src/db.ts:42")
    .argument("[what...]", "what to search for, a session's id (with :TURN), or a file with :LINE")
    .addHelpText(
      "after",
      `${formatExamples(
        ["pm browse", "the sessions, latest first"],
        ["pm browse now", "agents at work, what to look at, what is unfinished"],
        ['pm browse search "why do we retry"', "code, sessions and commits"],
        ["pm browse session 8ecde0fc:7", "a session at its seventh turn"],
        ["pm browse src/db.ts:42", "why a line is there"],
      )}\n\nKeyboard only: ? lists the keys, q leaves. Exits with 2 outside of a terminal.`,
    )
    .action(run(async () => (await import("./pm-browse.ts")).browseCommand));
}
