import picomatch from "picomatch";
import {
  type ChunkFilter,
  listEveryTouchedFile,
  type TurnOfSession,
} from "../../store/memory/chunks/chunk-filter.ts";
import { findCheckpoint, findCheckpointByUid } from "../../store/memory/commits/checkpoints.ts";
import { findEvent, findEventMembers } from "../../store/memory/events.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { Binding } from "../../store/memory/memory-records.ts";
import { buildSearchableFilter } from "../../store/memory/privacy/secrets.ts";
import { findSession, findSessionByUid, listSessions } from "../../store/memory/sessions/sessions.ts";
import type { SessionQuery } from "./types.ts";

/**
 * The chunks that a question is limited to.
 * @throws PommelError `not_found` for an unknown session, checkpoint or event, `usage` for an ambiguous one
 */
export function buildChunkFilter(memory: Memory, query: Omit<SessionQuery, "query" | "mode">): ChunkFilter {
  const { since, until, branch, agent, author, shared, types, kinds, files, session, commit, event } = query;
  const searchable = buildSearchableFilter(memory);
  const left = (query.leaves ?? []).flatMap((uid) => {
    const known = findSessionByUid(memory, uid);
    return known === null ? [] : withAgents(memory, known.id);
  });
  return {
    ...searchable,
    ...(left.length > 0 && { withheld: [...(searchable.withheld ?? []), ...left] }),
    since,
    until,
    branch,
    agent,
    author,
    shared,
    types: types.length > 0 ? types : null,
    kinds: kinds.length > 0 ? kinds : null,
    files: files.length > 0 ? findFilesMatching(memory, files) : null,
    sessionIds: session === null ? null : withAgents(memory, findSession(memory, session).id),
    turns: intersectTurns(
      commit === null ? null : listBoundTurns(memory, findCheckpoint(memory, commit).sessions),
      event === null ? null : listTurnsOfEvent(memory, findEvent(memory, event).uid),
    ),
  };
}

/** Turns that led to a commit; sessions that are not stored have none. */
function listBoundTurns(memory: Memory, bindings: readonly Binding[]): TurnOfSession[] {
  return bindings.flatMap(({ sessionUid, turns }) => {
    const session = findSessionByUid(memory, sessionUid);
    return session ? turns.map((turn) => ({ sessionId: session.id, turn })) : [];
  });
}

/** All of an event's sessions, with their subagents', and the turns that led to its checkpoints. */
function listTurnsOfEvent(memory: Memory, uid: string): TurnOfSession[] {
  const { sessions, checkpoints } = findEventMembers(memory, uid);
  const whole = sessions.flatMap((session) => {
    const known = findSessionByUid(memory, session);
    return known ? withAgents(memory, known.id).map((sessionId) => ({ sessionId, turn: null })) : [];
  });
  const bound = checkpoints.flatMap((checkpoint) =>
    listBoundTurns(memory, findCheckpointByUid(memory, checkpoint)?.sessions ?? []),
  );
  return [...whole, ...bound];
}

/** The intersection of two limits; null limits nothing. */
function intersectTurns(
  turns: readonly TurnOfSession[] | null,
  others: readonly TurnOfSession[] | null,
): readonly TurnOfSession[] | null {
  if (turns === null || others === null) return turns ?? others;
  return turns.filter(({ sessionId, turn }) =>
    others.some((other) => other.sessionId === sessionId && (other.turn === null || other.turn === turn)),
  );
}

/** A session and those of its subagents. */
function withAgents(memory: Memory, id: number): number[] {
  return [id, ...listSessions(memory, { children: id }).map((child) => child.id)];
}

/** Of all files ever touched, those that a path, a directory or a glob names. */
function findFilesMatching(memory: Memory, wanted: readonly string[]): string[] {
  const tests = wanted.map(createPathMatcher);
  return listEveryTouchedFile(memory).filter((path) => tests.some((test) => test(path)));
}

function createPathMatcher(wanted: string): (path: string) => boolean {
  const plain = wanted.replace(/^(\.\/)+/, "").replace(/\/+$/, "");
  // All of the project; other files are stored with their absolute path.
  if (plain === "" || plain === ".") return (path) => !path.startsWith("/");
  // A bare name matches that file in any directory.
  const globs = plain.includes("/") ? [plain, `${plain}/**`] : [plain, `${plain}/**`, `**/${plain}`];
  const isMatch = picomatch(globs, { dot: true });
  // A path may contain characters with a meaning in globs: app/[id]/page.tsx.
  return (path) => path === plain || path.startsWith(`${plain}/`) || isMatch(path);
}
