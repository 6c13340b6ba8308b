import { existsSync } from "node:fs";
import { changing } from "../../answers/changing.ts";
import { listProjects } from "../../answers/known-projects.ts";
import { withMemory, withMemoryIfAny } from "../../answers/open.ts";
import { codeOf } from "../../base/errors.ts";
import type { Project } from "../../base/paths.ts";
import { parseWhen } from "../../base/text/dates.ts";
import { isoTime } from "../../base/text/iso-time.ts";
import { shellQuoted } from "../../base/text/shell.ts";
import { commitNamed } from "../../git/history/history.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import { type SuggestedEvent, suggestEvents } from "../../sessions/events/branch-title.ts";
import {
  changeStatus,
  createEvent,
  type EventTarget,
  findTarget,
  linkTargets,
  unlinkTargets,
} from "../../sessions/events/change-event.ts";
import type { ScrubbingWork } from "../../sessions/work.ts";
import { type LinesByAuthor, linesOfCommits } from "../../store/memory/commits/attributions.ts";
import { checkpointByUid, checkpointsOfSessions } from "../../store/memory/commits/checkpoints.ts";
import { eventsOf, findEvent, isLinked, linksOf, membersOf } from "../../store/memory/events.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { EventLink, EventRecord } from "../../store/memory/memory-records.ts";
import { countsOfSessions, sessionByUid } from "../../store/memory/sessions/sessions.ts";
import type {
  CreateEventRequest,
  EventAnswer,
  EventsAnswer,
  EventsRequest,
  EventView,
  linkEventRequest,
  linkedEvent,
  SuggestedView,
} from "./operation.ts";

