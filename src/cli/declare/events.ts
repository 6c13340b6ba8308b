import { Argument, type Command, Option } from "commander";
import { examples, query, run } from "../frame.ts";
import { collect } from "./values.ts";

// As in git-records.ts, which a start has no need to load.
const types = ["task", "temporal", "milestone"];
const statuses = ["active", "frozen", "archived", "all"];

const eventArgument = () => new Argument("<event>", "its title or id; a prefix of the id is enough");
const targetsArgument = () =>
  new Argument("<ids...>", "sessions, checkpoints or commits; prefixes of their ids are enough");

/** The commands about events, which put sessions and checkpoints together under a name. */
export function declareEventCommands(program: Command): void {
  const event = program
    .command("event")
    .description("Group sessions and checkpoints under a name")
    .addHelpText(
      "after",
      examples(
        ["pm event", "events and suggestions"],
        ['pm event create "auth rewrite" --branch feat/auth', "everything on a branch"],
        ["pm event show auth", "one event"],
        ["pm search sessions --event auth refresh", "search in it"],
      ),
    );

  event
    .command("list", { isDefault: true })
    .description("List events and suggested events")
    .argument("[query...]", "words in its title, description, branch or session titles")
    .addOption(
      new Option("--status <status>", "only this status (default: all but archived)").choices(statuses),
    )
    .addOption(new Option("--type <type>", "only this type").choices(types))
    .option("--suggested", "only suggestions, all of them")
    .addHelpText(
      "after",
      examples(
        ["pm event list auth", "events about auth"],
        ["pm event list --status archived", "archived events"],
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
    .description("Create an event")
    .argument("[title...]", "its title (with --from-branch: taken from the branch name)")
    .addOption(
      new Option("--type <type>", "default: task, or temporal with --since or --until").choices(types),
    )
    .option("-d, --description <text>", "a longer description")
    .option("--branch <name>", "adds everything on this branch automatically while the event is active")
    .option("--from-branch <name>", "like --branch, with a title from the branch name")
    .option("--since <time>", 'temporal: everything since: "2026-01-31", "last week"')
    .option("--until <time>", "temporal: everything until")
    .option("--session <id>", "a session to add; repeatable", collect)
    .option("--checkpoint <id>", "a checkpoint or commit to add; repeatable", collect)
    .addHelpText(
      "after",
      examples(
        ['pm event create "auth rewrite" --session 8ecde0fc', "from past sessions"],
        ["pm event create --from-branch feat/auth-rewrite", "from a branch"],
        ['pm event create "March sprint" --since 2026-03-01 --until 2026-03-31', "from a period"],
        ['pm event create "v2.0" --type milestone --checkpoint HEAD', "from a commit"],
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
    .description("Remove sessions and checkpoints from an event")
    .addArgument(eventArgument())
    .addArgument(targetsArgument())
    .addHelpText("after", examples(["pm event unlink auth 8ecde0fc", "also what its branch added"]))
    .action(run(async () => (await import("../commands/event/link.ts")).eventUnlinkCommand));

  event
    .command("close")
    .description("Close an event: nothing is added from now on")
    .addArgument(eventArgument())
    .option("--archive", "also archive it: lists hide it")
    .addOption(new Option("--reopen", "make it active again").conflicts("archive"))
    .addHelpText(
      "after",
      examples(
        ["pm event close auth", "frozen"],
        ["pm event close auth --archive", "archived"],
        ["pm event close auth --reopen", "active again"],
      ),
    )
    .action(run(async () => (await import("../commands/event/close.ts")).eventCloseCommand));
}

/** The commands about all projects of this user. */
export function declareProjectsCommands(program: Command): void {
  const projects = program
    .command("projects")
    .description("List this machine's Pommel projects")
    .addHelpText(
      "after",
      examples(
        ["pm projects", "where they are, and when each was used"],
        ["pm projects forget", "remove deleted projects from the list"],
      ),
    );
  projects
    .command("list", { isDefault: true })
    .description("List projects, most recently used first")
    .addHelpText("after", examples(["pm projects list --json", "for scripts"]))
    .action(run(async () => (await import("../commands/projects/projects.ts")).projectsListCommand));
  projects
    .command("forget")
    .description("Remove a project from the list; its files are not touched")
    .argument("[path]", "its root (default: all deleted projects)")
    .addHelpText("after", examples(["pm projects forget ~/code/old", "it returns when it is used again"]))
    .action(run(async () => (await import("../commands/projects/projects.ts")).projectsForgetCommand));
}
