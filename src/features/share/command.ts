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
    .option("--allow-public", "share with this remote, whoever can read it; remembered")
    .option("--everything", "also sessions from outside the project")
    .option("--no-filter", "share without scrubbing again; asks twice")
    .option("-y, --yes", "do not ask (once per question)", (_: unknown, before: number) => before + 1, 0)
    .addHelpText(
      "after",
      `${formatExamples(
        ["pm share git --dry-run", "what would be shared"],
        ["pm share git", "share it"],
        ["pm share git --pull", "only import new sessions and notes"],
        ["pm share git --allow-public", "for a remote whose readers you trust"],
      )}\n\nNothing is shared unless you say so. Your index, working tree and branches are not touched.`,
    )
    .action(run(async () => (await import("./pm-share-git.ts")).shareGitCommand, { startsDaemon: true }));

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
      `${formatExamples(
        ["pm share trust", "who shared something with you, and where your agents get it"],
        ["pm share trust --remove eve@acme.test", "in all projects; you still see what they wrote"],
        ["pm share trust --add unsigned", "also what nobody signed"],
        ["pm share trust --mine SHA256:Zm9vYmFy", "your laptop's key, as `pm share trust` shows it there"],
      )}\n\nWho means a name, a key, or the beginning of one. Nothing is shared, and nobody is told.`,
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
        ["pm share team", "now; the daemon does it every few minutes"],
        ["pm share team status", "what is shared, and whose sessions are here"],
        ["pm share team off --remove", "leave, and take back what was shared"],
      )}\n\nOnly projects in which you ran \`pm share team on\` are shared. \`pm memory forget\` takes back what it forgets.`,
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
    .addHelpText("after", formatExamples(["pm share team status", "asks this machine only"]))
    .action(run(async () => (await import("./pm-share-team.ts")).teamStatusCommand, { startsDaemon: true }));

  team
    .command("members")
    .description("Show, add or remove the roles that may share this project")
    .option("--add <role...>", "roles of the server, of people or groups")
    .option("--remove <role...>", "they read and write nothing any more; what they shared stays")
    .addHelpText(
      "after",
      formatExamples(
        ["pm share team members", "who may"],
        ["pm share team members --add bob cleo", "let them"],
      ),
    )
    .action(run(async () => (await import("./pm-share-team.ts")).teamMembersCommand, { startsDaemon: true }));
}
