import * as z from "zod/mini";
import { defineOperation } from "../../answers/operation.ts";
import { asked, inProject, where } from "../../protocol/everywhere.ts";
import {
  count,
  described,
  field,
  label,
  lazy,
  outside,
  type Shaped,
  strings,
  text,
  textOrNull,
  time,
  timeOrNull,
} from "../../protocol/shape-parts.ts";
import { eventStatuses, eventTypes } from "../../protocol/values.ts";

export const eventsRequest = lazy(() =>
  z.object({
    query: field("words in its title, description, branch or session titles", text),
    status: field("only this status (default: all but archived)", z.enum([...eventStatuses, "all"])),
    type: field("only this type", z.enum(eventTypes)),
  }),
);

export type EventsRequest = Shaped<typeof eventsRequest>;

const eventView = lazy(() =>
  z.object({
    id: text,
    title: text,
    description: text,
    type: z.enum(eventTypes),
    status: z.enum(eventStatuses),
    branch: textOrNull,
    starts_at: timeOrNull,
    ends_at: timeOrNull,
    created_at: time,
    updated_at: time,
  }),
);

export type EventView = Shaped<typeof eventView>;

export const listedEvent = lazy(() => z.extend(eventView(), { sessions: count, checkpoints: count }));

export type ListedEvent = Shaped<typeof listedEvent>;

const suggestedView = lazy(() =>
  z.object({
    branch: text,
    title: text,
    sessions: count,
    checkpoints: count,
    last_at: timeOrNull,
    /** The command that makes an event of it. */
    accept: text,
  }),
);

export type SuggestedView = Shaped<typeof suggestedView>;

export const eventsAnswer = lazy(() =>
  z.object({
    events: z.array(listedEvent()),
    /** Number of archived events that are left out. */
    archived: count,
    suggestions: z.array(suggestedView()),
  }),
);

export type EventsAnswer = Shaped<typeof eventsAnswer>;

const eventNamed = described("its title or id; a prefix of the id is enough", text);

export const createEventRequest = lazy(() =>
  z.object({
    title: field("its title (default: taken from the branch's name)", label("title")),
    description: field("a longer description", text),
    type: field("the kind of event (default: task, or temporal with since or until)", z.enum(eventTypes)),
    branch: field("adds everything on this branch while the event is active", outside("branch")),
    since: field('for a period: everything since this time: "2026-01-31", "last week"', text),
    until: field("for a period: everything until this time", text),
    sessions: field("sessions to add", strings),
    checkpoints: field("checkpoints or commits to add", strings),
  }),
);

export type CreateEventRequest = Shaped<typeof createEventRequest>;

export const linkEventRequest = lazy(() =>
  z.object({
    event: eventNamed,
    add: field("sessions, checkpoints or commits to add", strings),
    remove: field("sessions and checkpoints to remove", strings),
  }),
);

export const closeEventRequest = lazy(() =>
  z.object({ event: eventNamed, status: described("its new status", z.enum(eventStatuses)) }),
);

export const createdEvent = lazy(() => z.object({ event: eventView() }));

/** `targets`: all that was named. */
export const linkedEvent = lazy(() =>
  z.object({
    event: eventView(),
    targets: z.array(z.object({ kind: z.enum(["session", "checkpoint"]), id: text })),
  }),
);

/** `before`: its status until now. */
export const closedEvent = lazy(() => z.object({ event: eventView(), before: z.enum(eventStatuses) }));

/** An id, the beginning of one, or a title. */
export const eventRequest = lazy(() => z.object({ event: eventNamed }));

/** How something belongs to an event: by a link, by its branch, or by its time. */
const because = z.enum(["link", "branch", "time"]);

export const eventAnswer = lazy(() =>
  z.object({
    event: eventView(),
    /** Range of its items in time; null if there are none, or no time is known. */
    from: timeOrNull,
    to: timeOrNull,
    sessions: z.array(
      z.object({
        id: text,
        /** The root of the other project that it is of; null: of this one. */
        project: textOrNull,
        /** False: it belongs to another machine, or was pruned by age; there are no details here. */
        is_known: z.boolean(),
        title: textOrNull,
        agent: textOrNull,
        branch: textOrNull,
        started_at: timeOrNull,
        last_at: timeOrNull,
        turns: count,
        /** Hashes of the commits that it led to, the latest first. */
        commits: strings,
        because,
      }),
    ),
    checkpoints: z.array(
      z.object({
        id: text,
        project: textOrNull,
        is_known: z.boolean(),
        commit: textOrNull,
        subject: textOrNull,
        branch: textOrNull,
        committed_at: timeOrNull,
        sessions: strings,
        because,
      }),
    ),
    /** Lines that its commits added, by author; null without commits. */
    lines: z.nullable(z.object({ agents: z.record(z.string(), count), human: count, unknown: count })),
  }),
);

export type EventAnswer = Shaped<typeof eventAnswer>;

export const listEvents = defineOperation({
  name: "events",
  path: "GET /events",
  summary: "List events: named groups of sessions and checkpoints",
  of: "memory",
  request: eventsRequest,
  response: eventsAnswer,
  answer:
    async () =>
    async ({ memory }, request) =>
      (await import("./events.ts")).listEvents(memory, request),
});

export const showEvent = defineOperation({
  name: "event",
  path: "GET /events/:event",
  summary: "Show an event with its sessions and checkpoints",
  of: "project",
  request: eventRequest,
  response: eventAnswer,
  answer:
    async () =>
    async ({ project }, { event }) =>
      (await import("./events.ts")).showEvent(project, event),
});

export const createEvent = defineOperation({
  name: "createEvent",
  path: "POST /event/create",
  summary: "Create an event",
  of: "project",
  changes: true,
  audited: true,
  request: createEventRequest,
  response: createdEvent,
  answer:
    async () =>
    async ({ project }, request) =>
      (await import("./events.ts")).addEvent(project, request),
});

export const linkEvent = defineOperation({
  name: "linkEvent",
  path: "POST /event/link",
  summary: "Add sessions and checkpoints to an event, or remove them",
  of: "project",
  changes: true,
  audited: true,
  request: linkEventRequest,
  response: linkedEvent,
  answer:
    async () =>
    async ({ project }, request) =>
      (await import("./events.ts")).changeLinks(project, request),
});

export const closeEvent = defineOperation({
  name: "closeEvent",
  path: "POST /event/close",
  summary: "Close, archive or reopen an event",
  of: "project",
  changes: true,
  audited: true,
  request: closeEventRequest,
  response: closedEvent,
  answer:
    async () =>
    async ({ project }, { event, status }) =>
      (await import("./events.ts")).closeEvent(project, event, status),
});

export const eventsEverywhereRequest = lazy(() => z.extend(eventsRequest(), where));

export const eventsEverywhereResponse = lazy(() =>
  z.object({ events: z.array(z.extend(listedEvent(), inProject)), archived: count, ...asked }),
);

export const eventsEverywhere = defineOperation({
  name: "eventsEverywhere",
  path: "GET /everywhere/events",
  summary: "List events of all projects",
  of: "machine",
  request: eventsEverywhereRequest,
  response: eventsEverywhereResponse,
  answer: async () => async (_, request) => (await import("./everywhere.ts")).listEventsEverywhere(request),
});
