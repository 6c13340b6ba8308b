import { type Command, Option } from "commander";
import { examples, run } from "../../terminal/frame.ts";
import { numberRange, shared } from "../../terminal/options.ts";
import { exportFormats } from "../notes/command.ts";

/** `pm share` and its commands: options and help; the code is loaded when it runs. */
export function declareShare(program: Command): void {
  const share = program
    .command("share")
    .description("Share sessions, notes and who wrote what with others")
    .addHelpText(
      "after",
      examples(
        ["pm share session 8ecde0fc --to chat.html", "one session, as a page to hand on"],
        ["pm share git", "with whoever can read the remote"],
        ["pm share team", "with colleagues, through PostgreSQL"],
      ),
    );

  share
    .command("session")
    .description("Write one session to hand on: a page that any browser shows, without Pommel")
    .argument("<id>", "the session; a prefix of its id is enough")
    .addOption(new Option("--format <format>", "of the file").choices(exportFormats).default("html"))
    .option("--to <path>", "the file (default: stdout)")
    .option("--full", "leave nothing out of long outputs and edits")
    .option("--turns <range>", "only these: 3, 3-9, 3-", numberRange)
    .option("--no-output", "leave out what commands and tools printed")
    .option("--force", "replace a file that exists")
    .addHelpText(
      "after",
      `${examples(
        ["pm share session 8ecde0fc --to chat.html", "a page to hand on"],
        ["pm share session 8ecde0fc --turns 3-9 --no-output", "a part, without what commands printed"],
        ["pm share session 8ecde0fc --format markdown", "to paste into a message"],
      )}\n\nAll texts are scrubbed again by the current rules. Exits with 5 when the session does not exist.`,
    )
    .action(run(async () => (await import("../export/pm-export.ts")).shareSessionCommand));

  share
    .command("git")
    .description("Share the memory through git: import what others shared, push what is new here")
    .option("--pull", "only import what others shared")
    .option("--force", "with --pull: import everything again")
    .option(...shared.dryRun)
    .option("--allow-public", "share with this remote, whoever can read it; remembered")
    .option("--everything", "also sessions from outside the project")
    .option("--no-filter", "share without scrubbing again; asks twice")
    .option("-y, --yes", "do not ask (once per question)", (_: unknown, before: number) => before + 1, 0)
    .addHelpText(
      "after",
      `${examples(
        ["pm share git --dry-run", "what would be shared"],
        ["pm share git", "share it"],
        ["pm share git --pull", "only import new sessions and notes"],
        ["pm share git --allow-public", "for a remote whose readers you trust"],
      )}\n\nNothing is shared unless you say so. Your index, working tree and branches are not touched.`,
    )
    .action(run(async () => (await import("./pm-share-git.ts")).shareGitCommand));

  share
    .command("trust")
    .description("Show whose words your agents get, and change it")
    .addOption(new Option("--add <who>", "give agents their words").conflicts(["remove", "mine"]))
    .addOption(
      new Option("--remove <who>", "give agents nothing of theirs, old words included").conflicts("mine"),
    )
    .option("--mine <key>", "it is a key of another machine of yours: what it signed is yours")
    .addHelpText(
      "after",
      `${examples(
        ["pm share trust", "who shared something with you, and where your agents get it"],
        ["pm share trust --remove eve@acme.test", "in all projects; you still see what they wrote"],
        ["pm share trust --add unsigned", "also what nobody signed"],
        ["pm share trust --mine SHA256:Zm9vYmFy", "your laptop's key, as `pm share trust` shows it there"],
      )}\n\nWho means a name, a key, or the beginning of one. Nothing is shared, and nobody is told.`,
    )
    .action(run(async () => (await import("./pm-trust.ts")).trustCommand));

  declareTeam(share);
  declareAttribution(share);
}

