import { type Command, Option } from "commander";
import { formatExamples, run } from "../../terminal/frame.ts";
import { shared } from "../../terminal/options.ts";

/** `pm share git` and `trust`. */
export function declareShareGit(share: Command): void {
  share
    .command("git")
    .description("Share the memory through git: import what others shared, push what is new here")
    .option("--pull", "only import what others shared")
    .option("--force", "with --pull: import everything again")
    .option(...shared.dryRun)
    .option("--allow-public", "share even if the public may read this remote; Pommel remembers this")
    .option("--everything", "also sessions from outside the project")
    .option("--no-filter", "share without scrubbing again; asks twice")
    .option(
      "-y, --yes",
      "with --no-filter: do not ask; give it twice, as there are two questions",
      (_: unknown, before: number) => before + 1,
      0,
    )
    .addHelpText(
      "after",
      `${formatExamples(
        ["pm share git --dry-run", "what would be shared"],
        ["pm share git", "share it"],
        ["pm share git --pull", "only import new sessions and notes"],
        ["pm share git --allow-public", "for a remote whose readers you trust"],
      )}\n\nNothing is shared unless you say so. Git's index, your working tree and your branches are not touched.`,
    )
    .action(run(async () => (await import("./pm-share-git.ts")).shareGitCommand, { startsDaemon: true }));

  share
    .command("trust")
    .description("Show or change whose words your agents get")
    .addOption(
      new Option("--add <who>", "let agents see what this person wrote").conflicts(["remove", "mine"]),
    )
    .addOption(
      new Option(
        "--remove <who>",
        "hide from agents everything that this person wrote, new or old",
      ).conflicts("mine"),
    )
    .option(
      "--mine <key>",
      "declare that this key belongs to another machine of yours; what it signed then counts as yours",
    )
    .addHelpText(
      "after",
      `${formatExamples(
        ["pm share trust", "who shared something with you, and in which projects agents get it"],
        ["pm share trust --remove eve@acme.test", "in all projects; you still see what they wrote"],
        ["pm share trust --add unsigned", "let agents also see words that nobody signed"],
        ["pm share trust --mine SHA256:Zm9vYmFy", "your laptop's key, as `pm share trust` shows it there"],
      )}\n\nWHO is a name, a key, or the beginning of one. These choices stay on this machine.`,
    )
    .action(run(async () => (await import("./pm-trust.ts")).trustCommand));
}

/** `pm share team`. */
export function declareTeam(share: Command): void {
  const team = share
    .command("team")
    .description("Share through PostgreSQL: import what is new there, share what is new here")
    .addHelpText(
      "after",
      `${formatExamples(
        ["pm config set --global memory.share postgres://ann@db.acme.test/team", "the server, once"],
        ["pm share team on", "share this project from now on"],
        ["pm share team", "exchange now; the daemon also does this every five minutes"],
        ["pm share team status", "what is shared, and whose sessions are here"],
        ["pm share team off --remove", "leave, and take back what was shared"],
      )}\n\nOnly projects in which you ran \`pm share team on\` are shared. After \`pm memory forget\`, the next
exchange also removes what you forgot from the server, and then from colleagues' memories.`,
    )
    .action(run(async () => (await import("./pm-share-team.ts")).shareTeamCommand, { startsDaemon: true }));

  team
    .command("on")
    .description("Share this project's sessions, notes and commits from now on")
    .option("--project <name>", "the project's name at the server (default: its first commit)")
    .addHelpText(
      "after",
      formatExamples(["pm share team on", "then `pm share team`, or wait for the daemon"]),
    )
    .action(run(async () => (await import("./pm-share-team.ts")).onCommand, { startsDaemon: true }));

  team
    .command("off")
    .description("Stop sharing this project")
    .option("--remove", "also take back what you shared: colleagues lose it with their next exchange")
    .addHelpText(
      "after",
      formatExamples(
        ["pm share team off", "what was shared stays"],
        ["pm share team off --remove", "nothing of yours stays"],
      ),
    )
    .action(run(async () => (await import("./pm-share-team.ts")).teamOffCommand, { startsDaemon: true }));

  team
    .command("status")
    .description("Show what is shared, and whose sessions are here")
    .addHelpText(
      "after",
      formatExamples(["pm share team status", "from what this machine knows, without asking the server"]),
    )
    .action(run(async () => (await import("./pm-share-team.ts")).teamStatusCommand, { startsDaemon: true }));

  team
    .command("members")
    .description("Show, add or remove the roles that may share this project")
    .option("--add <role...>", "add roles of the PostgreSQL server: people or groups")
    .option("--remove <role...>", "revoke their access; what they shared stays")
    .addHelpText(
      "after",
      formatExamples(
        ["pm share team members", "list the roles that may share this project"],
        ["pm share team members --add bob cleo", "let bob and cleo share this project"],
      ),
    )
    .action(run(async () => (await import("./pm-share-team.ts")).teamMembersCommand, { startsDaemon: true }));
}
