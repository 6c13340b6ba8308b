import { existsSync } from "node:fs";
import { changeMemory } from "../../answers/changing.ts";
import { listProjects } from "../../answers/known-projects.ts";
import { withMemory, withMemoryIfAny } from "../../answers/open.ts";
import { getErrorCode } from "../../base/errors.ts";
import type { Project } from "../../base/paths.ts";
import { formatIsoTime } from "../../base/text/iso-time.ts";
import { parsePeriod } from "../../base/text/parse-period.ts";
import { quoteForShell } from "../../base/text/shell.ts";
import { findCommitHash } from "../../git/history/history.ts";
import { certain } from "../../protocol/reading/evidence.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import { type SuggestedEvent, suggestEvents } from "../../sessions/events/branch-title.ts";
import {
  changeEventStatus,
  createEvent,
  type EventTarget,
  findTarget,
  linkTargets,
  unlinkTargets,
} from "../../sessions/events/change-event.ts";
import type { ScrubbingWork } from "../../sessions/work.ts";
import { countLinesOfCommits, type LinesByAuthor } from "../../store/memory/commits/attributions.ts";
import { findCheckpointByUid, readCheckpointsOfSessions } from "../../store/memory/commits/checkpoints.ts";
import { listRewrites } from "../../store/memory/commits/commits.ts";
import {
  findEvent,
  findEventMembers,
  isLinked,
  listEventLinks,
  readEvents,
} from "../../store/memory/events.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { EventLink, EventRecord } from "../../store/memory/memory-records.ts";
import { findSessionByUid, readSessionCounts } from "../../store/memory/sessions/sessions.ts";
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
    starts_at: formatIsoTime(startsAt),
    ends_at: formatIsoTime(endsAt),
    created_at: formatIsoTime(createdAt)!,
    updated_at: formatIsoTime(updatedAt)!,
  };
}

type Members = Pick<EventAnswer, "sessions" | "checkpoints">;

/**
 * An event with what this memory knows of its members.
 * @throws PommelError `not_found`; `usage` when several could be meant
 */
function readEvent(memory: Memory, name: string): EventAnswer {
  return memory.readInSnapshot(() => {
    const event = findEvent(memory, name);
    const members = findEventMembers(memory, event.uid);
    const held = listEventLinks(memory, event.uid).filter(isLinked);
    const because = (kind: EventLink["kind"], uid: string): EventAnswer["sessions"][number]["because"] =>
      held.some((link) => link.kind === kind && link.targetUid === uid)
        ? "link"
        : event.branch !== null
          ? "branch"
          : "time";
    const found: Members = {
      sessions: members.sessions.map((uid) => ({
        ...toSessionView(memory, uid),
        because: because("session", uid),
      })),
      checkpoints: members.checkpoints.map((uid) => ({
        ...toCheckpointView(memory, uid),
        because: because("checkpoint", uid),
      })),
    };
    return { event: describeEvent(event), ...sumMembers(found), lines: countLines(memory, found, null) };
  });
}

/** The latest first, with the time that they span. */
function sumMembers({ sessions, checkpoints }: Members): Omit<EventAnswer, "event" | "lines"> {
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
  const all = new Set(commits);
  // An amended commit and what took its place have the same lines.
  const current = [...all].filter((hash) => !listRewrites(memory, hash).some((later) => all.has(later)));
  const lines = countLinesOfCommits(memory, current);
  if (others === null) return lines;
  const agents = { ...others.agents };
  for (const [agent, count] of Object.entries(lines.agents)) agents[agent] = (agents[agent] ?? 0) + count;
  return { agents, human: others.human + lines.human, unknown: others.unknown + lines.unknown };
}

