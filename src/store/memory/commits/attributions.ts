import { addTo } from "../../../base/multimap.ts";
import type { AttributionBasis, AttributionHow, AuthorKind } from "../../../protocol/values.ts";
import { attributions } from "../../tables/commits.ts";
import { insertInto, selectColumns } from "../../tables/statements.ts";
import type { Memory } from "../memory.ts";
import type { AttributionRecord } from "../memory-records.ts";

const columns = selectColumns(attributions, { except: ["commitId"] });

/**
 * Replaces the record of who wrote the lines of a commit. Lines of a forgotten session only stay an agent's.
 */
export function saveAttributions(
  memory: Memory,
  commitId: number,
  records: readonly AttributionRecord[],
): void {
  memory.runInTransaction(() => {
    memory.prepare("DELETE FROM attributions WHERE commit_id = ?").run(commitId);
    const insert = memory.prepare(`${insertInto(attributions)} ON CONFLICT DO NOTHING`);
    const forgotten = findForgottenAmong(
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
export function findForgottenAmong(memory: Memory, uids: readonly (string | null)[]): Set<string> {
  const named = [...new Set(uids.filter((uid) => uid !== null))];
  if (named.length === 0) return new Set();
  return new Set(
    memory.readColumn<string>(
      "SELECT uid FROM forgotten WHERE uid IN (SELECT value FROM json_each(?))",
      named,
    ),
  );
}

/** Who wrote the lines of a commit, by path and line. */
export function listAttributions(
  memory: Memory,
  commitId: number,
  path: string | null = null,
): AttributionRecord[] {
  return memory.all<AttributionRecord>(
    `SELECT ${columns} FROM attributions WHERE commit_id = @commitId AND (@path IS NULL OR path = @path)
     ORDER BY path, first_line`,
    { commitId, path },
  );
}

/** Lines that a commit added, by author. */
export function countLinesByAuthor(
  memory: Memory,
  commitId: number,
): Record<AttributionRecord["author"], number> {
  const lines = { agent: 0, human: 0, unknown: 0 };
  const rows = memory.all<{ author: keyof typeof lines; n: number }>(
    `SELECT author, sum(last_line - first_line + 1) AS n FROM attributions WHERE commit_id = ? GROUP BY author`,
    commitId,
  );
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
export function countLinesOfCommits(memory: Memory, hashes: readonly string[]): LinesByAuthor {
  const rows = memory.all<{ author: string; agent: string; lines: number }>(
    `SELECT attributions.author, coalesce(agent, 'agent') AS agent, sum(last_line - first_line + 1) AS lines
     FROM attributions JOIN commits ON commits.id = commit_id LEFT JOIN sessions ON sessions.uid = session_uid
     WHERE hash IN (SELECT value FROM json_each(?)) GROUP BY 1, 2 ORDER BY 3 DESC, 2`,
    hashes,
  );
  const sumLines = (author: string) =>
    rows.filter((row) => row.author === author).reduce((sum, { lines }) => sum + lines, 0);
  const agents = rows.filter(({ author }) => author === "agent").map(({ agent, lines }) => [agent, lines]);
  return { agents: Object.fromEntries(agents), human: sumLines("human"), unknown: sumLines("unknown") };
}

/** A file as it was in a commit. */
export interface CommitPath {
  hash: string;
  path: string;
}

/** Identifies a file of a commit. */
export const formatCommitPathKey = ({ hash, path }: CommitPath): string => `${hash}:${path}`;

/**
 * The ranges of many files of many commits at once, by `formatCommitPathKey`, each file's in order of lines. Files without
 * any are missing.
 */
export function readAttributionsByPath(
  memory: Memory,
  places: readonly CommitPath[],
): Map<string, AttributionRecord[]> {
  const rows = memory
    .prepare(
      `SELECT c.hash, ${selectColumns(attributions, { of: "a", except: ["commitId"] })}
       FROM json_each(?) w JOIN commits c ON c.hash = w.value ->> 0
         JOIN attributions a ON a.commit_id = c.id AND a.path = w.value ->> 1
       ORDER BY a.commit_id, a.path, a.first_line`,
    )
    .all(places.map(({ hash, path }) => [hash, path]));
  const found = new Map<string, AttributionRecord[]>();
  for (const { hash, ...range } of rows as (AttributionRecord & { hash: string })[]) {
    const key = formatCommitPathKey({ hash, path: range.path });
    addTo(found, key, range);
  }
  return found;
}

/** The range that a line lies in, of ranges in order that do not overlap. */
export function findRangeAtLine<R extends { firstLine: number; lastLine: number }>(
  ranges: readonly R[],
  line: number,
): R | undefined {
  let low = 0;
  let high = ranges.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const range = ranges[middle]!;
    if (line < range.firstLine) high = middle - 1;
    else if (line > range.lastLine) low = middle + 1;
    else return range;
  }
  return undefined;
}

/** Lines that a commit added to a file, of one author. */
export interface AuthoredLines {
  hash: string;
  commitAuthor: string;
  /** Milliseconds since the epoch. */
  authoredAt: number;
  patchId: string | null;
  path: string;
  author: AuthorKind;
  sessionUid: string | null;
  model: string | null;
  how: AttributionHow;
  /** Of unknown lines: what they are unknown for. */
  basis: AttributionBasis | null;
  /** 1: a session led to the commit. */
  hasSession: 0 | 1;
  lines: number;
}

/** Times are milliseconds since the epoch, of when commits were authored; null limits nothing. */
export interface AuthoredFilter {
  since: number | null;
  until: number | null;
}

/** How many lines who wrote in which file of which commit: one by one, those authored first first. */
export function readAuthoredLines(
  memory: Memory,
  { since, until }: AuthoredFilter,
): IterableIterator<AuthoredLines> {
  return memory
    .prepare(
      `SELECT c.hash, c.author AS commitAuthor, c.authored_at AS authoredAt, c.patch_id AS patchId, a.path, a.author,
         a.session_uid AS sessionUid, a.model, min(a.how) AS how, iif(a.author = 'unknown', a.basis, NULL) AS basis,
         EXISTS (SELECT 1 FROM checkpoints WHERE commit_id = c.id) AS hasSession, sum(a.last_line - a.first_line + 1) AS lines
       FROM commits c JOIN attributions a ON a.commit_id = c.id
       WHERE (@since IS NULL OR c.authored_at >= @since) AND (@until IS NULL OR c.authored_at <= @until)
       GROUP BY c.id, a.path, a.author, a.session_uid, a.model, iif(a.author = 'unknown', a.basis, NULL)
       ORDER BY c.authored_at, c.id, a.path`,
    )
    .iterate({ since, until }) as IterableIterator<AuthoredLines>;
}

/** Hashes of the commits that the attribution looked at, and of those that took the place of others. */
export function findAnalysedCommits(memory: Memory, { since, until }: AuthoredFilter): Set<string> {
  return new Set(
    memory.readColumn<string>(
      `SELECT hash FROM commits WHERE attributed > 0
       AND (@since IS NULL OR authored_at >= @since) AND (@until IS NULL OR authored_at <= @until)`,
      { since, until },
    ),
  );
}

/** Hashes of commits that others took the place of (amend, rebase, squash). */
export function findReplacedCommits(memory: Memory): Set<string> {
  return new Set(
    memory.readColumn<string>(`SELECT DISTINCT r.value AS hash FROM commits c, json_each(c.rewritten_from) r
      WHERE c.rewritten_from <> '[]'`),
  );
}

/** Whether any line of a file may have a recorded author, under the file's path or its former one. */
export function canHaveAuthors(memory: Memory, path: string): boolean {
  return (
    memory.has(
      `SELECT 1 FROM commit_files f JOIN attributions a ON a.commit_id = f.commit_id AND a.path = f.path
       WHERE f.path = ? AND a.author <> 'unknown' LIMIT 1`,
      path,
    ) || memory.has("SELECT 1 FROM commit_files WHERE path = ? AND old_path IS NOT NULL LIMIT 1", path)
  );
}

/** Lines of a commit that a tool call wrote; both ends included. */
export interface LinesOfToolUse {
  /** Row of `commits`. */
  id: number;
  hash: string;
  toolUse: string;
  path: string;
  first: number;
  last: number;
}

/** Lines from tool calls that commits added; moved lines are left out. */
export function listLinesOfToolUses(
  memory: Memory,
  { sessions, calls }: { sessions: readonly string[]; calls: readonly string[] },
): LinesOfToolUse[] {
  return memory.all<LinesOfToolUse>(
    `SELECT c.id, c.hash, a.tool_use AS toolUse, a.path, a.first_line AS first, a.last_line AS last
     FROM attributions a JOIN commits c ON c.id = a.commit_id
     WHERE a.session_uid IN (SELECT value FROM json_each(@sessions))
       AND a.tool_use IN (SELECT value FROM json_each(@calls)) AND a.how NOT IN ('moved')`,
    { sessions, calls },
  );
}

/** Lines that turns of a session wrote, in commits, moved lines left out; both ends included. */
export function linesOfTurns(
  memory: Memory,
  range: { sessionUid: string; first: number; last: number },
): { commitId: number; path: string; first: number; last: number }[] {
  return memory.all(
    `SELECT commit_id AS commitId, path, first_line AS first, last_line AS last FROM attributions
     WHERE session_uid = @sessionUid AND turn BETWEEN @first AND @last AND author = 'agent' AND how <> 'moved'`,
    range,
  );
}

/** When the first commit was made that holds lines of each call of a session. Milliseconds since the epoch. */
export function findFirstCommitTimes(memory: Memory, sessionUid: string): Map<string, number> {
  const rows = memory.all<{ call: string; at: number }>(
    `SELECT a.tool_use AS call, min(c.committed_at) AS at
     FROM attributions a JOIN commits c ON c.id = a.commit_id
     WHERE a.session_uid = ? AND a.tool_use IS NOT NULL AND a.how IN ('edit', 'shell') GROUP BY a.tool_use`,
    sessionUid,
  );
  return new Map(rows.map(({ call, at }) => [call, at]));
}
