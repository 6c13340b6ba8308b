import type { AttributedLines } from "../../attribution/foreign/types.ts";
import { blameOf } from "../../git/diff/blame.ts";
import { changesOf, type WhatChanged } from "../../git/diff/changes.ts";
import type { BlamedLine, ChangedHunk } from "../../git/diff/changes-types.ts";
import { GitFailure } from "../../git/git.ts";
import type { Project } from "../../project/paths.ts";
import { commitPathKey, rangeOf } from "../../store/memory/commits/attributions.ts";
import { recordedAuthors } from "./recorded-authors.ts";

/** A line and who wrote it; paths from the top of the repository. */
export interface AuthoredLine {
  path: string;
  line: number;
  /** null: nobody says. */
  by: AttributedLines | null;
}

/** A line of a file in one revision, to be looked up in another. */
interface Wanted {
  path: string;
  line: number;
  /** Its number in the revision that is asked; null: it is not there. */
  asked: number | null;
}

/**
 * Who wrote the lines that a commit added, according to the history of another one that it was made of: a line counts if the
 * diff between the two leaves it alone.
 * @throws GitFailure
 */
export async function authorsCarried(
  project: Project,
  top: string,
  { from, to }: { from: string; to: string },
  signal?: AbortSignal,
): Promise<AuthoredLine[]> {
  const added = await addedLines(top, { commit: to }, signal);
  const paths = [...new Set(added.map(({ path }) => path))];
  const hunks = new Map<string, ChangedHunk[] | null>();
  for await (const file of changesOf(top, { from, to }, { paths, signal })) {
    // A file that is new, or was no text, is nowhere else.
    hunks.set(file.path, file.isText && file.status === "M" ? file.hunks : null);
  }
  const wanted = added.map((one) => ({ ...one, asked: lineBefore(hunks.get(one.path), one.line) }));
  return authorsAt(project, top, from, wanted, signal);
}

async function addedLines(top: string, what: WhatChanged, signal?: AbortSignal): Promise<Wanted[]> {
  const wanted: Wanted[] = [];
  for await (const { path, hunks } of changesOf(top, what, { signal })) {
    for (const { newStart, added } of hunks) {
      for (let i = 0; i < added.length; i++) wanted.push({ path, line: newStart + i, asked: newStart + i });
    }
  }
  return wanted;
}

/**
 * The number of a line before a change; null: the change added it.
 * @param hunks left out: the file is as it was; null: there is no such file
 */
function lineBefore(hunks: readonly ChangedHunk[] | null | undefined, line: number): number | null {
  if (hunks === null) return null;
  let shift = 0;
  for (const { newStart, added, removed } of hunks ?? []) {
    if (line < newStart) break;
    if (line < newStart + added.length) return null;
    shift += removed.length - added.length;
  }
  return line + shift;
}

async function authorsAt(
  project: Project,
  top: string,
  revision: string,
  wanted: readonly Wanted[],
  signal?: AbortSignal,
): Promise<AuthoredLine[]> {
  const asked = new Map<string, number[]>();
  for (const { path, asked: line } of wanted) {
    if (line === null) continue;
    const lines = asked.get(path);
    if (lines) lines.push(line);
    else asked.set(path, [line]);
  }
  const blamed = new Map<string, BlamedLine>();
  for (const [path, lines] of asked) {
    const found = await blameIfAny(top, path, { ranges: stretches(lines), revision, signal });
    for (const line of found) blamed.set(`${path}:${line.line}`, line);
  }
  const hashes = [...new Set([...blamed.values()].flatMap(({ commit }) => commit ?? []))];
  const recorded = await recordedAuthors(project, top, hashes, signal);
  const ranges = new Map<string, { firstLine: number; lastLine: number; by: AttributedLines }[]>();
  for (const [hash, lines] of recorded) {
    for (const by of [...lines].sort((a, b) => a.first - b.first)) {
      const key = commitPathKey({ hash, path: by.path });
      const range = { firstLine: by.first, lastLine: by.last, by };
      const known = ranges.get(key);
      if (known) known.push(range);
      else ranges.set(key, [range]);
    }
  }
  return wanted.map(({ path, line, asked }) => {
    const at = asked === null ? undefined : blamed.get(`${path}:${asked}`);
    const key = at?.commit ? commitPathKey({ hash: at.commit, path: at.originalPath }) : "";
    return { path, line, by: rangeOf(ranges.get(key) ?? [], at?.originalLine ?? 0)?.by ?? null };
  });
}

/** Nothing where git sees no text. */
async function blameIfAny(
  top: string,
  path: string,
  options: Parameters<typeof blameOf>[2],
): Promise<BlamedLine[]> {
  try {
    return (await blameOf(top, path, options)).lines;
  } catch (error) {
    if (!(error instanceof GitFailure) || error.isBroken) throw error;
    return [];
  }
}

/** Numbers in order, as ranges. */
function stretches(lines: readonly number[]): [number, number][] {
  const found: [number, number][] = [];
  for (const line of lines) {
    const before = found.at(-1);
    if (before && before[1] === line - 1) before[1] = line;
    else found.push([line, line]);
  }
  return found;
}
