import { parseLeftOutMark } from "../../agents/reading/bounds.ts";
import { GitFailure, readGitBuffer } from "../../git/git.ts";
import type { Lineage } from "../../git/history/ancestry.ts";
import { listLinesOfToolUses } from "../../store/memory/commits/attributions.ts";
import { listFilesOfCommit } from "../../store/memory/commits/commits.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { Write } from "../evidence/writes.ts";
import type { FileToAttribute } from "./file-lines.ts";
import { isNotebook } from "./line-keys.ts";
import { type AuthorVerdict, makeAgentVerdict, makeUnknownVerdict } from "./verdict.ts";
import type { WrittenLine, WrittenPlace } from "./written-line.ts";

/** Brackets and blank lines get the author of the lines around them. */
export function fillBetween(
  file: FileToAttribute,
  verdicts: ReadonlyMap<number, AuthorVerdict>,
): Map<number, AuthorVerdict> {
  const { change, lines } = file;
  if (isNotebook(change.path)) return fillCells(file, verdicts);
  const byLine = new Map<number, AuthorVerdict>();
  const trivial = new Set<number>();
  lines.forEach(({ line, isAdded, weight }, i) => {
    if (!isAdded) return;
    const verdict = verdicts.get(i);
    if (verdict) byLine.set(line, verdict);
    else if (weight < 0.5) trivial.add(line);
  });
  const known = new Set(lines.filter(({ isAdded }) => isAdded).map(({ line }) => line));
  for (const { newStart, added } of change.hunks) {
    const last = newStart + added.length - 1;
    let above: AuthorVerdict | null = null;
    for (let line = newStart; line <= last; line++) {
      const own = byLine.get(line);
      if (own) {
        above = own;
        continue;
      }
      let end = line;
      const isOpen = (at: number) => at <= last && !byLine.has(at) && (trivial.has(at) || !known.has(at));
      while (isOpen(end)) end++;
      if (end === line) {
        above = null;
        continue;
      }
      const below = end <= last ? (byLine.get(end) ?? null) : null;
      const filler = chooseFiller(above, below, end > last || byLine.has(end));
      const begins =
        above && below && filler === above
          ? findFirstTellingLine(added, line - newStart, end - newStart)
          : null;
      for (let at = line; at < end; at++) {
        const own = begins !== null && at - newStart >= begins ? below : filler;
        if (own)
          byLine.set(at, isOfEither(own, below, added[at - newStart]) ? makeUnknownVerdict("several") : own);
      }
      line = end - 1;
    }
  }
  return byLine;
}

/** What every cell of a notebook has is of whoever wrote the lines in it, where that is one. */
function fillCells(
  { lines, cells, change }: FileToAttribute,
  verdicts: ReadonlyMap<number, AuthorVerdict>,
): Map<number, AuthorVerdict> {
  const byLine = new Map<number, AuthorVerdict>();
  for (const [i, verdict] of verdicts) byLine.set(lines[i]!.line, verdict);
  const added = new Set(change.hunks.flatMap((hunk) => hunk.added.map((_, i) => hunk.newStart + i)));
  const whole: [number, number][] = change.status === "A" ? [[1, Math.max(...added)]] : [];
  for (const [first, last] of [...cells, ...whole]) {
    const own: AuthorVerdict[] = [];
    for (let line = first; line <= last; line++) {
      const verdict = byLine.get(line);
      if (verdict) own.push(verdict);
    }
    const [one] = own;
    const isOfOne =
      one !== undefined &&
      own.every(({ author, sessionUid }) => author === one.author && sessionUid === one.sessionUid);
    if (!isOfOne) continue;
    for (let line = first; line <= last; line++)
      if (added.has(line) && !byLine.has(line)) byLine.set(line, one);
  }
  return byLine;
}

/** A blank line from a person's line to an agent's: the person's, or left of what the agent wrote and the person changed. */
const isOfEither = (own: AuthorVerdict, below: AuthorVerdict | null, text: string | undefined): boolean =>
  own.author === "human" && below?.author === "agent" && text?.trim() === "";

/** Where what is below begins: with the first line that neither closes something nor is blank. Indices of lines. */
function findFirstTellingLine(added: readonly string[], from: number, to: number): number | null {
  for (let at = from; at < to; at++) if (!/^[\s\])}>,;]*$/.test(added[at] ?? "")) return at;
  return null;
}

function chooseFiller(
  above: AuthorVerdict | null,
  below: AuthorVerdict | null,
  isBelowClear: boolean,
): AuthorVerdict | null {
  if (above && below) return above;
  if (above && isBelowClear) return above;
  return below;
}

/**
 * The written lines that a change's history already has: whoever adds such a line again is not its first writer. By
 * tool call and path, the count of each key.
 */
