import { streamChangedFiles, streamChangedFilesOfEach } from "../../git/diff/changes.ts";
import type { ChangedFile, ChangedHunk } from "../../git/diff/changes-types.ts";
import type { AttributionRecord, CommitFileRecord } from "../../store/memory/memory-records.ts";
import { choosePlainLineReader, computeLineKey } from "../lines/line-keys.ts";

/**
 * At most this much of a commit is analysed for its authors: added and removed lines, and their characters. Lines
 * beyond it (a vendored library, generated files) are counted, and their authors are unknown.
 */
const maxLines = 100_000;
const maxCharacters = 16_000_000;
/** Files of a commit that are stored, in the order of git, which is that of their names. */
const maxFiles = 20_000;
const maxRanges = 20_000;

/** The changes of a commit. */
export interface CollectedChanges {
  /** To find the authors of. */
  files: ChangedFile[];
  records: CommitFileRecord[];
  /** Added lines of files that are too much to look at. */
  leftOut: AttributionRecord[];
  insertions: number;
  deletions: number;
}

/** @throws GitFailure also if git lacks objects of the commit (a partial clone) */
export async function collectChanges(
  dir: string,
  hash: string,
  signal?: AbortSignal,
): Promise<CollectedChanges> {
  return collect(streamChangedFiles(dir, { commit: hash }, { signal }));
}

/**
 * Of many commits, in their order, through one git process.
 * @throws GitFailure also if git lacks objects of one of them
 */
export async function* collectEach(
  dir: string,
  hashes: readonly string[],
  signal?: AbortSignal,
): AsyncGenerator<CollectedChanges, void, undefined> {
  for await (const { files } of streamChangedFilesOfEach(dir, hashes, signal)) yield await collect(files);
}

async function collect(files: AsyncIterable<ChangedFile>): Promise<CollectedChanges> {
  const collected: CollectedChanges = { files: [], records: [], leftOut: [], insertions: 0, deletions: 0 };
  let lines = 0;
  let characters = 0;
  for await (const file of files) {
    const { path, oldPath, status, hunks } = file;
    const insertions = sum(hunks, ({ added }) => added.length);
    const deletions = sum(hunks, ({ removed }) => removed.length);
    const length = sum(hunks, countHunkChars);
    const isTooMuch =
      lines + insertions + deletions > maxLines ||
      characters + length > maxCharacters ||
      collected.records.length >= maxFiles;
    collected.insertions += insertions;
    collected.deletions += deletions;
    if (!isTooMuch) {
      lines += insertions + deletions;
      characters += length;
      collected.files.push(file);
    } else if (collected.leftOut.length < maxRanges) {
      collected.leftOut.push(...buildUnknownRanges(file));
    }
    if (collected.records.length >= maxFiles) continue;
    const added = isTooMuch ? [] : listAddedLineKeys(path, hunks);
    collected.records.push({ path, oldPath, status, insertions, deletions, added });
  }
  return collected;
}

const sum = (hunks: readonly ChangedHunk[], of: (hunk: ChangedHunk) => number) =>
  hunks.reduce((total, hunk) => total + of(hunk), 0);

function countHunkChars({ added, removed }: ChangedHunk): number {
  let length = 0;
  for (const line of added) length += line.length;
  for (const line of removed) length += line.length;
  return length;
}

function listAddedLineKeys(path: string, hunks: readonly ChangedHunk[]): CommitFileRecord["added"] {
  const plain = choosePlainLineReader(path);
  return hunks.flatMap(({ newStart, added }) =>
    added.map((text, i) => ({ line: newStart + i, key: computeLineKey(plain(text)) })),
  );
}

function buildUnknownRanges({ path, hunks }: ChangedFile): AttributionRecord[] {
  return hunks
    .filter(({ added }) => added.length > 0)
    .map(({ newStart, added }) => ({
      path,
      firstLine: newStart,
      lastLine: newStart + added.length - 1,
      author: "unknown",
      sessionUid: null,
      turn: null,
      toolUse: null,
      model: null,
      confidence: 0,
      how: "none",
      basis: "none",
    }));
}
