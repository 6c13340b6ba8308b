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
  const tests = wanted.map(matcherOf);
  return touchedFiles(memory).filter((path) => tests.some((test) => test(path)));
}

function matcherOf(wanted: string): (path: string) => boolean {
  const plain = wanted.replace(/^(\.\/)+/, "").replace(/\/+$/, "");
  // All of the project; other files are stored with their absolute path.
  if (plain === "" || plain === ".") return (path) => !path.startsWith("/");
  // A bare name is that file wherever it lies.
  const globs = plain.includes("/") ? [plain, `${plain}/**`] : [plain, `${plain}/**`, `**/${plain}`];
  const isMatch = picomatch(globs, { dot: true });
  // A path may hold what means something else in a glob: app/[id]/page.tsx.
  return (path) => path === plain || path.startsWith(`${plain}/`) || isMatch(path);
}
