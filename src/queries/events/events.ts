import { commitNamed } from "../../git/history/history.ts";
import { codeOf } from "../../project/errors.ts";
import type { Project } from "../../project/paths.ts";
import type {
  CreateEventRequest,
  EventAnswer,
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
import { linesOfCommits } from "../../store/memory/commits/attributions.ts";
import { checkpointByUid, checkpointsOfSessions } from "../../store/memory/commits/checkpoints.ts";
import { eventsOf, findEvent, isLinked, linksOf, membersOf } from "../../store/memory/events.ts";
import type { CheckpointRecord, EventLink, EventRecord } from "../../store/memory/git-records.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { countsOfSessions, sessionByUid } from "../../store/memory/sessions/sessions.ts";
import { parseWhen } from "../../text/dates.ts";
import { shellQuoted } from "../../text/shell.ts";
import { changing } from "../changing.ts";
import { isoTime } from "../status/status.ts";

/** The commands about events. The keys are the JSON's keys; times are ISO 8601. */

function viewOf(event: EventRecord): EventView {
  const { uid, title, description, type, status, branch, startsAt, endsAt, createdAt, updatedAt } = event;
  return {
    id: uid,
    title,
    description,
    type,
    status,
    branch,
    starts_at: isoTime(startsAt),
    ends_at: isoTime(endsAt),
    created_at: isoTime(createdAt)!,
    updated_at: isoTime(updatedAt)!,
  };
}

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

/**
 * An event with all that belongs to it, the latest first.
 * @throws PommelError `not_found`; `usage` when several could be meant
 */
export function showEvent(memory: Memory, name: string): EventAnswer {
  return memory.inSnapshot(() => {
    const event = findEvent(memory, name);
    const members = membersOf(memory, event.uid);
    const held = linksOf(memory, event.uid).filter(isLinked);
    const becauseOf = (kind: EventLink["kind"], uid: string): EventAnswer["sessions"][number]["because"] =>
      held.some((link) => link.kind === kind && link.targetUid === uid)
        ? "link"
        : event.branch !== null
          ? "branch"
          : "time";
    const ledTo = checkpointsOfSessions(memory, members.sessions);
    const sessions = members.sessions.map((uid) => ({
      ...sessionView(memory, uid, ledTo.get(uid)?.map(({ checkpoint }) => checkpoint) ?? []),
      because: becauseOf("session", uid),
    }));
    const checkpoints = members.checkpoints.map((uid) => ({
      ...checkpointView(uid, checkpointByUid(memory, uid)),
      because: becauseOf("checkpoint", uid),
    }));
    const times = [
      ...sessions.flatMap(({ started_at, last_at }) => [started_at, last_at]),
      ...checkpoints.map(({ committed_at }) => committed_at),
    ]
      .filter((time) => time !== null)
      .sort();
    const commits = [
      ...checkpoints.flatMap(({ commit }) => commit ?? []),
      ...sessions.flatMap(({ commits: own }) => own),
    ];
    return {
      event: viewOf(event),
      from: times[0] ?? null,
      to: times.at(-1) ?? null,
      sessions: sessions.sort((a, b) => (b.last_at ?? "").localeCompare(a.last_at ?? "")),
      checkpoints: checkpoints.sort((a, b) => (b.committed_at ?? "").localeCompare(a.committed_at ?? "")),
      lines: commits.length === 0 ? null : linesOfCommits(memory, [...new Set(commits)]),
    };
  });
}

function sessionView(memory: Memory, uid: string, ledTo: readonly CheckpointRecord[]) {
  const session = sessionByUid(memory, uid);
  return {
    id: uid,
    is_known: session !== null,
    title: session?.title ?? null,
    agent: session?.agent ?? null,
    branch: session?.branch ?? null,
    started_at: isoTime(session?.startedAt ?? null),
    last_at: isoTime(session?.lastAt ?? null),
    turns: session ? (countsOfSessions(memory, [session.id]).get(session.id)?.turns ?? 0) : 0,
    commits: ledTo.map(({ commit }) => commit.hash),
  };
}

function checkpointView(uid: string, checkpoint: CheckpointRecord | null) {
  return {
    id: uid,
    is_known: checkpoint !== null,
    commit: checkpoint?.commit.hash ?? null,
    subject: checkpoint?.commit.subject ?? null,
    branch: checkpoint?.commit.branch ?? null,
    committed_at: isoTime(checkpoint?.commit.committedAt ?? null),
    sessions: checkpoint?.sessions.map(({ sessionUid }) => sessionUid) ?? [],
  };
}

/** Makes an event in the project's memory. Errors as `createEvent` and `findTarget`. */
export async function addEvent(
  project: Project,
  { title = "", branch, description, type, ...asked }: CreateEventRequest,
): Promise<{ event: EventView }> {
  const { since, until, sessions = [], checkpoints = [] } = asked;
  const commits = await commitsNamed(project, checkpoints);
  const event = {
    ...{ title: title.trim() || null, branch: branch ?? null },
    ...(description !== undefined && { description }),
    ...(type !== undefined && { type }),
    startsAt: since === undefined ? null : await parseWhen(since, "since"),
    endsAt: until === undefined ? null : await parseWhen(until, "until"),
  };
  const add = (work: ScrubbingWork) => {
    const targets = [
      ...sessions.map((name) => findTarget(work.memory, name, "session")),
      ...checkpoints.map((name) => targetNamed(work.memory, name, commits, "checkpoint")),
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
  const commits = await commitsNamed(project, [...add, ...remove]);
  return changing(project, ({ memory }) => {
    const event = findEvent(memory, name);
    const [added, removed] = [add, remove].map((names) =>
      names.map((target) => targetNamed(memory, target, commits)),
    ) as [EventTarget[], EventTarget[]];
    linkTargets(memory, event, added);
    unlinkTargets(memory, event, removed);
    const targets = [...added, ...removed].map(({ kind, targetUid }) => ({ kind, id: targetUid }));
    return { event: viewOf(event), targets };
  });
}

/** What git makes of names of commits (HEAD, a tag, a branch), by name; those that it does not know are missing. */
async function commitsNamed({ root }: Project, names: readonly string[]): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const name of new Set(names)) {
    const hash = await commitNamed(root, name);
    if (hash !== null) found.set(name, hash);
  }
  return found;
}

/** Its id or hash, else what git calls so. Errors as `findTarget`. */
function targetNamed(
  memory: Memory,
  name: string,
  commits: ReadonlyMap<string, string>,
  kind: EventLink["kind"] | null = null,
): EventTarget {
  try {
    return findTarget(memory, name, kind);
  } catch (error) {
    const hash = commits.get(name);
    if (hash === undefined || codeOf(error) !== "not_found") throw error;
    return findTarget(memory, hash, "checkpoint");
  }
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
