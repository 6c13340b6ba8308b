import { commitNamed } from "../../git/history/history.ts";
import { codeOf } from "../../project/errors.ts";
import type { Project } from "../../project/paths.ts";
import type {
  CreateEventRequest,
  EventsAnswer,
  EventsRequest,
  EventView,
  SuggestedView,
} from "../../protocol/operations/events.ts";
import type { RequestOf, ResponseOf } from "../../protocol/routes.ts";
import { changeStatus, createEvent, linkTargets, unlinkTargets } from "../../sessions/events/change-event.ts";
import { type SuggestedEvent, suggestEvents } from "../../sessions/events/suggest.ts";
import { type EventTarget, findTarget } from "../../sessions/events/targets.ts";
import type { ScrubbingWork } from "../../sessions/work.ts";
import { eventsOf, findEvent, membersOf } from "../../store/memory/events.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { EventLink, EventRecord } from "../../store/memory/memory-records.ts";
import { parseWhen } from "../../text/dates.ts";
import { shellQuoted } from "../../text/shell.ts";
import { changing } from "../changing.ts";
import { withMemoryIfAny } from "../open.ts";
import { isoTime } from "../status/status.ts";
import { targetIn, targetsElsewhere } from "./elsewhere.ts";
import { checkpointView, viewOf } from "./members.ts";

/** Events, with how much belongs to each, and what else there could be events of. */
export function listEvents(memory: Memory, { query, status, type }: EventsRequest): EventsAnswer {
  return memory.inSnapshot(() => {
    const found = eventsOf(memory, { query: query ?? null, type: type ?? null });
    const isWanted = (event: EventRecord) =>
      status === undefined ? event.status !== "archived" : status === "all" || event.status === status;
    return {
      events: found.filter(isWanted).map((event) => {
        const { sessions, checkpoints } = membersOf(memory, event.uid);
        return { ...viewOf(event), sessions: sessions.length, checkpoints: checkpoints.length };
      }),
      archived: status === undefined ? found.filter((event) => event.status === "archived").length : 0,
      suggestions: suggestEvents(memory).map(suggestionView),
    };
  });
}

function suggestionView({ lastAt, ...suggested }: SuggestedEvent): SuggestedView {
  const { branch } = suggested;
  // As a shell reads it as one word.
  const quoted = /^[\w./@+-]+$/.test(branch) ? branch : shellQuoted(branch);
  return {
    ...suggested,
    last_at: lastAt === 0 ? null : isoTime(lastAt),
    accept: `pm event create --from-branch ${quoted}`,
  };
}

/** Makes an event in the project's memory. Errors as `createEvent` and `findTarget`. */
export async function addEvent(
  project: Project,
  { title = "", branch, description, type, ...asked }: CreateEventRequest,
): Promise<{ event: EventView }> {
  const { since, until, sessions = [], checkpoints = [] } = asked;
  const ofSessions = await named(project, sessions, "session");
  const ofCheckpoints = await named(project, checkpoints, "checkpoint");
  const event = {
    ...{ title: title.trim() || null, branch: branch ?? null },
    ...(description !== undefined && { description }),
    ...(type !== undefined && { type }),
    startsAt: since === undefined ? null : await parseWhen(since, "since"),
    endsAt: until === undefined ? null : await parseWhen(until, "until"),
  };
  const add = (work: ScrubbingWork) => {
    const targets = [
      ...sessions.map((name) => ofSessions(work.memory, name)),
      ...checkpoints.map((name) => ofCheckpoints(work.memory, name)),
    ];
    return { event: viewOf(createEvent(work, { ...event, targets })) };
  };
  return changing(project, add, { create: true });
}

/** Links an event with sessions and checkpoints, and takes others out of it. */
export async function changeLinks(
  project: Project,
  { event: name, add = [], remove = [] }: RequestOf<"linkEvent">,
): Promise<ResponseOf<"linkEvent">> {
  const targetOf = await named(project, [...add, ...remove], null);
  return changing(project, ({ memory }) => {
    const event = findEvent(memory, name);
    const [added, removed] = [add, remove].map((names) =>
      names.map((target) => targetOf(memory, target)),
    ) as [EventTarget[], EventTarget[]];
    linkTargets(memory, event, added);
    unlinkTargets(memory, event, removed);
    const targets = [...added, ...removed].map(({ kind, targetUid }) => ({
      kind,
      id: kind === "checkpoint" ? checkpointView(memory, targetUid).id : targetUid,
    }));
    return { event: viewOf(event), targets };
  });
}

/**
 * What finds the targets that `names` mean: by their ids or hashes here, by what git calls them, and in other projects. It
 * throws as `findTarget`.
 */
async function named(
  project: Project,
  names: readonly string[],
  kind: EventLink["kind"] | null,
): Promise<(memory: Memory, name: string) => EventTarget> {
  const commits = new Map<string, string>();
  for (const name of kind === "session" ? [] : new Set(names)) {
    const hash = await commitNamed(project.root, name);
    if (hash !== null) commits.set(name, hash);
  }
  const missing = await withMemoryIfAny(project, (memory) =>
    names.filter((name) => !commits.has(name) && (memory === null || targetIn(memory, name, kind) === null)),
  );
  const elsewhere = await targetsElsewhere(project, missing, kind);
  return (memory, name) => {
    try {
      return findTarget(memory, name, kind);
    } catch (error) {
      if (codeOf(error) !== "not_found") throw error;
      const other = elsewhere.get(name);
      if (other !== undefined) return other;
      const hash = commits.get(name);
      if (hash === undefined) throw error;
      return findTarget(memory, hash, "checkpoint");
    }
  };
}

/** @returns the event as it is now, and what it was before */
export function closeEvent(
  project: Project,
  name: string,
  status: EventRecord["status"],
): Promise<{ event: EventView; before: EventRecord["status"] }> {
  return changing(project, ({ memory }) => {
    const event = findEvent(memory, name);
    return { event: viewOf(changeStatus(memory, event, status)), before: event.status };
  });
}
