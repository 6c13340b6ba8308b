import { addTo } from "../../base/multimap.ts";
import { blameFile } from "../../git/diff/blame.ts";
import { GitFailure } from "../../git/git.ts";
import { canHaveAuthors, listAttributions } from "../../store/memory/commits/attributions.ts";
import { findCommitByHash, listFilesOfCommit } from "../../store/memory/commits/commits.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { AttributionRecord } from "../../store/memory/memory-records.ts";
import { alignLines, type CurrentLine, type WrittenStretch } from "./align.ts";
import type { FileToAttribute, RemovedLine } from "./file-lines.ts";
import { LooseText, matchReflowedLines } from "./reflow.ts";
import { type AuthorVerdict, makeUnknownVerdict, toMovedVerdict } from "./verdict.ts";

/**
 * Lines that a change removed and added again, elsewhere or in another shape, are older: they keep the verdicts of
 * their earlier place.
 */

/** How certain it must be that lines are the removed ones: in the same hunk, the same file, another file. */
export const thresholds = { hunk: 0.3, file: 0.9, other: 1.6 } as const;
/** Blame takes its time. */
const maxBlames = 24;
/** At most this many removed lines of each file are searched for elsewhere. */
const maxRemoved = 3000;

interface RemovalSite {
  path: string;
  lines: readonly RemovedLine[];
  /** The lines of the new version that took their place; null in another file. */
  hunk: { first: number; last: number };
}

/** For the added lines of every file that were there before: index in its `lines`, and who wrote them. */
export async function findLineOrigins(
  { memory, root }: { memory: Memory; root: string },
  parent: string,
  files: readonly FileToAttribute[],
  signal?: AbortSignal,
): Promise<Map<FileToAttribute, Map<number, AuthorVerdict>>> {
  const places = files.flatMap(({ change, removed }) => {
    let left = maxRemoved;
    return change.hunks.flatMap((hunk, i): RemovalSite[] => {
      const lines = removed[i]!;
      left -= lines.length;
      if (lines.length === 0 || left < 0) return [];
      const range = { first: hunk.newStart, last: hunk.newStart + hunk.added.length - 1 };
      return [{ path: change.oldPath ?? change.path, lines, hunk: range }];
    });
  });
  const weighty = places.filter(({ lines }) => lines.reduce((sum, { weight }) => sum + weight, 0) >= 0.5);
  const stretches = weighty.map(
    (place): WrittenStretch<RemovalSite> => ({
      of: place,
      lines: place.lines.map((line) => ({ ...line, isNew: true })),
    }),
  );
  const matched = files.map((file) => ({ file, lines: matchPlaces(file, stretches) }));
  const wanted = new Set(matched.flatMap(({ lines }) => [...lines.values()].map(({ place }) => place)));
  const before = await readVerdictsBefore({ memory, root }, parent, [...wanted], signal);
  const found = new Map<FileToAttribute, Map<number, AuthorVerdict>>();
  for (const { file, lines } of matched) {
    const verdicts = new Map<number, AuthorVerdict>();
    for (const [i, { place, line }] of lines) {
      verdicts.set(i, toMovedVerdict(before.get(place.path)?.get(line) ?? makeUnknownVerdict()));
    }
    if (verdicts.size > 0) found.set(file, verdicts);
  }
  return found;
}

/** For added lines the place that they come from, and their number there. */
function matchPlaces(
  { change, lines }: FileToAttribute,
  places: readonly WrittenStretch<RemovalSite>[],
): Map<number, { place: RemovalSite; line: number }> {
  const own = change.oldPath ?? change.path;
  const here = places.flatMap(({ of }) => (of.path === own ? [of] : []));
  const found = new Map<number, { place: RemovalSite; line: number }>();
  for (const [i, matches] of alignLines(lines, places)) {
    const line = lines[i]!;
    const fits = matches
      .map((match) => ({ ...match, margin: match.support - chooseSupportThreshold(match.of, own, line) }))
      .filter(({ margin }) => margin >= 0);
    if (fits.length === 0) continue;
    const best = fits.reduce((a, b) => (b.margin > a.margin ? b : a));
    found.set(i, { place: best.of, line: best.of.lines[best.at]!.line });
  }
  // A line that was broken into several, or several that were joined, in the same place.
  for (const place of here) {
    const open: number[] = [];
    for (
      let i = findFirstIndexFrom(lines, place.hunk.first);
      i < lines.length && lines[i]!.line <= place.hunk.last;
      i++
    )
      if (lines[i]!.isAdded && !found.has(i)) open.push(i);
    if (open.length === 0) continue;
    const text = { of: place, text: new LooseText(place.lines.map(({ bare }) => bare)) };
    for (const i of matchReflowedLines(lines, open, [text]).keys()) {
      found.set(i, { place, line: findNearestRemovedLine(place, lines[i]!) });
    }
  }
  return found;
}

/** The index of the first line from a number on, of lines in order. */
function findFirstIndexFrom(lines: readonly CurrentLine[], number: number): number {
  let [low, high] = [0, lines.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (lines[middle]!.line < number) low = middle + 1;
    else high = middle;
  }
  return low;
}

function chooseSupportThreshold(place: RemovalSite, own: string, { line }: CurrentLine): number {
  if (place.path !== own) return thresholds.other;
  return line >= place.hunk.first && line <= place.hunk.last ? thresholds.hunk : thresholds.file;
}

