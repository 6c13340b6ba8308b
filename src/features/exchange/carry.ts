import { writeAuthorshipLog } from "../../attribution/foreign/git-ai.ts";
import type { AttributedLines } from "../../attribution/foreign/types.ts";
import { PommelError } from "../../base/errors.ts";
import type { Project } from "../../base/paths.ts";
import { version } from "../../base/version.ts";
import { computePatchIds } from "../../git/diff/changes.ts";
import type { CommitInfo } from "../../git/diff/changes-types.ts";
import { GitFailure, readGitText } from "../../git/git.ts";
import { readCommits } from "../../git/history/commits.ts";
import { findCommitHash, findCommonAncestor } from "../../git/history/history.ts";
import { type NotesExport, writeCommitNotes } from "./export-notes.ts";
import { type AuthoredLine, findCarriedAuthors } from "./recorded-authors.ts";

export interface CarryRequest {
  /** `base..head`: what was merged. */
  range: string;
  /** The (last) commit that a squash or rebase on the server made of it. */
  mergedAs: string;
}

export interface Carried extends NotesExport {
  /** The commits that the server made; empty where it kept those of the range. */
  onto: string[];
}

/**
 * Carries who wrote a range of commits over to those that a merge on the server made of them, as notes. Needs a checkout with
 * the commits, and the shared memory's branch or notes; no daemon or memory.
 * @throws PommelError `usage` without a repository or range, `not_found` for revisions that git does not have
 */
export async function carryAttribution(
  project: Project,
  { range, mergedAs }: CarryRequest,
  signal?: AbortSignal,
): Promise<Carried> {
  const { root } = project;
  const top = await findRepositoryTop(root, signal);
  const place = { top, ...(await parseRangeEnds(top, range)), signal };
  const pairs = await pairWithOriginals(place, await resolveHash(top, mergedAs));
  const logs = new Map<string, string>();
  let unknown = 0;
  for (const { info, from } of pairs) {
    const lines = await findCarriedAuthors(project, top, { from, to: info.hash }, signal);
    const person = `${info.author} <${info.authorEmail}>`.replace(/\s+/g, " ");
    const log = writeAuthorshipLog({
      hash: info.hash,
      person,
      lines: lines.flatMap(toAttributedRange),
      version,
    });
    if (log === null) unknown++;
    else logs.set(info.hash, log);
  }
  const written = await writeCommitNotes("git-ai", top, logs, { force: false, dryRun: false, unknown });
  return { ...written, onto: pairs.map(({ info }) => info.hash) };
}

/** @throws PommelError `usage` outside of a repository, GitFailure for one that git cannot read */
async function findRepositoryTop(root: string, signal: AbortSignal | undefined): Promise<string> {
  try {
    const top = await readGitText(root, ["rev-parse", "--show-toplevel"], signal);
    if (top !== "") return top;
  } catch (error) {
    if (!(error instanceof GitFailure) || error.isBroken) throw error;
  }
  throw new PommelError("usage", `${root} is not in a git repository.`, "Run it in a checkout.");
}

async function parseRangeEnds(top: string, range: string): Promise<{ base: string; head: string }> {
  const [from, to, ...more] = range.split(/\.{2,3}/);
  if (from === undefined || to === undefined || more.length > 0)
    throw new PommelError("usage", `${range} is not a range.`, "Name one with both ends: origin/main..HEAD.");
  const [start, head] = [await resolveHash(top, from || "HEAD"), await resolveHash(top, to || "HEAD")];
  const base = await findCommonAncestor(top, start, head);
  if (base !== null) return { base, head };
  throw new PommelError(
    "not_found",
    `git finds no common ancestor of ${from} and ${to}.`,
    "A shallow clone lacks it: fetch the whole history (fetch-depth: 0).",
  );
}

async function resolveHash(top: string, name: string): Promise<string> {
  const hash = name.startsWith("-") ? null : await findCommitHash(top, name);
  if (hash !== null) return hash;
  throw new PommelError("not_found", `git finds no commit ${name}.`, "Fetch it first; see fetch-depth.");
}

interface CarryRange {
  top: string;
  base: string;
  head: string;
  signal: AbortSignal | undefined;
}

const toAttributedRange = ({ path, line, by }: AuthoredLine): AttributedLines[] =>
  by === null ? [] : [{ ...by, path, first: line, last: line }];

/**
 * The commits that the server made, each with the one whose history says who wrote its lines. A rebase makes a copy with
 * the same patch of each commit, in their order; a squash makes one of all.
 */
async function pairWithOriginals(
  { top, base, head, signal }: CarryRange,
  merged: string,
): Promise<{ info: CommitInfo; from: string }[]> {
  const originals: string[] = [];
  for await (const { hash } of readCommits(top, [`${base}..${head}`, "--no-merges"], { signal }))
    originals.push(hash);
  const made: CommitInfo[] = [];
  const revisions = [merged, "--first-parent"];
  for await (const info of readCommits(top, revisions, { limit: Math.max(originals.length, 1), signal }))
    made.push(info);
  const [last] = made;
  if (last === undefined || last.parents.length > 1 || originals.includes(merged)) return [];
  const patches = await computePatchIds(top, [...originals, ...made.map(({ hash }) => hash)], signal);
  const byPatch = new Map(originals.map((hash) => [patches.get(hash), hash]));
  byPatch.delete(undefined);
  const copies: { info: CommitInfo; from: string }[] = [];
  for (const info of made) {
    const patch = patches.get(info.hash);
    const from = byPatch.get(patch);
    if (from === undefined || info.parents.length > 1 || originals.includes(info.hash)) break;
    byPatch.delete(patch);
    copies.push({ info, from });
  }
  return copies.length > 0 ? copies : [{ info: last, from: head }];
}