function toSessionView(memory: Memory, uid: string): Omit<EventAnswer["sessions"][number], "because"> {
  const session = findSessionByUid(memory, uid);
  const ledTo = readCheckpointsOfSessions(memory, [uid]).get(uid) ?? [];
  return {
    id: uid,
    project: null,
    is_known: session !== null,
    title: session?.title ?? null,
    agent: session?.agent ?? null,
    branch: session?.branch ?? null,
    started_at: formatIsoTime(session?.startedAt ?? null),
    last_at: formatIsoTime(session?.lastAt ?? null),
    turns: session ? (readSessionCounts(memory, [session.id]).get(session.id)?.turns ?? 0) : 0,
    commits: ledTo
      .filter(({ checkpoint: { sessions } }) =>
        sessions.some(({ sessionUid, confidence }) => sessionUid === uid && confidence >= certain),
      )
      .map(({ checkpoint }) => checkpoint.commit.hash),
  };
}

function toCheckpointView(memory: Memory, uid: string): Omit<EventAnswer["checkpoints"][number], "because"> {
  const checkpoint = findCheckpointByUid(memory, uid);
  return {
    // Of one that is elsewhere only this is known.
    id: checkpoint?.id ?? uid,
    project: null,
    is_known: checkpoint !== null,
    commit: checkpoint?.commit.hash ?? null,
    subject: checkpoint?.commit.subject ?? null,
    branch: checkpoint?.commit.branch ?? null,
    committed_at: formatIsoTime(checkpoint?.commit.committedAt ?? null),
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
async function findTargetsElsewhere(
  project: Project,
  names: readonly string[],
  kind: EventLink["kind"] | null,
): Promise<Map<string, EventTarget>> {
  const found = new Map<string, EventTarget>();
  if (names.length === 0) return found;
  await readOthers(project, (memory) => {
    for (const name of names) {
      const target = found.get(name) ?? findTargetOrNull(memory, name, kind);
      if (target !== null) found.set(name, target);
    }
    return found.size === new Set(names).size;
  });
  return found;
}

/** null where the memory has none, and where the name could mean several. */
function findTargetOrNull(memory: Memory, name: string, kind: EventLink["kind"] | null): EventTarget | null {
  try {
    return findTarget(memory, name, kind);
  } catch (error) {
    if (getErrorCode(error) === "not_found" || getErrorCode(error) === "usage") return null;
    throw error;
  }
}

/**
 * An event with all that it holds, in whichever project it was recorded.
 * @throws PommelError `not_found`; `usage` when several could be meant
 */
export async function showEvent(project: Project, name: string): Promise<EventAnswer> {
  const answer = await withMemory(project, (memory) => readEvent(memory, name));
  let { sessions, checkpoints, lines } = answer;
  const isMissing = () => [...sessions, ...checkpoints].some(({ is_known }) => !is_known);
  if (!isMissing()) return answer;
  await readOthers(project, (memory, root) => {
    const found: Pick<EventAnswer, "sessions" | "checkpoints"> = { sessions: [], checkpoints: [] };
    sessions = sessions.map((one) => {
      const view = one.is_known ? null : toSessionView(memory, one.id);
      if (!view?.is_known) return one;
      const session = { ...one, ...view, project: root };
      found.sessions.push(session);
      return session;
    });
    checkpoints = checkpoints.map((one) => {
      const view = one.is_known ? null : toCheckpointView(memory, one.id);
      if (!view?.is_known) return one;
      const checkpoint = { ...one, ...view, project: root };
      found.checkpoints.push(checkpoint);
      return checkpoint;
    });
    lines = countLines(memory, found, lines);
    return !isMissing();
  });
  return { event: answer.event, ...sumMembers({ sessions, checkpoints }), lines };
}

/** Events, with how much belongs to each, and what else there could be events of. */
export function listEvents(memory: Memory, { query, status, type }: EventsRequest): EventsAnswer {
  return memory.readInSnapshot(() => {
    const found = readEvents(memory, { query: query ?? null, type: type ?? null });
    const isWanted = (event: EventRecord) =>
      status === undefined ? event.status !== "archived" : status === "all" || event.status === status;
    return {
      events: found.filter(isWanted).map((event) => {
        const { sessions, checkpoints } = findEventMembers(memory, event.uid);
        return { ...describeEvent(event), sessions: sessions.length, checkpoints: checkpoints.length };
      }),
      archived: status === undefined ? found.filter((event) => event.status === "archived").length : 0,
      suggestions: suggestEvents(memory).map(toSuggestionView),
    };
  });
}

function toSuggestionView({ lastAt, ...suggested }: SuggestedEvent): SuggestedView {
  const { branch } = suggested;
  // As a shell reads it as one word.
  const quoted = /^[\w./@+-]+$/.test(branch) ? branch : quoteForShell(branch);
  return {
    ...suggested,
    last_at: lastAt === 0 ? null : formatIsoTime(lastAt),
    accept: `pm event create --from-branch ${quoted}`,
  };
}

/** Makes an event in the project's memory. Errors as `createEvent` and `findTarget`. */
export async function addEvent(
  project: Project,
  { title = "", branch, description, type, ...asked }: CreateEventRequest,
): Promise<{ event: EventView }> {
  const { since, until, sessions = [], checkpoints = [] } = asked;
  const ofSessions = await makeTargetFinder(project, sessions, "session");
  const ofCheckpoints = await makeTargetFinder(project, checkpoints, "checkpoint");
  const period = await parsePeriod({ since, until });
  const event = {
    title: title.trim() || null,
    branch: branch ?? null,
    ...(description !== undefined && { description }),
    ...(type !== undefined && { type }),
    startsAt: period.since,
    endsAt: period.until,
  };
  const add = (work: ScrubbingWork) => {
    const targets = [
      ...sessions.map((name) => ofSessions(work.memory, name)),
      ...checkpoints.map((name) => ofCheckpoints(work.memory, name)),
    ];
    return { event: describeEvent(createEvent(work, { ...event, targets })) };
  };
  return changeMemory(project, add, { create: true });
}

/** Links an event with sessions and checkpoints, and takes others out of it. */
export async function changeLinks(
  project: Project,
  { event: name, add = [], remove = [] }: Shaped<typeof linkEventRequest>,
): Promise<Shaped<typeof linkedEvent>> {
  const targetOf = await makeTargetFinder(project, [...add, ...remove], null);
  return changeMemory(project, ({ memory }) => {
    const event = findEvent(memory, name);
    const [added, removed] = [add, remove].map((names) =>
      names.map((target) => targetOf(memory, target)),
    ) as [EventTarget[], EventTarget[]];
    linkTargets(memory, event, added);
    unlinkTargets(memory, event, removed);
    const targets = [...added, ...removed].map(({ kind, targetUid }) => ({
      kind,
      id: kind === "checkpoint" ? toCheckpointView(memory, targetUid).id : targetUid,
    }));
    return { event: describeEvent(event), targets };
  });
}

/**
 * What finds the targets that `names` mean: by their ids or hashes here, by what git calls them, and in other projects. It
 * throws as `findTarget`.
 */
async function makeTargetFinder(
  project: Project,
  names: readonly string[],
  kind: EventLink["kind"] | null,
): Promise<(memory: Memory, name: string) => EventTarget> {
  const commits = new Map<string, string>();
  for (const name of kind === "session" ? [] : new Set(names)) {
    const hash = await findCommitHash(project.root, name);
    if (hash !== null) commits.set(name, hash);
  }
  const missing = await withMemoryIfAny(project, (memory) =>
    names.filter(
      (name) => !commits.has(name) && (memory === null || findTargetOrNull(memory, name, kind) === null),
    ),
  );
  const elsewhere = await findTargetsElsewhere(project, missing, kind);
  return (memory, name) => {
    try {
      return findTarget(memory, name, kind);
    } catch (error) {
      if (getErrorCode(error) !== "not_found") throw error;
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
  return changeMemory(project, ({ memory }) => {
    const event = findEvent(memory, name);
    return { event: describeEvent(changeEventStatus(memory, event, status)), before: event.status };
  });
}
