import picomatch from "picomatch";
import { allChunks, type ChunkFilter, touchedFiles } from "../../store/memory/chunk-filter.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { findSession, listSessions } from "../../store/memory/sessions.ts";
import type { SessionQuery } from "./types.ts";

/**
 * The chunks that a question is limited to.
 * @throws PommelError `not_found` for a session that is not remembered, `usage` for one that several could be
 */
export function filterOf(memory: Memory, query: Omit<SessionQuery, "query" | "mode">): ChunkFilter {
  const { since, until, branch, agent, types, kinds, files, session } = query;
  return {
    ...allChunks,
    since,
    until,
    branch,
    agent,
    types: types.length > 0 ? types : null,
    kinds: kinds.length > 0 ? kinds : null,
    files: files.length > 0 ? filesMatching(memory, files) : null,
    sessionIds: session === null ? null : withAgents(memory, findSession(memory, session).id),
  };
}

/** A session and those of its subagents. */
function withAgents(memory: Memory, id: number): number[] {
  return [id, ...listSessions(memory, { children: id }).map((child) => child.id)];
}

/** Of all files ever touched, those that a path, a directory or a glob names. */
function filesMatching(memory: Memory, wanted: readonly string[]): string[] {
  const globs = wanted.flatMap((path) => {
    const plain = path.replace(/^(\.\/)+/, "").replace(/\/+$/, "");
    // A bare name is that file wherever it lies.
    return plain.includes("/") ? [plain, `${plain}/**`] : [plain, `${plain}/**`, `**/${plain}`];
  });
  const matches = picomatch(globs, { dot: true });
  return touchedFiles(memory).filter((path) => matches(path));
}
