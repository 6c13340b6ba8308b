import type { Command } from "commander";
import { examples, run } from "../../frame.ts";

/** `pm share` and its subcommands: options and help; the code is loaded when it runs. */
export function declareShare(program: Command): void {
  const share = program
    .command("share")
    .description(
      "Share the memory with a team through PostgreSQL: import what is new there, share what is new here",
    )
    .addHelpText(
      "after",
      `${examples(
        ["pm config set --global memory.share postgres://ann@db.acme.test/team", "the server, once"],
        ["pm share on", "share this project from now on"],
        ["pm share", "now; the daemon does it every few minutes"],
        ["pm share status", "what is shared, and whose sessions are here"],
        ["pm share off --remove", "leave, and take back what was shared"],
      )}\n\nOnly projects in which you ran \`pm share on\` are shared. \`pm forget\` takes back what it forgets.`,
    )
    .action(run(async () => (await import("./share.ts")).shareCommand));

  share
    .command("on")
    .description("Share this project's sessions, notes and commits from now on")
    .option("--project <name>", "the project's name at the server (default: its first commit)")
    .addHelpText("after", examples(["pm share on", "then `pm share`, or wait for the daemon"]))
    .action(run(async () => (await import("./share.ts")).onCommand));

  share
    .command("off")
    .description("Stop sharing this project")
    .option("--remove", "also take back what you shared: colleagues lose it with their next `pm share`")
    .addHelpText(
      "after",
      examples(
        ["pm share off", "what was shared stays"],
        ["pm share off --remove", "nothing of yours stays"],
      ),
    )
    .action(run(async () => (await import("./share.ts")).offCommand));

  share
    .command("status")
    .description("Show what is shared, and whose sessions are here")
    .addHelpText("after", examples(["pm share status", "asks this machine only"]))
    .action(run(async () => (await import("./share.ts")).statusCommand));

  share
    .command("members")
    .description("Show, add or remove the roles that may share this project")
    .option("--add <role...>", "roles of the server, of people or groups")
    .option("--remove <role...>", "they read and write nothing any more; what they shared stays")
    .addHelpText(
      "after",
      examples(["pm share members", "who may"], ["pm share members --add bob cleo", "let them"]),
    )
    .action(run(async () => (await import("./share.ts")).membersCommand));
}
