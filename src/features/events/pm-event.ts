import { doneLine, faint, line, makeDocument, title } from "../../answers/document.ts";
import { PommelError } from "../../base/errors.ts";
import { call } from "../../client/call.ts";
import { findProject, findProjectIfAny } from "../../git/projects/find-project.ts";
import { shortenSessionId } from "../../protocol/reading/short-id.ts";
import { listThings } from "../../protocol/reading/things.ts";
import type { CommandContext } from "../../terminal/frame.ts";
import { noteLeftOut } from "../../terminal/left-out.ts";
import { renderDocument, showAnswer } from "../../terminal/render-document.ts";
import { formatCount, toHomeRelative } from "../../terminal/text.ts";
import type { CreateEventRequest, EventsRequest } from "./operation.ts";
import { closeEvent, createEvent, eventsEverywhere, linkEvent, listEvents, showEvent } from "./operation.ts";
import {
  noEvents,
  noMatchingEvents,
  wordEvent,
  wordEventFacts,
  wordEvents,
  wordSuggestions,
} from "./words.ts";

/** Suggestions below a list. */
const fewSuggestions = 5;

interface EventListOptions extends EventsRequest {
  suggested?: boolean;
  allProjects?: boolean;
}

/** `pm event list`. */
export async function eventListCommand(
  { cwd, output }: Pick<CommandContext, "cwd" | "output">,
  words: string[],
  { suggested = false, allProjects = false, ...options }: EventListOptions,
): Promise<void> {
  if (allProjects) return listAcross({ cwd, output }, { ...options, query: words.join(" ") });
  const found = await call(
    listEvents,
    {
      ...options,
      query: words.join(" "),
    },
    await findProject(cwd),
  );
  // Whoever looks for something has no use for what it is not.
  const isAll = words.length === 0 && Object.keys(options).length === 0;
  const suggestions = suggested ? found.suggestions : isAll ? found.suggestions.slice(0, fewSuggestions) : [];
  const events = suggested ? [] : found.events;
  output.result({ events, suggestions }, () => {
    const none = isAll ? noEvents : noMatchingEvents;
    const archived = `${formatCount(found.archived, "archived event")} (--status archived)`;
    return renderDocument(
      makeDocument(
        !suggested && [events.length === 0 ? line(none) : wordEvents(events)],
        !suggested && found.archived > 0 && [line(faint(archived))],
        suggestions.length > 0 && wordSuggestions(suggestions),
        suggested && suggestions.length === 0 && [line("Every branch with sessions has an event.")],
      ),
      { screen: output },
    );
  });
}

/** `pm event list --all-projects`: works anywhere. */
async function listAcross(
  { cwd, output }: Pick<CommandContext, "cwd" | "output">,
  options: EventsRequest,
): Promise<void> {
  const here = (await findProjectIfAny(cwd))?.root;
  const answer = await call(eventsEverywhere, { ...options, here }, null);
  noteLeftOut(answer, output);
  output.result(answer, () => {
    const { events } = answer;
    if (events.length === 0) return noMatchingEvents;
    const projects = [...new Set(events.map(({ project }) => project))];
    return renderDocument(
      projects.map((project) => [
        title(toHomeRelative(project)),
        wordEvents(events.filter((event) => event.project === project)),
      ]),
      { screen: output },
    );
  });
}

/** `pm event show <event>`. */
export async function eventShowCommand({ cwd, output }: CommandContext, name: string): Promise<void> {
  const details = await call(showEvent, { event: name }, await findProject(cwd));
  output.result(details, () => renderDocument(wordEvent(details, toHomeRelative), { screen: output }));
}

interface CreateOptions {
  type?: CreateEventRequest["type"];
  description?: string;
  branch?: string;
  fromBranch?: string;
  since?: string;
  until?: string;
  session?: string[];
  checkpoint?: string[];
}

/** `pm event create [title]`. */
export async function eventCreateCommand(
  { cwd, output }: CommandContext,
  words: string[],
  options: CreateOptions,
): Promise<void> {
  const project = await findProject(cwd);
  const { branch, fromBranch, since, until, session = [], checkpoint = [] } = options;
  if (branch !== undefined && fromBranch !== undefined && branch !== fromBranch) {
    throw new PommelError("usage", "An event is about one branch.", "Give --branch or --from-branch.");
  }
  const title = words.join(" ").trim();
  if (title === "" && fromBranch === undefined) {
    throw new PommelError("usage", "The event has no title.", 'Write `pm event create "what it is about"`.');
  }
  const { description, type } = options;
  const about = { title, description, type, branch: fromBranch ?? branch, since, until };
  const { event } = await call(
    createEvent,
    { ...about, sessions: session, checkpoints: checkpoint },
    project,
  );
  showAnswer(output, event, () => [
    [
      doneLine(
        `Event ${shortenSessionId(event.id)}: `,
        { text: event.title, quotedChars: 80 },
        " (",
        ...wordEventFacts(event),
        ")",
      ),
    ],
  ]);
}

/** `pm event close <event>`. */
export async function eventCloseCommand(
  { cwd, output }: CommandContext,
  name: string,
  { archive = false, reopen = false }: { archive?: boolean; reopen?: boolean },
): Promise<void> {
  const wanted = reopen ? "active" : archive ? "archived" : "frozen";
  const { event, before } = await call(closeEvent, { event: name, status: wanted }, await findProject(cwd));
  const state = { active: "is active again", frozen: "is frozen", archived: "is archived" }[wanted];
  const said = before === wanted ? `is ${wanted} already` : state;
  showAnswer(output, { event, before }, () => [
    [doneLine({ text: event.title, quotedChars: 80 }, ` ${said}.`)],
  ]);
}

/** `pm event link <event> <ids...>`. */
export function eventLinkCommand(context: CommandContext, name: string, targets: string[]): Promise<void> {
  return changeEventLinks(context, "link", name, targets);
}

/** `pm event unlink <event> <ids...>`. */
export function eventUnlinkCommand(context: CommandContext, name: string, targets: string[]): Promise<void> {
  return changeEventLinks(context, "unlink", name, targets);
}

async function changeEventLinks(
  { cwd, output }: CommandContext,
  how: "link" | "unlink",
  name: string,
  targets: string[],
): Promise<void> {
  const asked = { event: name, [how === "link" ? "add" : "remove"]: targets };
  const changed = await call(linkEvent, asked, await findProject(cwd));
  const count = (kind: string) =>
    new Set(changed.targets.filter((one) => one.kind === kind).map(({ id }) => id)).size;
  const what = listThings({ sessions: count("session"), checkpoints: count("checkpoint") }).join(" and ");
  const did = how === "link" ? `Linked with ${what}: ` : `Removed ${what}: `;
  showAnswer(output, changed, () => [[doneLine(did, { text: changed.event.title, quotedChars: 80 })]]);
}