function declareTeam(share: Command): void {
  const team = share
    .command("team")
    .description("Share through PostgreSQL: import what is new there, share what is new here")
    .addHelpText(
      "after",
      `${examples(
        ["pm config set --global memory.share postgres://ann@db.acme.test/team", "the server, once"],
        ["pm share team on", "share this project from now on"],
        ["pm share team", "now; the daemon does it every few minutes"],
        ["pm share team status", "what is shared, and whose sessions are here"],
        ["pm share team off --remove", "leave, and take back what was shared"],
      )}\n\nOnly projects in which you ran \`pm share team on\` are shared. \`pm memory forget\` takes back what it forgets.`,
    )
    .action(run(async () => (await import("./pm-share-team.ts")).shareTeamCommand));

  team
    .command("on")
    .description("Share this project's sessions, notes and commits from now on")
    .option("--project <name>", "the project's name at the server (default: its first commit)")
    .addHelpText("after", examples(["pm share team on", "then `pm share team`, or wait for the daemon"]))
    .action(run(async () => (await import("./pm-share-team.ts")).onCommand));

  team
    .command("off")
    .description("Stop sharing this project")
    .option("--remove", "also take back what you shared: colleagues lose it with their next exchange")
    .addHelpText(
      "after",
      examples(
        ["pm share team off", "what was shared stays"],
        ["pm share team off --remove", "nothing of yours stays"],
      ),
    )
    .action(run(async () => (await import("./pm-share-team.ts")).offCommand));

  team
    .command("status")
    .description("Show what is shared, and whose sessions are here")
    .addHelpText("after", examples(["pm share team status", "asks this machine only"]))
    .action(run(async () => (await import("./pm-share-team.ts")).statusCommand));

  team
    .command("members")
    .description("Show, add or remove the roles that may share this project")
    .option("--add <role...>", "roles of the server, of people or groups")
    .option("--remove <role...>", "they read and write nothing any more; what they shared stays")
    .addHelpText(
      "after",
      examples(["pm share team members", "who may"], ["pm share team members --add bob cleo", "let them"]),
    )
    .action(run(async () => (await import("./pm-share-team.ts")).membersCommand));
}

function declareAttribution(share: Command): void {
  const attribution = share
    .command("attribution")
    .description("Exchange who wrote which lines with other tools")
    .addHelpText(
      "after",
      examples(
        ["pm share attribution export --git-ai main..HEAD", "notes that Git AI and others read"],
        ["pm share attribution import traces.jsonl", "what another tool recorded"],
      ),
    );

  attribution
    .command("export")
    .description("Write who wrote the lines of commits in an open format")
    .argument(
      "[range]",
      "commits as git log takes them: main..HEAD; one revision is that commit (default: all of HEAD's)",
    )
    .option("--git-ai", "as notes on the commits, refs/notes/ai (Git AI standard 3.0.0)")
    .option("--notes", "as notes for people, a line per session, refs/notes/pommel (git log --notes=pommel)")
    .option("--agent-trace", "as trace records, one on each line (Agent Trace 0.1)")
    .option("--to <file>", "where trace records go (default: stdout)")
    .option("--force", "also replace notes that another tool wrote, or a file that exists")
    .option(...shared.dryRun)
    .addHelpText(
      "after",
      `${examples(
        ["pm share attribution export --git-ai", "notes on all commits whose lines have an author"],
        ["pm share attribution export --notes main..HEAD", "notes to read with `git log --notes=pommel`"],
        ["pm share attribution export --git-ai HEAD --dry-run", "what the last commit would get"],
        ["git push origin refs/notes/ai", "share the notes"],
        ["git update-ref -d refs/notes/ai", "remove all notes, those of other tools, too"],
        ["pm share attribution export --agent-trace main..HEAD --to traces.jsonl", "a file to hand on"],
      )}\n\nAn unknown line gets no entry in a note of Git AI, and is unknown in a trace record. A second run changes nothing, and the\ncommand that takes the notes back is printed.`,
    )
    .action(run(async () => (await import("../exchange/pm-attribution.ts")).attributionExportCommand));

  attribution
    .command("import")
    .description("Import who wrote the lines of commits, as another tool recorded it")
    .argument("<file>", "trace records of Agent Trace: one, an array, or one on each line")
    .option(...shared.dryRun)
    .addHelpText(
      "after",
      `${examples(
        ["pm share attribution import traces.jsonl", "lines that are unknown here get its authors"],
        ["pm share attribution import traces.jsonl --dry-run", "how many"],
      )}\n\nPommel's own evidence stays, and what is imported is labelled as another tool's word. Notes of Git AI need no import.`,
    )
    .action(run(async () => (await import("../exchange/pm-attribution.ts")).attributionImportCommand));
}
