import { grammarOf, type LanguageId } from "../code/languages/index.ts";
import { GitFailure } from "../git/git.ts";
import { type Commit, commitsOf, isShallow } from "../git/history/history.ts";
import { isAskedFor, type PathRole, roleOf } from "../search/code/path-role.ts";
import { analyseQuery } from "../search/code/query.ts";
import { questionOfCommit } from "./commit-question.ts";
import type { Pair } from "./pairs.ts";
import { shuffled } from "./sampling.ts";

/** So far back history is read; what was there before has mostly been rewritten. */
const maxCommits = 5000;
/** A commit that changed more files than this was about no single thing. */
const maxFiles = 10;
/** And so many answers at most make a question. */
const maxTargets = 5;
/** Messages that speak of these ask for files that are no answers. */
const otherRoles: readonly PathRole[] = ["test", "example", "docs"];

export interface Mined {
  pairs: Pair[];
  /** Why there are not more, for a person; null when there are as many as were asked for. */
  problem: string | null;
}

/**
 * Up to `count` commits whose message asks for the files they changed. Answers are the project's own code; tests,
 * documents and settings that went along are none, and commits that are about nothing else are left out.
 * @param indexed the files that can be found, relative to `root`, and their languages
 */
export async function mineCommitPairs(
  root: string,
  indexed: ReadonlyMap<string, LanguageId>,
  { seed, count, signal }: { seed: string; count: number; signal?: AbortSignal | undefined },
): Promise<Mined> {
  const found = new Map<string, Pair>();
  let seen = 0;
  let shallow = false;
  try {
    shallow = await isShallow(root);
    for await (const commit of commitsOf(root, { limit: maxCommits, ...(signal && { signal }) })) {
      seen++;
      const pair = pairOfCommit(commit, indexed);
      if (pair && !found.has(pair.query)) found.set(pair.query, pair);
    }
  } catch (error) {
    if (!(error instanceof GitFailure)) throw error;
    return {
      pairs: [],
      problem: reasons[error.reason] ?? `git could not read the history: ${error.message}`,
    };
  }
  const pairs = shuffled([...found.values()], `${seed} commits`).slice(0, count);
  if (pairs.length >= count) return { pairs, problem: null };
  const cut = shallow ? "; the clone is shallow (`git fetch --unshallow` gets the rest)" : "";
  return { pairs, problem: `${found.size} of ${seen} commits make a question${cut}` };
}

const reasons: Partial<Record<GitFailure["reason"], string>> = {
  not_installed: "git is not installed",
  no_repository: "there is no git history here",
};

export function pairOfCommit(commit: Commit, indexed: ReadonlyMap<string, LanguageId>): Pair | null {
  if (commit.files.length > maxFiles) return null;
  const alive = commit.files.filter((file) => indexed.has(file));
  if (alive.length > maxTargets) return null;
  const isCode = (file: string) => roleOf(file) === "source" && grammarOf(indexed.get(file)!) !== null;
  const targets = alive.filter(isCode).map((file) => ({ file }));
  const query = targets.length === 0 ? null : questionOfCommit(commit);
  if (query === null) return null;
  const stems = new Set(analyseQuery(query).stems);
  return otherRoles.some((role) => isAskedFor(role, stems)) ? null : { query, targets };
}
