import { Argument, type Command, Option } from "commander";
import { eventTypes } from "../../protocol/values.ts";
import { formatExamples, query, run } from "../../terminal/frame.ts";
import { addOptions, collect, groupOptions } from "../../terminal/options.ts";
import { listEvents } from "./operation.ts";

const makeEventArgument = () => new Argument("<event>", "its title or id; a prefix of the id is enough");
const makeTargetsArgument = () =>
  new Argument(
    "<ids...>",
    "sessions, checkpoints or commits, of any project; prefixes of their ids are enough",
  );

/** `pm event`: options and help; the code is loaded when it runs. */
export function declareEvent(program: Command): void {
  const event = program
    .command("event")
    .description("Group sessions and checkpoints under a name")
    .addHelpText(
      "after",
      formatExamples(
        ["pm event", "events and suggestions"],
        ['pm event create "auth rewrite" --branch feat/auth', "everything on a branch"],
        ["pm event show auth", "one event"],
        ["pm search sessions --event auth refresh", "search in one event"],
      ),
    );

  const list = event
    .command("list", { isDefault: true })
    .description("List events and suggested events")
    .argument("[query...]", "words in its title, description, branch or session titles");
  addOptions(list, listEvents, { query: null })
    .option("--suggested", "list only suggestions, and all of them")
    .addOption(
      new Option("--all-projects", "of all Pommel projects on this machine (`pm projects`)").conflicts(
        "suggested",
      ),
    )
    .addHelpText(
      "after",
      formatExamples(
        ["pm event list auth", "events about auth"],
        ["pm event list --status archived", "archived events"],
        ["pm event list --suggested --json", "for scripts"],
        ["pm event list --all-projects", "everywhere"],
      ),
    )
    .action(
      query(async () => (await import("./pm-event.ts")).eventListCommand, {
        unless: ({ allProjects }) => allProjects === true,
      }),
    );

  event
    .command("show")
    .description("Show an event: its sessions, checkpoints, and who wrote its lines")
    .addArgument(makeEventArgument())
    .addHelpText(
      "after",
      formatExamples(["pm event show 3f2a", "by its id"], ['pm event show "auth rewrite"', "or its title"]),
    )
    .action(query(async () => (await import("./pm-event.ts")).eventShowCommand));

  const create = event
    .command("create")
    .description("Create an event")
    .argument("[title...]", "its title (with --from-branch: taken from the branch name)")
    .addOption(
      new Option(
        "--type <type>",
        "the kind of event (default: task, or temporal with --since or --until)",
      ).choices(eventTypes),
    )
    .option("-d, --description <text>", "a longer description")
    .option("--branch <name>", "adds everything on this branch automatically while the event is active")
    .option("--from-branch <name>", "like --branch, with a title from the branch name")
    .option("--since <time>", 'for a period: everything since this time: "2026-01-31", "last week"')
    .option("--until <time>", "for a period: everything until this time")
    .option("--session <id>", "a session to add; repeatable", collect)
    .option("--checkpoint <id>", "a checkpoint or commit to add; repeatable", collect);
  groupOptions(create, {
    "What it contains": ["branch", "from-branch", "since", "until", "session", "checkpoint"],
  });
  create
    .addHelpText(
      "after",
      formatExamples(
        ['pm event create "auth rewrite" --session 8ecde0fc', "from past sessions"],
        ["pm event create --from-branch feat/auth-rewrite", "from a branch"],
        ['pm event create "March sprint" --since 2026-03-01 --until 2026-03-31', "from a period"],
        ['pm event create "v2.0" --type milestone --checkpoint HEAD', "from a commit"],
      ),
    )
    .action(run(async () => (await import("./pm-event.ts")).eventCreateCommand, { startsDaemon: true }));

  event
    .command("link")
    .description("Add sessions and checkpoints to an event")
    .addArgument(makeEventArgument())
    .addArgument(makeTargetsArgument())
    .addHelpText("after", formatExamples(["pm event link auth 8ecde0fc 4f1d2c3", "a session and a commit"]))
    .action(run(async () => (await import("./pm-event.ts")).eventLinkCommand, { startsDaemon: true }));

  event
    .command("unlink")
    .description("Remove sessions and checkpoints from an event")
    .addArgument(makeEventArgument())
    .addArgument(makeTargetsArgument())
    .addHelpText(
      "after",
      formatExamples([
        "pm event unlink auth 8ecde0fc",
        "removes the session, even if it came in through the event's branch",
      ]),
    )
    .action(run(async () => (await import("./pm-event.ts")).eventUnlinkCommand, { startsDaemon: true }));

  event
    .command("close")
    .description("Close an event: nothing is added from now on")
    .addArgument(makeEventArgument())
    .option("--archive", "also archive it, so that lists hide it")
    .addOption(new Option("--reopen", "make it active again").conflicts("archive"))
    .addHelpText(
      "after",
      formatExamples(
        ["pm event close auth", "frozen"],
        ["pm event close auth --archive", "archived"],
        ["pm event close auth --reopen", "active again"],
      ),
    )
    .action(run(async () => (await import("./pm-event.ts")).eventCloseCommand, { startsDaemon: true }));
}