/** The keys are the JSON's keys; times are ISO 8601. */
function describeEvent(event: EventRecord): EventView {
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

type Members = Pick<EventAnswer, "sessions" | "checkpoints">;

/**
 * An event with what this memory knows of its members.
 * @throws PommelError `not_found`; `usage` when several could be meant
 */
function eventIn(memory: Memory, name: string): EventAnswer {
  return memory.inSnapshot(() => {
    const event = findEvent(memory, name);
    const members = membersOf(memory, event.uid);
    const held = linksOf(memory, event.uid).filter(isLinked);
    const because = (kind: EventLink["kind"], uid: string): EventAnswer["sessions"][number]["because"] =>
      held.some((link) => link.kind === kind && link.targetUid === uid)
        ? "link"
        : event.branch !== null
          ? "branch"
          : "time";
    const found: Members = {
      sessions: members.sessions.map((uid) => ({
        ...sessionView(memory, uid),
        because: because("session", uid),
      })),
      checkpoints: members.checkpoints.map((uid) => ({
        ...checkpointView(memory, uid),
        because: because("checkpoint", uid),
      })),
    };
    return { event: describeEvent(event), ...summed(found), lines: countLines(memory, found, null) };
  });
}

/** The latest first, with the time that they span. */
function summed({ sessions, checkpoints }: Members): Omit<EventAnswer, "event" | "lines"> {
  const times = [
    ...sessions.flatMap(({ started_at, last_at }) => [started_at, last_at]),
    ...checkpoints.map(({ committed_at }) => committed_at),
  ]
    .filter((time) => time !== null)
    .sort();
  return {
    from: times[0] ?? null,
    to: times.at(-1) ?? null,
    sessions: sessions.toSorted((a, b) => (b.last_at ?? "").localeCompare(a.last_at ?? "")),
    checkpoints: checkpoints.toSorted((a, b) => (b.committed_at ?? "").localeCompare(a.committed_at ?? "")),
  };
}

/** The lines of their commits that this memory knows, with those of other memories. */
function countLines(
  memory: Memory,
  { sessions, checkpoints }: Members,
  others: LinesByAuthor | null,
): LinesByAuthor | null {
  const commits = [
    ...checkpoints.flatMap(({ commit }) => commit ?? []),
    ...sessions.flatMap(({ commits: own }) => own),
  ];
  if (commits.length === 0) return others;
  const lines = linesOfCommits(memory, [...new Set(commits)]);
  if (others === null) return lines;
  const agents = { ...others.agents };
  for (const [agent, count] of Object.entries(lines.agents)) agents[agent] = (agents[agent] ?? 0) + count;
  return { agents, human: others.human + lines.human, unknown: others.unknown + lines.unknown };
}

function sessionView(memory: Memory, uid: string): Omit<EventAnswer["sessions"][number], "because"> {
  const session = sessionByUid(memory, uid);
  const ledTo = checkpointsOfSessions(memory, [uid]).get(uid) ?? [];
  return {
    id: uid,
    project: null,
    is_known: session !== null,
    title: session?.title ?? null,
    agent: session?.agent ?? null,
    branch: session?.branch ?? null,
    started_at: isoTime(session?.startedAt ?? null),
    last_at: isoTime(session?.lastAt ?? null),
    turns: session ? (countsOfSessions(memory, [session.id]).get(session.id)?.turns ?? 0) : 0,
    commits: ledTo.map(({ checkpoint }) => checkpoint.commit.hash),
  };
}

function checkpointView(memory: Memory, uid: string): Omit<EventAnswer["checkpoints"][number], "because"> {
  const checkpoint = checkpointByUid(memory, uid);
  return {
    // Of one that is elsewhere only this is known.
    id: checkpoint?.id ?? uid,
    project: null,
    is_known: checkpoint !== null,
    commit: checkpoint?.commit.hash ?? null,
    subject: checkpoint?.commit.subject ?? null,
    branch: checkpoint?.commit.branch ?? null,
    committed_at: isoTime(checkpoint?.commit.committedAt ?? null),
    sessions: checkpoint?.sessions.map(({ sessionUid }) => sessionUid) ?? [],
  };
}

/** What events hold of other projects: their memories are read one after the other, until nothing is missing. */

async function readOthers(project: Project, read: (memory: Memory, root: string) => boolean): Promise<void> {
  for (const { id, project: other } of listProjects()) {
    if (id === project.id || !existsSync(other.memoryDb)) continue;
    // One that cannot be read is as good as one without it.
    const isDone = await withMemory(other, (memory) => read(memory, other.root)).catch(() => false);
    if (isDone) return;
  }
}

/**
 * The sessions and checkpoints of other projects that names mean, by name. Those that none has, and that several things of
 * one project could mean, are missing.
 */
async function targetsElsewhere(
  project: Project,
  names: readonly string[],
  kind: EventLink["kind"] | null,
): Promise<Map<string, EventTarget>> {
  const found = new Map<string, EventTarget>();
  if (names.length === 0) return found;
  await readOthers(project, (memory) => {
    for (const name of names) {
      const target = found.get(name) ?? targetIn(memory, name, kind);
      if (target !== null) found.set(name, target);
    }
    return found.size === new Set(names).size;
  });
  return found;
}

/** null where the memory has none, and where the name could mean several. */
function targetIn(memory: Memory, name: string, kind: EventLink["kind"] | null): EventTarget | null {
  try {
    return findTarget(memory, name, kind);
  } catch (error) {
    if (codeOf(error) === "not_found" || codeOf(error) === "usage") return null;
    throw error;
  }
}

/**
 * An event with all that it holds, in whichever project it was recorded.
 * @throws PommelError `not_found`; `usage` when several could be meant
 */
export async function showEvent(project: Project, name: string): Promise<EventAnswer> {
  const answer = await withMemory(project, (memory) => eventIn(memory, name));
  let { sessions, checkpoints, lines } = answer;
  const isMissing = () => [...sessions, ...checkpoints].some(({ is_known }) => !is_known);
  if (!isMissing()) return answer;
  await readOthers(project, (memory, root) => {
    const found: Pick<EventAnswer, "sessions" | "checkpoints"> = { sessions: [], checkpoints: [] };
    sessions = sessions.map((one) => {
      const view = one.is_known ? null : sessionView(memory, one.id);
      if (!view?.is_known) return one;
      const session = { ...one, ...view, project: root };
      found.sessions.push(session);
      return session;
    });
    checkpoints = checkpoints.map((one) => {
      const view = one.is_known ? null : checkpointView(memory, one.id);
      if (!view?.is_known) return one;
      const checkpoint = { ...one, ...view, project: root };
      found.checkpoints.push(checkpoint);
      return checkpoint;
    });
    lines = countLines(memory, found, lines);
    return !isMissing();
  });
  return { event: answer.event, ...summed({ sessions, checkpoints }), lines };
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
        return { ...describeEvent(event), sessions: sessions.length, checkpoints: checkpoints.length };
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
    return { event: describeEvent(createEvent(work, { ...event, targets })) };
  };
  return changing(project, add, { create: true });
}

/** Links an event with sessions and checkpoints, and takes others out of it. */
export async function changeLinks(
  project: Project,
  { event: name, add = [], remove = [] }: Shaped<typeof linkEventRequest>,
): Promise<Shaped<typeof linkedEvent>> {
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
    return { event: describeEvent(event), targets };
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
    return { event: describeEvent(changeStatus(memory, event, status)), before: event.status };
  });
}
