import { Argument, type Command, Option } from "commander";
import { examples, query, run } from "../frame.ts";
import { collect } from "./values.ts";

// As in git-records.ts, which a start has no need to load.
const types = ["task", "temporal", "milestone"];
const statuses = ["active", "frozen", "archived", "all"];

const eventArgument = () => new Argument("<event>", "its title or id; the beginning of the id is enough");
const targetsArgument = () =>
  new Argument("<ids...>", "sessions, checkpoints or commits; the beginnings of their ids are enough");

/** The commands about events, which put sessions and checkpoints together under a name. */
export function declareEventCommands(program: Command): void {
  const event = program
    .command("event")
    .description("Put sessions and checkpoints together under a name")
    .addHelpText(
      "after",
      examples(
        ["pm event", "those that there are, and those that there could be"],
        ['pm event create "auth rewrite" --branch feat/auth', "what happens on a branch"],
        ["pm event show auth", "what belongs to one"],
        ["pm search transcripts --event auth refresh", "search in it"],
      ),
    );

  event
    .command("list", { isDefault: true })
    .description("List events, and branches that could be one")
    .argument("[query...]", "words of its title, description, branch or sessions' titles")
    .addOption(new Option("--status <status>", "only such (default: all but archived)").choices(statuses))
    .addOption(new Option("--type <type>", "only such").choices(types))
    .option("--suggested", "only branches that could be one, all of them")
    .addHelpText(
      "after",
      examples(
        ["pm event list auth", "those about auth"],
        ["pm event list --status archived", "those that were put away"],
        ["pm event list --suggested --json", "for scripts"],
      ),
    )
    .action(query(async () => (await import("../commands/event/list.ts")).eventListCommand));

  event
    .command("show")
    .description("Show an event: its sessions, checkpoints, and who wrote its lines")
    .addArgument(eventArgument())
    .addHelpText(
      "after",
      examples(["pm event show 3f2a", "by its id"], ['pm event show "auth rewrite"', "or its title"]),
    )
    .action(query(async () => (await import("../commands/event/show.ts")).eventShowCommand));

  event
    .command("create")
    .description("Make an event")
    .argument("[title...]", "what it is about; with --from-branch the branch's name says it")
    .addOption(new Option("--type <type>", "default: task, or temporal where it has a time").choices(types))
    .option("-d, --description <text>", "more about it")
    .option("--branch <name>", "what happens on this branch belongs to it by itself while it is active")
    .option("--from-branch <name>", "the same, with a title from the branch's name")
    .option("--since <time>", 'temporal: what happened from then on belongs to it: "2026-01-31", "last week"')
    .option("--until <time>", "temporal: and up to then")
    .option("--session <id>", "a session of it; repeatable", collect)
    .option("--checkpoint <id>", "a checkpoint or a commit of it; repeatable", collect)
    .addHelpText(
      "after",
      examples(
        ['pm event create "auth rewrite" --session 8ecde0fc', "of sessions that were"],
        ["pm event create --from-branch feat/auth-rewrite", "of a branch"],
        ['pm event create "March sprint" --since 2026-03-01 --until 2026-03-31', "of a time"],
        ['pm event create "v2.0" --type milestone --checkpoint HEAD', "of a commit"],
      ),
    )
    .action(run(async () => (await import("../commands/event/create.ts")).eventCreateCommand));

  event
    .command("link")
    .description("Add sessions and checkpoints to an event")
    .addArgument(eventArgument())
    .addArgument(targetsArgument())
    .addHelpText("after", examples(["pm event link auth 8ecde0fc 4f1d2c3", "a session and a commit"]))
    .action(run(async () => (await import("../commands/event/link.ts")).eventLinkCommand));

  event
    .command("unlink")
    .description("Take sessions and checkpoints out of an event")
    .addArgument(eventArgument())
    .addArgument(targetsArgument())
    .addHelpText("after", examples(["pm event unlink auth 8ecde0fc", "also what its branch brought in"]))
    .action(run(async () => (await import("../commands/event/link.ts")).eventUnlinkCommand));

  event
    .command("close")
    .description("End an event: what happens from now on does not belong to it")
    .addArgument(eventArgument())
    .option("--archive", "and put it away: lists leave it out")
    .addOption(new Option("--reopen", "make it active again").conflicts("archive"))
    .addHelpText(
      "after",
      examples(
        ["pm event close auth", "it is frozen"],
        ["pm event close auth --archive", "out of sight"],
        ["pm event close auth --reopen", "it goes on"],
      ),
    )
    .action(run(async () => (await import("../commands/event/close.ts")).eventCloseCommand));
}

/** The commands about all projects of this user. */
export function declareProjectsCommands(program: Command): void {
  const projects = program
    .command("projects")
    .description("List the projects that Pommel knows on this machine")
    .addHelpText(
      "after",
      examples(
        ["pm projects", "where they are, and when each was used"],
        ["pm projects forget", "take those off the list that are gone"],
      ),
    );
  projects
    .command("list", { isDefault: true })
    .description("List them, the one used last first")
    .addHelpText("after", examples(["pm projects list --json", "for scripts"]))
    .action(run(async () => (await import("../commands/projects/projects.ts")).projectsListCommand));
  projects
    .command("forget")
    .description("Take a project off the list; nothing of its own is touched")
    .argument("[path]", "its root; else all that are gone")
    .addHelpText("after", examples(["pm projects forget ~/code/old", "until it is used again"]))
    .action(run(async () => (await import("../commands/projects/projects.ts")).projectsForgetCommand));
}
