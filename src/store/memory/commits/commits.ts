import { commitFiles, commits } from "../../tables/commits.ts";
import { insertInto, readRow, selectColumns, storeRow, upsertInto } from "../../tables/statements.ts";
import type { TableRow } from "../../tables/table.ts";
import type { Memory } from "../memory.ts";
import type { AddedKey, CommitFileRecord, CommitRecord } from "../memory-records.ts";

/** Of a table or alias `commits`. */
export const commitColumns = selectColumns(commits, { of: "commits" });

const upsert = `${upsertInto(commits, ["hash"])} RETURNING id`;

export const toCommitRecord = (row: object): CommitRecord => readRow(commits, row);

/**
 * Adds a commit with its files, or puts them in place of what is stored under its hash. Its attributions and its
 * checkpoint stay.
 */
export function saveCommit(
  memory: Memory,
  commit: Omit<CommitRecord, "id">,
  files: readonly CommitFileRecord[],
): CommitRecord {
  return memory.runInTransaction(() => {
    const { id } = memory.get<{ id: number }>(upsert, storeRow(commits, commit));
    memory.prepare("DELETE FROM commit_files WHERE commit_id = ?").run(id);
    // Git never names a file twice, but bytes that are no UTF-8 may make two names the same.
    const insert = memory.prepare(`${insertInto(commitFiles)} ON CONFLICT DO NOTHING`);
    for (const file of files) insert.run({ ...file, commitId: id, added: packAdded(file.added) });
    return { ...commit, id };
  });
}

/** Adds facts to a stored commit: its branch, what it replaced, how it was found. */
export function updateCommit(
  memory: Memory,
  id: number,
  facts: Pick<CommitRecord, "branch" | "rewrittenFrom" | "seen" | "attributed">,
): void {
  memory.change(
    `UPDATE commits SET (branch, rewritten_from, seen, attributed)
     = (@branch, @rewrittenFrom, @seen, @attributed) WHERE id = @id`,
    { ...facts, id, rewrittenFrom: facts.rewrittenFrom },
  );
}

export function findCommitByHash(memory: Memory, hash: string): CommitRecord | null {
  const row = memory.prepare(`SELECT ${commitColumns} FROM commits WHERE hash = ?`).get(hash);
  return row ? toCommitRecord(row) : null;
}

/** When a stored commit was made, of which the beginning of the hash is known; null where there is none, or several. */
export function findCommittedAt(memory: Memory, short: string): number | null {
  if (!/^[0-9a-f]{7,64}$/.test(short)) return null;
  const times = memory.readColumn<number>(
    "SELECT committed_at FROM commits WHERE hash >= @short AND hash < @short || 'g' ORDER BY hash LIMIT 2",
    { short },
  );
  return times.length === 1 ? times[0]! : null;
}

/** Commits that change the same, the oldest first. */
export function listCommitsByPatch(memory: Memory, patchId: string): CommitRecord[] {
  return memory
    .all<object>(`SELECT ${commitColumns} FROM commits WHERE patch_id = ? ORDER BY committed_at, id`, patchId)
    .map(toCommitRecord);
}

/** Commits with this author, time and subject, the oldest first: what amending and rebasing leave as it was. */
export function listCommitsLike(
  memory: Memory,
  like: Pick<CommitRecord, "author" | "authoredAt" | "subject">,
): CommitRecord[] {
  const { author, authoredAt, subject } = like;
  return memory
    .all<object>(
      `SELECT ${commitColumns} FROM commits
       WHERE committed_at >= @authoredAt AND authored_at = @authoredAt AND author = @author AND subject = @subject
       ORDER BY committed_at, id`,
      { author, authoredAt, subject },
    )
    .map(toCommitRecord);
}

/** Hashes of stored commits that took the place of this one, as git said; the oldest first. */
export function listRewrites(memory: Memory, hash: string): string[] {
  return memory.readColumn<string>(
    `SELECT hash FROM commits WHERE rewritten_from <> '[]'
     AND EXISTS (SELECT 1 FROM json_each(rewritten_from) WHERE value = ?) ORDER BY committed_at, id`,
    hash,
  );
}

