import { diffArrays } from "diff";

/**
 * Maps lines of the edited text to lines of the saved file, and back. Both count from 1. null: the line was written or deleted
 * since the file was saved.
 */
export interface SavedLines {
  toSaved(line: number): number | null;
  fromSaved(line: number): number | null;
}

/** If more lines than this changed, only the lines before and after all changes are mapped. */
const maxEdits = 2000;

const unchanged: SavedLines = { toSaved: (line) => line, fromSaved: (line) => line };

export function mapSavedLines(edited: string, saved: string): SavedLines {
  if (edited === saved) return unchanged;
  const [now, then] = [splitLines(edited), splitLines(saved)];
  const start = countSharedStart(now, then);
  const end = countSharedEnd(now, then, Math.min(now.length, then.length) - start);
  const toSaved = new Map<number, number>();
  const fromSaved = new Map<number, number>();
  const pair = (at: number, before: number) => {
    toSaved.set(at + 1, before + 1);
    fromSaved.set(before + 1, at + 1);
  };
  for (let i = 0; i < start; i++) pair(i, i);
  for (let i = 1; i <= end; i++) pair(now.length - i, then.length - i);
  const changes = diffArrays(then.slice(start, then.length - end), now.slice(start, now.length - end), {
    maxEditLength: maxEdits,
  });
  let at = start;
  let before = start;
  for (const { added, removed, count = 0 } of changes ?? []) {
    if (!added && !removed) for (let i = 0; i < count; i++) pair(at + i, before + i);
    if (!removed) at += count;
    if (!added) before += count;
  }
  return {
    toSaved: (line) => toSaved.get(line) ?? null,
    fromSaved: (line) => fromSaved.get(line) ?? null,
  };
}

const splitLines = (text: string) => text.split(/\r\n|\n|\r/);

function countSharedStart(a: readonly string[], b: readonly string[]): number {
  let i = 0;
  while (i < a.length && i < b.length && a[i] === b[i]) i++;
  return i;
}

function countSharedEnd(a: readonly string[], b: readonly string[], most: number): number {
  let i = 0;
  while (i < most && a[a.length - 1 - i] === b[b.length - 1 - i]) i++;
  return i;
}
