import { GitFailure, readGitTextIfAny } from "../../git/git.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { type CopySource, copiesFrom } from "../commands/command-means.ts";
import type { AttributionEvidence } from "../evidence/evidence.ts";
import { alignLines } from "./align.ts";
import type { FileToAttribute } from "./file-lines.ts";
import { plainLines, toBareLine } from "./line-keys.ts";
import { readVerdictsAt } from "./origins.ts";
import { type AuthorVerdict, makeUnknownVerdict, toMovedVerdict } from "./verdict.ts";

/** A command that copies a file writes no line: each is of whoever wrote it where it was. */

/** A line that is as good as alone in its file. */
const minCopySupport = 0.3;
/** Files that a change got copies of, at most, and their size. Characters. */
const maxSources = 12;
const maxChars = 2_000_000;

interface CopySources {
  memory: Memory;
  root: string;
  /** The commit that the change was made on. */
  parent: string;
}

/** Where commands and tools of agents took a file from, in the time of the change. */
export function findCopiedFiles(
  { change: { path } }: FileToAttribute,
  { runs, opaque }: AttributionEvidence,
): CopySource[] {
  const found = new Map<string, CopySource>();
  const add = (source: CopySource) => found.set(`${source.revision} ${source.path}`, source);
  for (const { command } of runs) for (const source of copiesFrom(command, path) ?? []) add(source);
  for (const { paths, isCopying } of opaque) {
    if (!isCopying || !paths.includes(path)) continue;
    for (const from of paths) if (from !== path) add({ revision: null, path: from });
  }
  return [...found.values()].slice(0, maxSources);
}

/** The lines of a file that were copied from files of commits, by index in its `lines`, and who wrote them there. */
export async function findCopiedLines(
  { memory, root, parent }: CopySources,
  file: FileToAttribute,
  copies: readonly CopySource[],
  signal?: AbortSignal,
): Promise<Map<number, AuthorVerdict>> {
  const verdicts = new Map<number, AuthorVerdict>();
  for (const { revision, path } of copies) {
    const commit = revision === null ? parent : await resolveRevision(root, revision, signal);
    if (commit === null) continue;
    const text = await readFileAtCommit(root, commit, path, signal);
    if (text === null) continue;
    const lines = plainLines(path, text.split("\n"))
      .map((line, i) => ({ ...toBareLine(line), line: i + 1, isNew: true }))
      .filter(({ key }) => key !== 0);
    const matches = [...alignLines(file.lines, [{ of: path, lines }])].flatMap(([i, [match]]) =>
      match !== undefined && match.support >= minCopySupport && !verdicts.has(i)
        ? [{ i, line: lines[match.at]!.line }]
        : [],
    );
    if (matches.length === 0) continue;
    const range: [number, number] = [lines[0]!.line, lines.at(-1)!.line];
    const before = await readVerdictsAt({ memory, root }, commit, new Map([[path, [range]]]), signal);
    for (const { i, line } of matches)
      verdicts.set(i, toMovedVerdict(before.get(path)?.get(line) ?? makeUnknownVerdict("command")));
  }
  return verdicts;
}

async function resolveRevision(root: string, revision: string, signal?: AbortSignal): Promise<string | null> {
  const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${revision}^{commit}`];
  return (await readGitTextIfAny(root, args, signal))?.trim() || null;
}

async function readFileAtCommit(
  root: string,
  commit: string,
  path: string,
  signal?: AbortSignal,
): Promise<string | null> {
  if (path.startsWith("/") || path.includes("..") || path.includes("\n")) return null;
  try {
    const text = await readGitTextIfAny(root, ["cat-file", "blob", `${commit}:./${path}`], signal);
    return text === null || text.length > maxChars ? null : text;
  } catch (error) {
    if (error instanceof GitFailure) return null;
    throw error;
  }
}

/** What was copied from files that the change holds as well keeps the authors that it has there. */
export function addCopiesWithin(
  file: FileToAttribute,
  verdicts: Map<number, AuthorVerdict>,
  copies: readonly CopySource[],
  others: readonly { file: FileToAttribute; verdicts: ReadonlyMap<number, AuthorVerdict> }[],
): void {
  for (const source of others) {
    if (!copies.some(({ path }) => path === source.file.change.path)) continue;
    const byKey = new Map<number, AuthorVerdict>();
    for (const [i, verdict] of source.verdicts) byKey.set(source.file.lines[i]!.key, verdict);
    file.lines.forEach(({ key, isAdded }, i) => {
      const there = byKey.get(key);
      const here = verdicts.get(i);
      const isOpen = here === undefined || (here.author === "unknown" && here.basis === "command");
      if (isAdded && there !== undefined && isOpen) verdicts.set(i, toMovedVerdict(there));
    });
  }
}
