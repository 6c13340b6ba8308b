import { findNamedCommit, resolveCommit, splitRange } from "../../answers/named-commit.ts";
import { PommelError } from "../../base/errors.ts";
import type { Project } from "../../base/paths.ts";
import { findPlaceInRepository } from "../../git/diff/changes.ts";
import type { ChangedHunk } from "../../git/diff/changes-types.ts";
import { type GitFailure, readGitTextIfAny } from "../../git/git.ts";
import { defaultBranches } from "../../git/history/head.ts";
import {
  findCommitHash,
  findCommonAncestor,
  findHistoryProblem,
  readHeadCommit,
} from "../../git/history/history.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { ReviewHunk, ReviewLine } from "./operation.ts";

/** What is reviewed; hashes. `from: null`: a commit without a parent. */
export type Reviewed =
  | { kind: "commit"; from: string | null; to: string }
  | { kind: "range"; from: string; to: string; isMerge?: boolean }
  | { kind: "uncommitted"; from: string; to: null };

/**
 * What a person means: nothing is the working tree, a range both of its ends (from where they parted), a branch what it has
 * since it left the default one, and all else a commit.
 * @throws PommelError `usage` for a range without a common ancestor and where a shallow clone begins, else as `resolveCommit`; GitFailure without a history
 */
export async function resolveReviewRange(
  project: Project,
  memory: Memory | null,
  range: string,
): Promise<Reviewed> {
  const { root } = project;
  const problem: GitFailure | null = await findHistoryProblem(root);
  if (problem !== null) throw problem;
  if (range === "") return { kind: "uncommitted", from: (await readHeadCommit(root))!, to: null };
  const ends = splitRange(range);
  if (ends !== null) return toReviewedRange(project, memory, ...ends);
  const base = await findParentBranch(root, range);
  if (base !== null) return toReviewedRange(project, memory, base, range);
  const to = await resolveCommitName(project, memory, range);
  if ((await findPlaceInRepository(root)).cutOff.has(to)) {
    throw new PommelError(
      "usage",
      `This clone is shallow, and begins with ${range}: what that commit changed is not in it.`,
      "`git fetch --unshallow` fetches the rest.",
    );
  }
  const from = await findCommitHash(root, `${to}^`);
  // Of a merge all that it brought is meant; git shows of one only what neither side has.
  const isMerge = from !== null && (await findCommitHash(root, `${to}^2`)) !== null;
  return isMerge ? { kind: "range", from, to, isMerge } : { kind: "commit", from, to };
}

async function toReviewedRange(
  project: Project,
  memory: Memory | null,
  left: string,
  right: string,
): Promise<Reviewed> {
  const [from, to] = [
    await resolveCommitName(project, memory, left),
    await resolveCommitName(project, memory, right),
  ];
  const base = await findCommonAncestor(project.root, from, to);
  if (base) return { kind: "range", from: base, to };
  throw new PommelError(
    "usage",
    `${left} and ${right} have no commit in common.`,
    "A shallow clone lacks it: `git fetch --unshallow` fetches the rest.",
  );
}

async function resolveCommitName(project: Project, memory: Memory | null, name: string): Promise<string> {
  return memory === null
    ? findNamedCommit(project.root, name)
    : (await resolveCommit(project, memory, name)).commit;
}

/** The branch that this one left; null: it is the default one, none is, or `name` is no branch. */
async function findParentBranch(root: string, name: string): Promise<string | null> {
  const remoteHead = "refs/remotes/origin/HEAD";
  const wanted = [remoteHead, ...[name, ...defaultBranches].map((branch) => `refs/heads/${branch}`)];
  const lines = await readGitTextIfAny(root, ["for-each-ref", "--format=%(refname) %(symref)", ...wanted]);
  const refs = new Map(
    (lines ?? "").split("\n").map((line): [string, string] => {
      const [ref = "", points = ""] = line.split(" ");
      return [ref, points];
    }),
  );
  if (!refs.has(`refs/heads/${name}`)) return null;
  const remote = refs.get(remoteHead)?.replace("refs/remotes/", "");
  const known = [remote, ...defaultBranches.filter((branch) => refs.has(`refs/heads/${branch}`))];
  const left = known.find((branch) => branch !== undefined);
  return left === undefined || left === name || left === `origin/${name}` ? null : left;
}

/** Lines that stay, before and after a change. */
const context = 3;

/**
 * Changes with the lines around them; those that are close to each other are one hunk.
 * @param after the file's lines after the change; empty: nothing is around them
 * @param authorOf the author of a line after the change, as a place in the answer's list
 */
export function buildHunks(
  changes: readonly ChangedHunk[],
  after: readonly string[],
  authorOf: (line: number) => number | null,
): ReviewHunk[] {
  return groupChanges(changes).map((group) => {
    const first = group[0]!;
    const start = Math.max(1, first.newStart - context);
    const lines: ReviewLine[] = [];
    let next = start;
    const stay = (end: number) => {
      for (; next < end && next <= after.length; next++)
        lines.push({ mark: " ", text: after[next - 1]!, by: null });
    };
    for (const { newStart, removed, added } of group) {
      stay(newStart);
      lines.push(...removed.map((text): ReviewLine => ({ mark: "-", text, by: null })));
      lines.push(...added.map((text, i): ReviewLine => ({ mark: "+", text, by: authorOf(newStart + i) })));
      next = newStart + added.length;
    }
    stay(next + context);
    const isAround = after.length > 0;
    return {
      old_start: Math.max(1, isAround ? first.oldStart - (first.newStart - start) : first.oldStart),
      new_start: isAround ? start : Math.max(1, first.newStart),
      lines,
    };
  });
}

function groupChanges(changes: readonly ChangedHunk[]): ChangedHunk[][] {
  const groups: ChangedHunk[][] = [];
  for (const change of changes) {
    const last = groups.at(-1)?.at(-1);
    const isNear = last && change.newStart - (last.newStart + last.added.length) <= 2 * context;
    if (isNear) groups.at(-1)!.push(change);
    else groups.push([change]);
  }
  return groups;
}

/** The first changes with at most so many changed lines; a longer one is cut. */
export function limitChanges(
  changes: readonly ChangedHunk[],
  most: number,
): { shown: ChangedHunk[]; leftOut: number } {
  const shown: ChangedHunk[] = [];
  let [left, leftOut] = [most, 0];
  for (const change of changes) {
    const removed = change.removed.slice(0, left);
    const added = change.added.slice(0, left - removed.length);
    const taken = removed.length + added.length;
    if (taken > 0) shown.push({ ...change, removed, added });
    left -= taken;
    leftOut += change.removed.length + change.added.length - taken;
  }
  return { shown, leftOut };
}
