import { PommelError } from "../../base/errors.ts";
import { call } from "../../client/call.ts";
import { findProject, findProjectIfAny } from "../../git/projects/find-project.ts";
import type { CommandContext } from "../../terminal/frame.ts";
import { formatPassage } from "../../terminal/markdown.ts";
import { formatMark, type Screen } from "../../terminal/output.ts";
import { type Column, formatTable } from "../../terminal/table.ts";
import {
  formatCount,
  formatHeading,
  formatLocalTime,
  formatWhen,
  shortenId,
  toHomeRelative,
  toOneLine,
  toPrintable,
} from "../../terminal/text.ts";
import type {
  CreateEventRequest,
  EventAnswer,
  EventsRequest,
  EventView,
  ListedEvent,
  SuggestedView,
} from "./operation.ts";
import { closeEvent, createEvent, eventsEverywhere, linkEvent, listEvents, showEvent } from "./operation.ts";

/** How events are shown. */

/** "task, frozen | feat/auth | 2026-03-01 to 2026-03-31" */
function formatEventFacts({ type, status, branch, starts_at, ends_at }: EventView): string {
  return [
    status === "active" ? type : `${type}, ${status}`,
    branch === null ? "" : toOneLine(branch, 60),
    formatDays(starts_at, ends_at),
  ]
    .filter((part) => part !== "")
    .join(" | ");
}

/** Two times as days: "2026-03-01 to 2026-03-31", "from 2026-03-01", "until 2026-03-31". */
function formatDays(from: string | null, to: string | null): string {
  const [first, last] = [from, to].map((time) => (time === null ? null : formatLocalTime(time).slice(0, 10)));
  if (first && last) return first === last ? first : `${first} to ${last}`;
  return first ? `from ${first}` : last ? `until ${last}` : "";
}

/** Suggestions below a list. */
const fewSuggestions = 5;

interface ListOptions extends EventsRequest {
  suggested?: boolean;
  allProjects?: boolean;
}

/** `pm event list`. */
export async function eventListCommand(
  { cwd, output }: Pick<CommandContext, "cwd" | "output">,
  words: string[],
  { suggested = false, allProjects = false, ...options }: ListOptions,
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
    const { colors } = output;
    const parts = suggested ? [] : [renderEvents(events, isAll, output)];
    if (!suggested && found.archived > 0) {
      parts.push(colors.dim(`${formatCount(found.archived, "archived event")} (--status archived)`));
    }
    if (suggestions.length > 0) parts.push(renderSuggestions(suggestions, output));
    else if (suggested) parts.push("Every branch with sessions has an event.");
    return parts.join("\n\n");
  });
}

/** `pm event list --all-projects`: works anywhere. */
async function listAcross(
  { cwd, output }: Pick<CommandContext, "cwd" | "output">,
  options: EventsRequest,
): Promise<void> {
  const { noteLeftOut } = await import("../search/pm/across.ts");
  const here = (await findProjectIfAny(cwd))?.root;
  const answer = await call(eventsEverywhere, { ...options, here }, null);
  noteLeftOut(answer, output);
  output.result(answer, () => {
    if (answer.events.length === 0) return "No events.";
    const groups = [...new Set(answer.events.map(({ project }) => project))].map((project) => {
      const own = answer.events.filter((event) => event.project === project);
      return `${output.colors.bold(toHomeRelative(project))}\n${renderEvents(own, true, output)}`;
    });
    return groups.join("\n\n");
  });
}

const columns: Column[] = [
  { title: "event" },
  { title: "title", wraps: true },
  { title: "kind", optional: 2 },
  { title: "branch", optional: 1, wraps: true },
  { title: "days" },
  { title: "sessions", isNumber: true },
  { title: "checkpoints", isNumber: true, optional: 3 },
];

function renderEvents(events: readonly ListedEvent[], isAll: boolean, screen: Screen): string {
  if (events.length === 0) {
    return isAll ? 'No events. `pm event create "what it is about"` creates one.' : "No matching events.";
  }
  const { colors } = screen;
  const rows = events.map(
    ({ id, title, description, type, status, branch, starts_at, ends_at, ...counts }) => [
      colors.id(shortenId(id)),
      colors.bold(toOneLine(title)) + (description === "" ? "" : ` ${colors.dim(toOneLine(description))}`),
      status === "active" ? type : `${type}, ${status}`,
      colors.dim(toOneLine(branch ?? "")),
      formatDays(starts_at, ends_at),
      `${counts.sessions}`,
      `${counts.checkpoints}`,
    ],
  );
  return formatTable(columns, rows, screen);
}

const suggestionColumns: Column[] = [
  { title: "title", wraps: true },
  { title: "sessions", isNumber: true },
  { title: "checkpoints", isNumber: true, optional: 2 },
  { title: "until", optional: 1 },
  { title: "to create it", wraps: true },
];

function renderSuggestions(suggestions: readonly SuggestedView[], screen: Screen): string {
  const rows = suggestions.map(({ title, sessions, checkpoints, last_at, accept }) => [
    toOneLine(title),
    `${sessions}`,
    `${checkpoints}`,
    formatDays(null, last_at).replace(/^until /, ""),
    screen.colors.hint(toPrintable(accept)),
  ]);
  return `${screen.colors.bold("Suggested events:")}\n${formatTable(suggestionColumns, rows, screen)}`;
}

