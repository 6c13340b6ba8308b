import { KeySet, packWriteKeys, type Write } from "./writes.ts";

/**
 * Lines that a session took out and writes again are not its: it moved or indented them, or undid what it did.
 * @param all by time
 * @param wanted those of them that are asked for: only what bears on their lines is followed
 * @returns in the order of `all`
 */
export function withoutPutBack(all: readonly Write[], wanted: ReadonlySet<Write>): Write[] {
  const sessions = new Map<string, { keys: KeySet; out: Map<number, number> }>();
  for (const write of wanted) {
    const session = sessions.get(write.sessionUid) ?? { keys: new KeySet(), out: new Map() };
    sessions.set(write.sessionUid, session);
    for (const key of packWriteKeys(write).added) session.keys.add(key);
  }
  const found: Write[] = [];
  for (const write of all) {
    const session = sessions.get(write.sessionUid);
    if (session === undefined) continue;
    const { keys, out } = session;
    const { added, removed } = packWriteKeys(write);
    for (const key of removed) if (keys.has(key)) out.set(key, (out.get(key) ?? 0) + 1);
    const isWanted = wanted.has(write);
    if (out.size === 0 || !added.some((key) => keys.has(key) && (out.get(key) ?? 0) > 0)) {
      if (isWanted) found.push(write);
      continue;
    }
    const take = (key: number) => {
      const left = out.get(key) ?? 0;
      if (left > 0) out.set(key, left - 1);
      return left > 0;
    };
    if (!isWanted) {
      for (const key of added) take(key);
      continue;
    }
    const hunks = write.hunks.map((hunk) => {
      const isBack = hunk.lines.map(({ isNew, key }) => isNew && take(key));
      for (const at of findAccidentalMatches(hunk, isBack)) {
        const { key } = hunk.lines[at]!;
        isBack[at] = false;
        out.set(key, (out.get(key) ?? 0) + 1);
      }
      const lines = hunk.lines.map((line, at) =>
        isBack[at] ? { ...line, isNew: false, isBack: true } : line,
      );
      return { ...hunk, lines };
    });
    found.push({ ...write, hunks });
  }
  return found;
}

/** What weighs less together is in many places, unless one line of it is this long: it only looks like what was taken out. */
const minTellingWeight = 2;
const minTellingLineChars = 30;
/** A block of this many lines of which no more comes back was written anew, not moved or indented. */
const block = 9;
const anewShare = 0.25;

/**
 * Of the lines that seem to be back those that may be any: they were taken out elsewhere, or with a block that another took
 * the place of, and few stand together.
 */
function findAccidentalMatches(
  { lines, removed }: Write["hunks"][number],
  isBack: readonly boolean[],
): number[] {
  const isAnew = removed.length >= block && isBack.filter((one) => one).length < removed.length * anewShare;
  const here = new Set(isAnew ? [] : removed.map(({ key }) => key));
  const found: number[] = [];
  for (let start = 0; start < lines.length; start++) {
    if (!isBack[start]) continue;
    let end = start;
    while (end < lines.length && isBack[end]) end++;
    const run = lines.slice(start, end);
    const isTelling =
      run.reduce((sum, { weight }) => sum + weight, 0) >= minTellingWeight ||
      run.some(({ key, bare }) => bare.length >= minTellingLineChars || here.has(key));
    if (!isTelling) for (let at = start; at < end; at++) found.push(at);
    start = end;
  }
  return found;
}
