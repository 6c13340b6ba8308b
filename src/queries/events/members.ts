import type { EventAnswer, EventView } from "../../protocol/operations/events.ts";
import { type LinesByAuthor, linesOfCommits } from "../../store/memory/commits/attributions.ts";
import { checkpointByUid, checkpointsOfSessions } from "../../store/memory/commits/checkpoints.ts";
import { findEvent, isLinked, linksOf, membersOf } from "../../store/memory/events.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { EventLink, EventRecord } from "../../store/memory/memory-records.ts";
import { countsOfSessions, sessionByUid } from "../../store/memory/sessions/sessions.ts";
import { isoTime } from "../status/status.ts";

/** The keys are the JSON's keys; times are ISO 8601. */
export function viewOf(event: EventRecord): EventView {
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
export function eventIn(memory: Memory, name: string): EventAnswer {
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
    return { event: viewOf(event), ...summed(found), lines: linesOf(memory, found, null) };
  });
}

/** The latest first, with the time that they span. */
export function summed({ sessions, checkpoints }: Members): Omit<EventAnswer, "event" | "lines"> {
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
export function linesOf(
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

export function sessionView(memory: Memory, uid: string): Omit<EventAnswer["sessions"][number], "because"> {
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

export function checkpointView(
  memory: Memory,
  uid: string,
): Omit<EventAnswer["checkpoints"][number], "because"> {
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