export async function countConsumedLines(
  { memory, ...git }: { memory: Memory } & AncestorSources,
  parent: string,
  writes: readonly Write[],
  signal?: AbortSignal,
): Promise<Map<string, Map<number, number>>> {
  const calls = [...new Set(writes.map(({ toolUse }) => toolUse))];
  const sessions = [...new Set(writes.map(({ sessionUid }) => sessionUid))];
  const taken = listLinesOfToolUses(memory, { sessions, calls });
  const before = await filterAncestors(git, parent, [...new Set(taken.map(({ hash }) => hash))], signal);
  const consumed = new Map<string, Map<number, number>>();
  const added = new Map<string, ReturnType<typeof listFilesOfCommit>>();
  for (const { id, hash, toolUse, path, first, last } of taken) {
    if (!before.has(hash)) continue;
    const file = `${id} ${path}`;
    if (!added.has(file)) added.set(file, listFilesOfCommit(memory, id, path));
    const keys = consumed.get(toolUse) ?? new Map<number, number>();
    consumed.set(toolUse, keys);
    for (const { line, key } of added.get(file)![0]?.added ?? []) {
      if (line >= first && line <= last) keys.set(key, (keys.get(key) ?? 0) + 1);
    }
  }
  return consumed;
}

/** Where it is looked up who comes before whom. */
export interface AncestorSources {
  root: string;
  /** Read once for many commits; without it git is asked. */
  lineage?: Lineage | undefined;
}

/** Those of the commits that `tip` is, or comes after. */
export async function filterAncestors(
  { root, lineage }: AncestorSources,
  tip: string,
  hashes: readonly string[],
  signal?: AbortSignal,
): Promise<Set<string>> {
  const known = lineage?.findAncestorsAmong(tip, hashes);
  if (known) return known;
  const ancestors = new Set(hashes);
  if (hashes.length === 0) return ancestors;
  try {
    const stdin = [`${hashes.join("\n")}\n^${tip}\n`];
    const others = await readGitBuffer(root, ["rev-list", "--ignore-missing", "--stdin"], { stdin, signal });
    for (const hash of others.toString("latin1").split("\n")) ancestors.delete(hash);
  } catch (error) {
    if (!(error instanceof GitFailure)) throw error;
    return new Set();
  }
  return ancestors;
}

/** Very long writes are stored without their middle (agents/reading/bounds.ts). */

/** Lines next to the middle that are kept in part, or were changed since. */
const nextTo = 4;
/** How far its length may change by formatting, or by partial lines at both ends: a share, and characters. */
const tolerance = { share: 0.02, characters: 1000 };

/** Whether lines of it are missing, so that other lines may be its, too. */
export function isCut({ hunks }: Write): boolean {
  return hunks.some(({ lines }) => lines.some(({ bare }) => parseLeftOutMark(bare) !== null));
}

/**
 * The lines between the last of the beginning and the first of the end are the ones that were left out, if they are as
 * long as those.
 * @param found by index in the file's `lines`; gets them, too
 */
export function addLeftOut(file: FileToAttribute, found: Map<number, WrittenLine & WrittenPlace>): void {
  const ends = new Map<WrittenPlace["of"], { mark: number; before: number; after: number }>();
  for (const [i, { of, at }] of found) {
    const end = ends.get(of) ?? { mark: findEllipsisLine(of), before: -1, after: Number.POSITIVE_INFINITY };
    ends.set(of, end);
    if (at < end.mark && at >= end.mark - nextTo) end.before = Math.max(end.before, i);
    if (at > end.mark && at <= end.mark + nextTo) end.after = Math.min(end.after, i);
  }
  for (const [of, { mark, before, after }] of ends) {
    if (mark === -1 || before === -1 || !Number.isFinite(after) || after <= before + 1) continue;
    const missing = parseLeftOutMark(of.lines[mark]!.bare)!;
    const length = countCharsBetween(file, file.lines[before]!.line, file.lines[after]!.line);
    if (Math.abs(length - missing) > missing * tolerance.share + tolerance.characters) continue;
    const { write } = of;
    const verdict = makeAgentVerdict(write, write.how, "written");
    for (let i = before + 1; i < after; i++) {
      if (file.lines[i]!.isAdded && !found.has(i)) found.set(i, { write, support: 1, verdict, of, at: mark });
    }
  }
}

const findEllipsisLine = ({ lines }: WrittenPlace["of"]) =>
  lines.findIndex(({ bare }) => parseLeftOutMark(bare) !== null);

/** Characters of the added lines between two of the file. */
function countCharsBetween({ change }: FileToAttribute, above: number, below: number): number {
  let length = 0;
  for (const { newStart, added } of change.hunks) {
    const from = Math.max(above + 1 - newStart, 0);
    for (let i = from; i < added.length && newStart + i < below; i++) length += added[i]!.length + 1;
  }
  return length;
}
