/** Lines that know their writers, and how versions of a file are merged. */

export type Owner =
  | { kind: "human" }
  /** `session` is the agent's own id of it; for a subagent `<session>/<agent id>`. */
  | {
      kind: "agent";
      session: string;
      turn: number;
      toolUse: string;
      parent: string | null;
      parentTurn: number | null;
    }
  /** Somebody whom Pommel could not watch: before it came, or in a session of another project. */
  | { kind: "untold" };

export const human: Owner = { kind: "human" };
export const untold: Owner = { kind: "untold" };

/** What happened to a line last. */
export type Via = string;

/** Never changed, but replaced: formatting and moving keep the id and the owner, other changes make a new line. */
export interface Line {
  id: number;
  text: string;
  owner: Owner;
  via: Via;
  /** Made of lines of several owners, or one of several equal lines with different owners: it is not judged. */
  isMixed?: true;
}

/** By path from the repository's top. */
export type Tree = ReadonlyMap<string, readonly Line[]>;

let lastId = 0;

export function newLine(text: string, owner: Owner, via: Via): Line {
  return { id: ++lastId, text, owner, via };
}

export const newLines = (texts: readonly string[], owner: Owner, via: Via) =>
  texts.map((text) => newLine(text, owner, via));

export const textsOf = (lines: readonly Line[]) => lines.map(({ text }) => text);

/** Pairs of indexes of a longest common subsequence, ascending. */
function matching<T>(a: readonly T[], b: readonly T[], same: (x: T, y: T) => boolean): [number, number][] {
  let start = 0;
  while (start < a.length && start < b.length && same(a[start]!, b[start]!)) start++;
  let end = 0;
  while (
    end < a.length - start &&
    end < b.length - start &&
    same(a[a.length - 1 - end]!, b[b.length - 1 - end]!)
  ) {
    end++;
  }
  const rows = a.length - start - end;
  const columns = b.length - start - end;
  const pairs: [number, number][] = [];
  for (let i = 0; i < start; i++) pairs.push([i, i]);
  const width = columns + 1;
  const best = new Uint16Array((rows + 1) * width);
  for (let i = rows - 1; i >= 0; i--) {
    for (let j = columns - 1; j >= 0; j--) {
      best[i * width + j] = same(a[start + i]!, b[start + j]!)
        ? best[(i + 1) * width + j + 1]! + 1
        : Math.max(best[(i + 1) * width + j]!, best[i * width + j + 1]!);
    }
  }
  for (let i = 0, j = 0; i < rows && j < columns; ) {
    if (same(a[start + i]!, b[start + j]!)) pairs.push([start + i++, start + j++]);
    else if (best[(i + 1) * width + j]! >= best[i * width + j + 1]!) i++;
    else j++;
  }
  for (let i = end; i > 0; i--) pairs.push([a.length - i, b.length - i]);
  return pairs;
}

/** Where `b` differs from `a`: half-open spans of both. */
export interface Difference {
  a: [number, number];
  b: [number, number];
}

export function differences<T>(
  a: readonly T[],
  b: readonly T[],
  same: (x: T, y: T) => boolean,
): Difference[] {
  const found: Difference[] = [];
  let i = 0;
  let j = 0;
  for (const [x, y] of [...matching(a, b, same), [a.length, b.length] as [number, number]]) {
    if (x > i || y > j) found.push({ a: [i, x], b: [j, y] });
    i = x + 1;
    j = y + 1;
  }
  return found;
}

export const sameLine = (a: Line, b: Line) => a.id === b.id && a.text === b.text;
export const sameText = (a: string, b: string) => a === b;

/** What `theirs` changed since `base`, done to `ours` as well; null where both changed the same place. */
export function mergeLines(
  base: readonly Line[],
  ours: readonly Line[],
  theirs: readonly Line[],
): readonly Line[] | null {
  if (isSame(base, theirs)) return ours;
  if (isSame(base, ours) || isSame(ours, theirs)) return theirs;
  const toOurs = differences(base, ours, sameLine);
  const toTheirs = differences(base, theirs, sameLine);
  const merged: Line[] = [];
  let at = 0;
  let o = 0;
  let t = 0;
  while (o < toOurs.length || t < toTheirs.length) {
    const x = toOurs[o];
    const y = toTheirs[t];
    if (x && y && x.a[0] <= y.a[1] && y.a[0] <= x.a[1]) {
      const equal =
        x.a[0] === y.a[0] && x.a[1] === y.a[1] && isSame(ours.slice(...x.b), theirs.slice(...y.b));
      if (!equal) return null;
      merged.push(...base.slice(at, x.a[0]), ...ours.slice(...x.b));
      at = x.a[1];
      o++;
      t++;
      continue;
    }
    const isOurs = x !== undefined && (y === undefined || x.a[0] < y.a[0]);
    const next = isOurs ? x : y!;
    merged.push(...base.slice(at, next.a[0]), ...(isOurs ? ours : theirs).slice(...next.b));
    at = next.a[1];
    if (isOurs) o++;
    else t++;
  }
  return [...merged, ...base.slice(at)];
}

function isSame(a: readonly Line[], b: readonly Line[]): boolean {
  return a.length === b.length && a.every((line, i) => sameLine(line, b[i]!));
}

/** As `mergeLines`, file by file; files that both changed at one place are as in `ours`. */
export function mergeTrees(base: Tree, ours: Tree, theirs: Tree): Map<string, readonly Line[]> {
  const merged = new Map<string, readonly Line[]>();
  for (const path of new Set([...ours.keys(), ...theirs.keys()])) {
    const [b, o, t] = [base.get(path), ours.get(path), theirs.get(path)];
    if (o && t) merged.set(path, mergeLines(b ?? [], o, t) ?? o);
    else if (o && !(b && isSame(b, o))) merged.set(path, o);
    else if (t && !(b && isSame(b, t))) merged.set(path, t);
  }
  return merged;
}

/** Lines for texts that somebody else put together from these versions; the first version that has a line gives it. */
export function adopt(texts: readonly string[], versions: readonly (readonly Line[])[]): Line[] {
  const taken: (Line | undefined)[] = texts.map(() => undefined);
  for (const version of versions) {
    for (const [i, j] of matching(texts, textsOf(version), sameText)) taken[i] ??= version[j]!;
  }
  const byText = new Map<string, Line[]>();
  for (const line of versions.flat()) byText.set(line.text, [...(byText.get(line.text) ?? []), line]);
  return texts.map((text, i) => {
    if (taken[i]) return taken[i];
    const candidates = byText.get(text);
    if (!candidates) return { ...newLine(text, untold, "merge"), isMixed: true };
    const isOne = new Set(candidates.map(({ owner }) => owner)).size === 1;
    return isOne ? candidates[0]! : { ...candidates[0]!, isMixed: true };
  });
}