/** Hashes of the latest commits that were made since a time, latest first. */
export function listCommitsSince(memory: Memory, since: number, limit: number): string[] {
  return memory.readColumn<string>(
    "SELECT hash FROM commits WHERE committed_at >= ? ORDER BY committed_at DESC LIMIT ?",
    since,
    limit,
  );
}

const maxMerges = 500;

/** Subjects of commits in which forges merged pull requests since a time, the earliest first. */
export function listMergesSince(memory: Memory, since: number, until: number | null): string[] {
  return memory.readColumn<string>(
    `SELECT subject FROM commits WHERE committed_at >= ? AND (? IS NULL OR committed_at <= ?)
     AND (subject LIKE 'Merge pull request #%' OR subject LIKE '%(#%)') ORDER BY committed_at LIMIT ?`,
    since,
    until,
    until,
    maxMerges,
  );
}

/** The files that a commit changed, by path. */
export function listFilesOfCommit(
  memory: Memory,
  commitId: number,
  path: string | null = null,
): CommitFileRecord[] {
  const rows = memory.all<Omit<TableRow<typeof commitFiles>, "commitId">>(
    `SELECT ${selectColumns(commitFiles, { except: ["commitId"] })} FROM commit_files
     WHERE commit_id = @commitId AND (@path IS NULL OR path = @path) ORDER BY path`,
    { commitId, path },
  );
  return rows.map((row) => ({ ...row, added: unpackAdded(row.added) }));
}

/** Whether a commit since then changed one of these files. */
export const isChangedSince = (
  memory: Memory,
  paths: readonly string[],
  since: number,
  until: number | null,
): boolean =>
  memory.has(
    `SELECT 1 FROM commit_files f JOIN commits ON commits.id = f.commit_id
     WHERE f.path IN (SELECT value FROM json_each(?)) AND committed_at >= ? AND committed_at <= coalesce(?, committed_at) LIMIT 1`,
    paths,
    since,
    until,
  );

/** Whether an older version of the attribution analysed any commit. */
export function hasOlderVerdicts(memory: Memory, version: number): boolean {
  return memory.has("SELECT 1 FROM commits WHERE attributed > 0 AND attributed < ? LIMIT 1", version);
}

/** Analysed commits that added lines to a file, the latest first. Times are milliseconds since the epoch. */
export function listCommitsTouching(
  memory: Memory,
  path: string,
  range: { since: number; until: number; limit: number },
): { hash: string; committedAt: number; added: AddedKey[] }[] {
  const rows = memory.all<{ hash: string; committedAt: number; added: Uint8Array }>(
    `SELECT commits.hash, committed_at AS committedAt, f.added FROM commit_files f JOIN commits ON commits.id = f.commit_id
     WHERE f.path = @path AND committed_at BETWEEN @since AND @until AND attributed > 0 AND f.insertions > 0
     ORDER BY committed_at DESC LIMIT @limit`,
    { ...range, path },
  );
  return rows.map(({ added, ...rest }) => ({ ...rest, added: unpackAdded(added) }));
}

/** Lines that agents added to a file in a commit. */
export interface LinesOfAgents {
  hash: string;
  patchId: string | null;
  /** Milliseconds since the epoch. */
  committedAt: number;
  path: string;
  added: AddedKey[];
}

/** All that agents wrote, by commit and file, what was authored first first. */
export function* readLinesOfAgents(memory: Memory): Generator<LinesOfAgents> {
  const rows = memory
    .prepare(
      `SELECT c.hash, c.patch_id AS patchId, c.committed_at AS committedAt, f.path, f.added,
         json_group_array(json_array(a.first_line, a.last_line)) AS ranges
       FROM attributions a JOIN commits c ON c.id = a.commit_id
         JOIN commit_files f ON f.commit_id = a.commit_id AND f.path = a.path
       WHERE a.author = 'agent' GROUP BY a.commit_id, a.path ORDER BY c.authored_at, c.id`,
    )
    .iterate() as IterableIterator<Omit<LinesOfAgents, "added"> & { added: Uint8Array; ranges: string }>;
  for (const { ranges, added, ...commit } of rows) {
    const theirs = JSON.parse(ranges) as [first: number, last: number][];
    const isTheirs = ({ line }: AddedKey) => theirs.some(([first, last]) => first <= line && line <= last);
    yield { ...commit, added: unpackAdded(added).filter(isTheirs) };
  }
}

