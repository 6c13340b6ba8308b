import { saveAttributions } from "../../src/store/memory/commits/attributions.ts";
import { saveCheckpoint } from "../../src/store/memory/commits/checkpoints.ts";
import { saveCommit } from "../../src/store/memory/commits/commits.ts";
import type { Memory } from "../../src/store/memory/memory.ts";
import type {
  AttributionRecord,
  Binding,
  CommitFileRecord,
  CommitRecord,
} from "../../src/store/memory/memory-records.ts";

/** For tests: commits and checkpoints as if recorded. */

export function addCommit(
  memory: Memory,
  hash: string,
  more: Partial<CommitRecord> = {},
  files: readonly CommitFileRecord[] = [],
): CommitRecord {
  const commit = {
    hash,
    tree: `t${hash}`,
    parents: [],
    branch: "main",
    author: "Ann",
    authoredAt: 1000,
    committedAt: 1000,
    subject: `Commit ${hash}`,
    patchId: null,
    rewrittenFrom: [],
    insertions: 1,
    deletions: 0,
    seen: "hook" as const,
    attributed: 1,
    ...more,
  };
  return saveCommit(memory, commit, files);
}

export const binding = (sessionUid: string, turns: number[], lines = turns.length): Binding => ({
  sessionUid,
  turns,
  lines,
  how: "lines",
  confidence: 1,
});

/** A commit with a checkpoint `uid`; each bound turn wrote as many lines as its session wrote of it on average. */
export function addCheckpoint(
  memory: Memory,
  uid: string,
  hash: string,
  sessions: readonly Binding[],
  {
    parentUid = null,
    agentState = {},
    ...more
  }: Partial<CommitRecord> & { parentUid?: string | null; agentState?: Record<string, unknown> } = {},
): CommitRecord {
  const commit = addCommit(memory, hash, more);
  let line = 1;
  const ranges = sessions.flatMap(({ sessionUid, turns, lines }) =>
    turns.map((turn) => {
      const firstLine = line;
      line += lines / turns.length;
      return range("a.ts", firstLine, line - 1, { sessionUid, turn, toolUse: `toolu_${turn}` });
    }),
  );
  saveAttributions(memory, commit.id, ranges);
  saveCheckpoint(memory, {
    uid,
    commitId: commit.id,
    parentUid,
    agentState,
    createdAt: commit.committedAt,
    sessions: [...sessions],
  });
  return commit;
}

/** Lines of an agent, unless `more` says otherwise. */
export const range = (
  path: string,
  firstLine: number,
  lastLine: number,
  more: Partial<AttributionRecord> = {},
): AttributionRecord => ({
  path,
  firstLine,
  lastLine,
  author: "agent",
  sessionUid: null,
  turn: null,
  toolUse: null,
  model: null,
  confidence: 1,
  how: "edit",
  basis: null,
  ...more,
});

/** Lines of `a.ts` that the first turn of a session wrote; of nobody where it is null. */
export const linesOfSession = (
  sessionUid: string | null,
  firstLine: number,
  lastLine: number,
  more: Partial<AttributionRecord> = {},
): AttributionRecord => {
  const by = sessionUid === null ? ({ author: "unknown" } as const) : { sessionUid, turn: 1 };
  return range("a.ts", firstLine, lastLine, { ...by, ...more });
};
