import type { FileChange } from "../../git/history/file-changes.ts";
import type { Config } from "../../project/config/settings.ts";
import type { SessionAnswer, SessionQuery } from "../../search/sessions/types.ts";
import { shortId } from "../../sessions/short-id.ts";
import type { LedTo } from "../../store/memory/commits/commits-of-turns.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { sessionById, sessionByUid } from "../../store/memory/sessions/sessions.ts";
import type { Injection } from "./quote.ts";

/** Git's view of a file, where the agent works. */
export interface FileHistory {
  /** What the latest commits did to it, the latest first. */
  changes(file: string): Promise<readonly FileChange[]>;
  /** What the last commit has; null: not tracked. */
  committed(file: string): Promise<string | null>;
}

/** Where automatic context comes from. */
export interface ContextSource {
  /** The project's root, which paths of files are relative to. */
  root: string;
  /** Roots of its other worktrees. */
  worktrees: readonly string[];
  memory: Memory;
  config: Config;
  search: (query: SessionQuery) => Promise<SessionAnswer>;
  /** The locations of code that a prompt names; none without an index of code. */
  namedCode: (prompt: string) => Promise<Injection[]>;
  /** The session that the one that asks was forked from, where the memory does not know yet. */
  origin?: string | null;
  /** What the agent goes on with after its compaction; null: not known. */
  summary?: () => Promise<string | null>;
  /** The branch that the agent works on; null: none, or not known. */
  branch: () => Promise<string | null>;
  /** Left out: without git. */
  history?: FileHistory;
  /** What reverted a commit; null: nothing, or git does not say so in time. Left out: without git. */
  revertOf?: (commit: LedTo) => Promise<string | null>;
  now: number;
  /** Nothing later is injected; null: no limit. */
  until: number | null;
}

/** Sessions whose text the agent already has: its own and the one it was forked from; their subagents' as well. */
export function sightOf(
  { memory, origin: unknownYet = null }: Pick<ContextSource, "memory" | "origin">,
  sessionUid: string,
): string[] {
  const seen = new Set<string>();
  for (let uid: string | null = sessionUid; uid !== null && !seen.has(uid); ) {
    seen.add(uid);
    const session = sessionByUid(memory, uid);
    const origin = session?.forkedFrom ?? session?.parentId ?? null;
    if (origin !== null) uid = sessionById(memory, origin)?.uid ?? null;
    else uid = uid === sessionUid ? unknownYet : null;
  }
  return [...seen];
}

/** Whether an agent already has a session's text. */
export function inSight(
  source: Pick<ContextSource, "memory" | "origin">,
  sessionUid: string,
): (uid: string) => boolean {
  const seen = sightOf(source, sessionUid);
  return (uid) => seen.some((one) => uid === one || uid.startsWith(`${one}/`));
}

/** "session 1a2b3c4d turn 5, shared by ann, 2026-01-31, branch main". Ids as commands and tools take them. */
export function placeOf({
  session,
  turn = null,
  author = null,
  at,
  branch = null,
}: {
  session: string | null;
  turn?: number | null;
  /** The colleague who shared it. */
  author?: string | null;
  at: number | null;
  branch?: string | null;
}): string {
  const parts = [
    session === null ? "" : `session ${shortId(session)}${turn === null ? "" : ` turn ${turn}`}`,
    author === null ? "" : `shared by ${author}`,
    at === null ? "" : new Date(at).toISOString().slice(0, 10),
    branch === null ? "" : `branch ${branch}`,
  ];
  return parts.filter((part) => part !== "").join(", ");
}
