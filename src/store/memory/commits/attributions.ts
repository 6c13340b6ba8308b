import type { AttributionRecord } from "../git-records.ts";
import type { Memory } from "../memory.ts";

/**
 * Replaces the record of who wrote the lines of a commit. Lines of a forgotten session only stay an agent's.
 */
export function saveAttributions(
  memory: Memory,
  commitId: number,
  records: readonly AttributionRecord[],
): void {
  memory.inTransaction(() => {
    memory.prepare("DELETE FROM attributions WHERE commit_id = ?").run(commitId);
    const insert = memory.prepare(
      `INSERT INTO attributions (commit_id, path, first_line, last_line, author, session_uid, turn, tool_use, model,
         confidence, how, basis)
       VALUES (@commitId, @path, @firstLine, @lastLine, @author, @sessionUid, @turn, @toolUse, @model, @confidence,
         @how, @basis) ON CONFLICT DO NOTHING`,
    );
    const forgotten = forgottenSessions(
      memory,
      records.map(({ sessionUid }) => sessionUid),
    );
    for (const record of records) {
      const isForgotten = record.sessionUid !== null && forgotten.has(record.sessionUid);
      insert.run({
        ...record,
        basis: record.basis ?? null,
        commitId,
        ...(isForgotten && { sessionUid: null, turn: null, toolUse: null }),
      });
    }
  });
}

/** The forgotten ones among sessions: they must not be named again. */
export function forgottenSessions(memory: Memory, uids: readonly (string | null)[]): Set<string> {
  const named = [...new Set(uids.filter((uid) => uid !== null))];
  if (named.length === 0) return new Set();
  const found = memory.prepare("SELECT uid FROM forgotten WHERE uid IN (SELECT value FROM json_each(?))");
  return new Set(found.pluck().all(JSON.stringify(named)) as string[]);
}

/** Who wrote the lines of a commit, by path and line. */
export function attributionsOf(
  memory: Memory,
  commitId: number,
  path: string | null = null,
): AttributionRecord[] {
  return memory
    .prepare(
      `SELECT path, first_line AS firstLine, last_line AS lastLine, author, session_uid AS sessionUid, turn,
         tool_use AS toolUse, model, confidence, how, basis
       FROM attributions WHERE commit_id = @commitId AND (@path IS NULL OR path = @path)
       ORDER BY path, first_line`,
    )
    .all({ commitId, path }) as AttributionRecord[];
}

/** Lines that a commit added, by author. */
export function linesByAuthor(memory: Memory, commitId: number): Record<AttributionRecord["author"], number> {
  const lines = { agent: 0, human: 0, unknown: 0 };
  const rows = memory
    .prepare(
      `SELECT author, sum(last_line - first_line + 1) AS n FROM attributions WHERE commit_id = ? GROUP BY author`,
    )
    .all(commitId) as { author: keyof typeof lines; n: number }[];
  for (const { author, n } of rows) lines[author] = n;
  return lines;
}

export interface LinesByAuthor {
  /** By the agent's name; those of sessions that are unknown here or have no agent name, as "agent". */
  agents: Record<string, number>;
  human: number;
  unknown: number;
}

/** Lines that commits added, by who wrote them; commits are named by their hashes. */
export function linesOfCommits(memory: Memory, hashes: readonly string[]): LinesByAuthor {
  const rows = memory
    .prepare(
      `SELECT attributions.author, coalesce(agent, 'agent') AS agent, sum(last_line - first_line + 1) AS lines
       FROM attributions JOIN commits ON commits.id = commit_id LEFT JOIN sessions ON sessions.uid = session_uid
       WHERE hash IN (SELECT value FROM json_each(?)) GROUP BY 1, 2 ORDER BY 3 DESC, 2`,
    )
    .all(JSON.stringify(hashes)) as { author: string; agent: string; lines: number }[];
  const sumOf = (author: string) =>
    rows.filter((row) => row.author === author).reduce((sum, { lines }) => sum + lines, 0);
  const agents = rows.filter(({ author }) => author === "agent").map(({ agent, lines }) => [agent, lines]);
  return { agents: Object.fromEntries(agents), human: sumOf("human"), unknown: sumOf("unknown") };
}
