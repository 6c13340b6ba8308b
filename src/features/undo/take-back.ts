import { diffArrays } from "diff";

/** Lines of a file in one place, taken out and put in. The numbers are those of git: 1-based, of the following line where there is none. */
export interface StepHunk {
  newStart: number;
  removed: readonly string[];
  added: readonly string[];
  /** For each added line, whether the session wrote it. */
  isTheirs: readonly boolean[];
  /** Whether the session took out what is removed, where it added nothing. */
  isTheirRemoval: boolean;
}

/** What one commit, or what is not committed, made of a file. */
export interface FileStep {
  /** The file's lines after it. */
  after: readonly string[];
  hunks: readonly StepHunk[];
}

/** A place of a file that is left as it is, as what the session did there cannot be told from what others did. */
export interface Conflict {
  why: "changed since" | "written together" | "place gone";
  /** What stands there now, and what stood there before the session; either may be empty. */
  now: readonly string[];
  before: readonly string[];
}

export interface TakenBack {
  lines: string[];
  /** Lines of the session that are out again, and lines that it had taken out and are there again. */
  removed: number;
  restored: number;
  conflicts: Conflict[];
}

/** An edit of the lines as they are now; `at` is 0-based. */
interface LineEdit {
  at: number;
  count: number;
  insert: readonly string[];
}

/**
 * Takes what a session did in a file back, the latest step first. A line is only touched where it stands as the session left it,
 * and every line of others stays.
 * @param steps of the session, the latest first
 * @param current the file's lines as they are now
 */
export function takeBack(steps: readonly FileStep[], current: readonly string[]): TakenBack {
  let lines = [...current];
  const conflicts: Conflict[] = [];
  let [removed, restored] = [0, 0];
  for (const { after, hunks } of steps) {
    const placeNow = matchLines(after, lines);
    const edits: LineEdit[] = [];
    for (const hunk of hunks) {
      const found = planHunk(hunk, after.length, lines, placeNow);
      edits.push(...found.edits);
      conflicts.push(...found.conflicts);
    }
    for (const { at, count, insert } of edits.toSorted((a, b) => b.at - a.at)) {
      lines = [...lines.slice(0, at), ...insert, ...lines.slice(at + count)];
      removed += count;
      restored += insert.length;
    }
  }
  return { lines, removed, restored, conflicts };
}

/** What becomes of a hunk; nothing where nothing in it is the session's. */
interface Planned {
  edits: readonly LineEdit[];
  conflicts: readonly Conflict[];
}

const leave = (...conflicts: Conflict[]): Planned => ({ edits: [], conflicts });
const change = (...edits: LineEdit[]): Planned => ({ edits, conflicts: [] });

type FindPlace = (line: number) => number | null;

function planHunk(
  { newStart, removed, added, isTheirs, isTheirRemoval }: StepHunk,
  length: number,
  lines: readonly string[],
  placeNow: FindPlace,
): Planned {
  const isBlank = (i: number) => added[i]?.trim() === "";
  const theirs = added.flatMap((_, i) => (isTheirs[i] ? [i] : []));
  if (theirs.length === 0 && (added.length > 0 || !isTheirRemoval)) return leave();
  // Blank lines among those of others do not make a change the session's.
  if (theirs.length > 0 && theirs.every(isBlank) && theirs.length < added.length) return leave();
  const placesNow = added.map((_, i) => placeNow(newStart + i));
  const standing = (indexes: readonly number[]) => indexes.flatMap((i) => placesNow[i] ?? []);
  const before = removed;
  if (removed.length === 0) {
    const gone = theirs.flatMap((i) => (placesNow[i] === null && !isBlank(i) ? [newStart + i] : []));
    return {
      edits: standing(theirs).map((at) => ({ at, count: 1, insert: [] })),
      conflicts: findRewritten(gone, length, lines, placeNow),
    };
  }
  const mixed = added.some((_, i) => !isTheirs[i] && !isBlank(i));
  if (mixed)
    return leave({
      why: "written together",
      now: standing(added.map((_, i) => i)).map((at) => lines[at] ?? ""),
      before,
    });
  if (added.length > 0) {
    const all = standing(added.map((_, i) => i));
    const [first] = all;
    const isWhole =
      all.length === added.length && first !== undefined && all.every((at, i) => at === first + i);
    if (!isWhole) return leave({ why: "changed since", now: all.map((at) => lines[at] ?? ""), before });
    return change({ at: first, count: added.length, insert: removed });
  }
  // What was taken out goes back between the lines that were around it, if nothing came between them.
  const above = newStart === 1 ? -1 : placeNow(newStart - 1);
  const below = placeNow(newStart) ?? (above !== null && above + 1 === lines.length ? lines.length : null);
  if (above === null || below === null || below !== above + 1)
    return leave({
      why: "place gone",
      now: above !== null && below !== null ? lines.slice(above + 1, below) : [],
      before,
    });
  return change({ at: below, count: 0, insert: removed });
}

/**
 * What others made of lines that the session had put in: it stays, and is shown. Where nothing stands, they took them out.
 * @param gone lines that do not stand any more, as they are numbered after the step
 * @param length of the file after the step
 */
function findRewritten(
  gone: readonly number[],
  length: number,
  lines: readonly string[],
  placeNow: FindPlace,
): Conflict[] {
  const starts = new Set<number>();
  return gone.flatMap((line): Conflict[] => {
    let [above, below] = [line - 1, line + 1];
    while (above > 0 && placeNow(above) === null) above--;
    while (below <= length && placeNow(below) === null) below++;
    const start = (placeNow(above) ?? -1) + 1;
    if (starts.has(start)) return [];
    starts.add(start);
    const now = lines.slice(start, placeNow(below) ?? lines.length);
    return now.every((text) => text.trim() === "") ? [] : [{ why: "changed since", now, before: [] }];
  });
}

/** Where lines of an earlier version, numbered from 1, stand now; 0-based, null where they do not. */
function matchLines(earlier: readonly string[], now: readonly string[]): FindPlace {
  const places: (number | null)[] = [];
  let at = 0;
  for (const { added, removed, count } of diffArrays([...earlier], [...now])) {
    const length = count ?? 0;
    if (added) at += length;
    else if (removed) places.push(...Array.from({ length }, () => null));
    else for (let i = 0; i < length; i++) places.push(at++);
  }
  return (line) => places[line - 1] ?? null;
}