/** The removed line at the place of a line of its hunk, as close as broken lines allow. */
function findNearestRemovedLine({ lines, hunk }: RemovalSite, { line, bare }: CurrentLine): number {
  const holder = lines.find((removed) => removed.bare.includes(bare) || bare.includes(removed.bare));
  if (holder) return holder.line;
  const share = (line - hunk.first) / Math.max(hunk.last - hunk.first, 1);
  return lines[Math.min(lines.length - 1, Math.round(share * (lines.length - 1)))]!.line;
}

/** The verdicts for lines of the version before, by path and line; nothing for files without any. */
async function readVerdictsBefore(
  sources: { memory: Memory; root: string },
  parent: string,
  places: readonly RemovalSite[],
  signal: AbortSignal | undefined,
): Promise<Map<string, Map<number, AuthorVerdict>>> {
  const ranges = new Map<string, [number, number][]>();
  for (const { path, lines } of places) {
    addTo(ranges, path, [lines[0]!.line, lines.at(-1)!.line]);
  }
  return readVerdictsAt(sources, parent, ranges, signal);
}

/** The verdicts for ranges of lines of a commit's files, by path and line; nothing for files without any. */
export async function readVerdictsAt(
  { memory, root }: { memory: Memory; root: string },
  revision: string,
  ranges: ReadonlyMap<string, [number, number][]>,
  signal: AbortSignal | undefined,
): Promise<Map<string, Map<number, AuthorVerdict>>> {
  const records = new Map<string, AttributionRecord[]>();
  const lookUp = (hash: string, path: string, line: number): AuthorVerdict => {
    const key = `${hash} ${path}`;
    if (!records.has(key)) {
      const commit = findCommitByHash(memory, hash);
      records.set(key, commit ? listAttributions(memory, commit.id, path) : []);
    }
    const record = records.get(key)!.find(({ firstLine, lastLine }) => firstLine <= line && line <= lastLine);
    return record ? convertToVerdict(record) : makeUnknownVerdict();
  };
  const found = new Map<string, Map<number, AuthorVerdict>>();
  for (const [path, wanted] of [...ranges].slice(0, maxBlames)) {
    if (!canHaveAuthors(memory, path)) continue;
    try {
      const { lines } = await blameFile(root, path, { ranges: wanted, revision, signal });
      const verdicts = lines.map(({ line, commit, originalPath, originalLine }): [number, AuthorVerdict] => [
        line,
        commit === null ? makeUnknownVerdict() : lookUp(commit, originalPath, originalLine),
      ]);
      found.set(path, new Map(verdicts));
    } catch (error) {
      if (!(error instanceof GitFailure)) throw error;
    }
  }
  return found;
}

const convertToVerdict = ({
  author,
  sessionUid,
  turn,
  toolUse,
  model,
  confidence,
  how,
  basis,
}: AttributionRecord): AuthorVerdict => ({
  author,
  sessionUid,
  turn,
  toolUse,
  model,
  confidence,
  how,
  basis: basis ?? null,
});

/** The verdicts for the lines of replaced commits. */
export function inheritVerdicts(
  memory: Memory,
  predecessors: readonly string[],
  file: FileToAttribute,
): Map<number, { verdict: AuthorVerdict; support: number }> {
  const paths = [...new Set([file.change.path, file.change.oldPath ?? file.change.path])];
  return matchStoredVerdicts(
    memory,
    predecessors.map((hash) => ({ hash, paths })),
    file,
  );
}

/** The verdicts for lines that files of stored commits added. */
export function matchStoredVerdicts(
  memory: Memory,
  sources: readonly { hash: string; paths: readonly string[] }[],
  file: FileToAttribute,
): Map<number, { verdict: AuthorVerdict; support: number }> {
  const stretches: WrittenStretch<{ verdicts: AuthorVerdict[] }>[] = [];
  for (const { hash, paths } of sources) {
    const commit = findCommitByHash(memory, hash);
    if (commit === null) continue;
    for (const path of paths) {
      const [known] = listFilesOfCommit(memory, commit.id, path);
      const records = known ? listAttributions(memory, commit.id, path) : [];
      if (!known || records.length === 0) continue;
      const byKey = new Map(file.lines.map((line) => [line.key, line]));
      // Lines that are not in the file now need no weight.
      const lines = known.added
        .filter(({ key }) => key !== 0)
        .map(({ line, key }) => ({ line, key, bare: "", weight: byKey.get(key)?.weight ?? 0, isNew: true }));
      const verdicts = lines.map(({ line }) => {
        const record = records.find(({ firstLine, lastLine }) => firstLine <= line && line <= lastLine);
        return record ? convertToVerdict(record) : makeUnknownVerdict();
      });
      stretches.push({ of: { verdicts }, lines });
    }
  }
  const found = new Map<number, { verdict: AuthorVerdict; support: number }>();
  for (const [i, matches] of alignLines(file.lines, stretches)) {
    const matching = matches
      .map(({ of, at, support }) => ({ verdict: of.verdicts[at]!, support }))
      .filter(({ verdict }) => verdict.author !== "unknown");
    if (matching.length === 0) continue;
    const best = matching.reduce((a, b) => (b.support >= a.support ? b : a));
    found.set(i, { ...best, verdict: { ...best.verdict, how: "inherited", basis: "inherited" } });
  }
  return found;
}