/** `pm event show <event>`. */
export async function eventShowCommand({ cwd, output }: CommandContext, name: string): Promise<void> {
  const details = await call(showEvent, { event: name }, await findProject(cwd));
  output.result(details, () => renderEvent(details, output));
}

/** An event for a person: what it is, and what belongs to it. */
function renderEvent(details: EventAnswer, screen: Screen): string {
  const { colors } = screen;
  const { event, from, to, sessions, checkpoints } = details;
  const span = formatDays(from, to);
  const parts = [
    [
      formatHeading(toOneLine(event.title), colors),
      `${formatEventFacts(event)}${span === "" ? "" : ` | happened ${span}`}  ${colors.dim(event.id)}`,
      ...(event.description === "" ? [] : ["", ...formatPassage(event.description, screen)]),
    ].join("\n"),
  ];
  if (sessions.length > 0) parts.push(renderSessions(details, screen));
  if (checkpoints.length > 0) parts.push(renderCheckpoints(details, screen));
  if (sessions.length + checkpoints.length === 0) {
    parts.push("It is empty; `pm event link` adds sessions and checkpoints.");
  }
  const lines = formatLinesByAgent(details);
  if (lines !== null) parts.push(lines);
  return parts.join("\n\n");
}

function renderSessions({ sessions }: EventAnswer, screen: Screen): string {
  const { colors } = screen;
  const columns: Column[] = [
    { title: "session" },
    { title: "active" },
    { title: "turns", isNumber: true },
    { title: "title", wraps: true },
    { title: "commits", wraps: true, optional: 1 },
  ];
  const rows = sessions.map((session) => [
    colors.id(shortenId(session.id)),
    formatWhen(session.last_at, screen),
    session.is_known ? `${session.turns}` : "",
    (session.is_known ? toOneLine(session.title ?? "(no title)") : "(not on this machine)") +
      formatOtherProject(session, screen),
    colors.commit(session.commits.map((hash) => hash.slice(0, 7)).join(" ")),
  ]);
  return `${colors.bold(formatCount(sessions.length, "session"))}\n${formatTable(columns, rows, screen)}`;
}

/** Where it is of another project. */
const formatOtherProject = ({ project }: { project: string | null }, { colors }: Screen): string =>
  project === null ? "" : ` ${colors.dim(`(${toHomeRelative(project)})`)}`;

function renderCheckpoints({ checkpoints }: EventAnswer, screen: Screen): string {
  const { colors } = screen;
  const columns: Column[] = [
    { title: "checkpoint" },
    { title: "committed" },
    { title: "subject", wraps: true },
  ];
  const rows = checkpoints.map((checkpoint) => [
    colors.commit(checkpoint.id),
    formatWhen(checkpoint.committed_at, screen),
    toOneLine(checkpoint.subject ?? "(not on this machine)") + formatOtherProject(checkpoint, screen),
  ]);
  return `${colors.bold(formatCount(checkpoints.length, "checkpoint"))}\n${formatTable(columns, rows, screen)}`;
}

/** "Lines in its commits: claude 120, people 30, unknown 2" */
function formatLinesByAgent({ lines }: EventAnswer): string | null {
  if (lines === null) return null;
  const parts = [
    ...Object.entries(lines.agents),
    ["people", lines.human] as const,
    ["unknown", lines.unknown] as const,
  ]
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${toOneLine(name, 40)} ${count.toLocaleString("en")}`);
  return parts.length === 0 ? null : `Lines in its commits: ${parts.join(", ")}`;
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
  output.result(
    event,
    `${formatMark("ok", output.colors)} Event ${shortenId(event.id)}: ${toOneLine(event.title, 80)} (${formatEventFacts(event)})`,
  );
}

/** `pm event close <event>`. */
export async function eventCloseCommand(
  { cwd, output }: CommandContext,
  name: string,
  { archive = false, reopen = false }: { archive?: boolean; reopen?: boolean },
): Promise<void> {
  const wanted = reopen ? "active" : archive ? "archived" : "frozen";
  const { event, before } = await call(closeEvent, { event: name, status: wanted }, await findProject(cwd));
  const title = toOneLine(event.title, 80);
  const linked =
    before === wanted
      ? `${title} is ${wanted} already.`
      : {
          active: `${title} is active again.`,
          frozen: `${title} is frozen.`,
          archived: `${title} is archived.`,
        }[wanted];
  output.result({ event, before }, `${formatMark("ok", output.colors)} ${linked}`);
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
  const what = [
    count("session") > 0 ? formatCount(count("session"), "session") : "",
    count("checkpoint") > 0 ? formatCount(count("checkpoint"), "checkpoint") : "",
  ].filter((part) => part !== "");
  const linked = how === "link" ? `Linked with ${what.join(" and ")}:` : `Removed ${what.join(" and ")}:`;
  output.result(
    changed,
    `${formatMark("ok", output.colors)} ${linked} ${toOneLine(changed.event.title, 80)}`,
  );
}