/** Analysed commits, the latest first. Times are milliseconds since the epoch. */
export function listLatestCommits(
  memory: Memory,
  range: { since: number; until: number; limit: number },
): { id: number; hash: string }[] {
  return memory.all<{ id: number; hash: string }>(
    `SELECT id, hash FROM commits WHERE committed_at BETWEEN @since AND @until AND attributed > 0
     ORDER BY committed_at DESC LIMIT @limit`,
    range,
  );
}

/** When the newest stored commit was authored; 0 without one. Milliseconds since the epoch. */
export const findLatestAuthoredAt = (memory: Memory): number =>
  memory.readValue<number | null>("SELECT max(authored_at) FROM commits") ?? 0;

/** The version of the attribution that analysed each stored commit, by hash. */
export function readAttributedVersions(memory: Memory, hashes: readonly string[]): Map<string, number> {
  const rows = memory.all<{ hash: string; attributed: number }>(
    "SELECT hash, attributed FROM commits WHERE hash IN (SELECT value FROM json_each(?))",
    hashes,
  );
  return new Map(rows.map(({ hash, attributed }) => [hash, attributed]));
}

const wordBytes = 4;

/** Lines that follow each other as the number of the first, how many there are, and their keys; 32 bits each. */
function packAdded(added: readonly AddedKey[]): Uint8Array {
  const words: number[] = [];
  let count = 0;
  added.forEach(({ line, key }, i) => {
    if (i === 0 || line !== added[i - 1]!.line + 1) {
      count = words.push(line, 0) - 1;
    }
    words[count]!++;
    words.push(key);
  });
  const bytes = Buffer.alloc(words.length * wordBytes);
  words.forEach((value, i) => {
    bytes.writeUInt32LE(value, i * wordBytes);
  });
  return bytes;
}

function unpackAdded(packed: Uint8Array): AddedKey[] {
  const bytes = Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength);
  const added: AddedKey[] = [];
  for (let at = 0; at + 2 * wordBytes <= bytes.length; ) {
    const first = bytes.readUInt32LE(at);
    const count = bytes.readUInt32LE(at + wordBytes);
    at += 2 * wordBytes;
    for (let i = 0; i < count && at + wordBytes <= bytes.length; i++, at += wordBytes) {
      added.push({ line: first + i, key: bytes.readUInt32LE(at) });
    }
  }
  return added;
}

/** Totals of the stored commits. */
export interface GitCounts {
  /** Analysed commits. */
  commits: number;
  /** Those that sessions led to. */
  checkpoints: number;
  /** Commits pending analysis, or another one after new activity. */
  waiting: number;
}

export function readGitCounts(memory: Memory): GitCounts {
  return memory.get<GitCounts>(`SELECT (SELECT count(*) FROM commits) AS commits, (SELECT count(*) FROM checkpoints) AS checkpoints,
    (SELECT count(*) FROM jobs WHERE kind = 'commit' AND state <> 'dead') AS waiting`);
}

interface FileChange {
  path: string;
  authoredAt: number;
  /** A, M, D, R, C, T as git says: what is not added was there before. */
  status: string;
}

/** The earliest change of one of these files, or of what is in one of these directories; null: none is known. */
export function findFirstChange(
  memory: Memory,
  { files, directories }: { files: readonly string[]; directories: readonly string[] },
): FileChange | null {
  return memory.get<FileChange | null>(
    `SELECT f.path, f.status, c.authored_at AS authoredAt FROM commit_files f JOIN commits c ON c.id = f.commit_id
       WHERE f.path IN (SELECT value FROM json_each(?)) ${directories.map(() => "OR f.path GLOB ?").join(" ")}
       ORDER BY c.authored_at LIMIT 1`,
    JSON.stringify(files),
    ...directories.map((directory) => `${directory}/*`),
  );
}
