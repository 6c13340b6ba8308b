import { listIdentifiers } from "../../../base/text/tokens.ts";
import { classifyPath, isAskedFor, type PathRole } from "../../../code/files/path-role.ts";
import { findGrammar, type LanguageId } from "../../../code/languages/index.ts";
import { analyseQuery } from "../../../code/search/query.ts";
import { GitFailure } from "../../../git/git.ts";
import { type Commit, isShallow, listCommits } from "../../../git/history/history.ts";
import { isUsable } from "./doc-pairs.ts";
import { type QuestionPair, shuffleBySeed } from "./pairs.ts";

/** Older code has mostly been rewritten. */
const maxCommits = 5000;
/** Commits with more files have no single topic. */
const maxFiles = 10;
/** Maximum number of answers to a question. */
const maxTargets = 5;
/** Messages about these ask for files that cannot be answers. */
const otherRoles: readonly PathRole[] = ["test", "example", "docs"];

export interface Mined {
  pairs: QuestionPair[];
  /** Why there are fewer than requested, or null. */
  problem: string | null;
}

/**
 * Up to `count` commits whose message asks for the files they changed. Answers are the project's own code, not tests,
 * documents and settings; commits about those alone are skipped.
 * @param indexed the indexed files, relative to `root`, with their languages
 */
export async function mineCommitPairs(
  root: string,
  indexed: ReadonlyMap<string, LanguageId>,
  { seed, count, signal }: { seed: string; count: number; signal?: AbortSignal | undefined },
): Promise<Mined> {
  const found = new Map<string, QuestionPair>();
  let seen = 0;
  let shallow = false;
  try {
    shallow = await isShallow(root);
    for await (const commit of listCommits(root, { limit: maxCommits, ...(signal && { signal }) })) {
      seen++;
      const pair = toCommitPair(commit, indexed);
      if (pair && !found.has(pair.query)) found.set(pair.query, pair);
    }
  } catch (error) {
    if (!(error instanceof GitFailure)) throw error;
    return {
      pairs: [],
      problem:
        error.reason === "failed"
          ? `git could not read the history: ${error.message}`
          : error.message.replace(/\.$/, ""),
    };
  }
  const pairs = shuffleBySeed([...found.values()], `${seed} commits`).slice(0, count);
  if (pairs.length >= count) return { pairs, problem: null };
  const cut = shallow ? "; the clone is shallow (`git fetch --unshallow` gets the rest)" : "";
  return { pairs, problem: `${found.size} of ${seen} commits make a question${cut}` };
}

export function toCommitPair(commit: Commit, indexed: ReadonlyMap<string, LanguageId>): QuestionPair | null {
  if (commit.files.length > maxFiles) return null;
  const alive = commit.files.filter((file) => indexed.has(file));
  if (alive.length > maxTargets) return null;
  const isCode = (file: string) =>
    classifyPath(file) === "source" && findGrammar(indexed.get(file)!) !== null;
  const targets = alive.filter(isCode).map((file) => ({ file }));
  const query = targets.length === 0 ? null : extractCommitQuestion(commit);
  if (query === null) return null;
  const stems = new Set(analyseQuery(query).stems);
  return otherRoles.some((role) => isAskedFor(role, stems)) ? null : { query, targets };
}

/** Commits without a code topic: chores, releases, reverts and unfinished work. */
const chore =
  /^(?:merge|revert|reapply|back ?out|bump|upgrade|downgrade|pin|wip|fixup!|squash!|amend!|tmp|temp|release|prepare|version|v?\d+\.\d+|initial (?:commit|import|version)|first commit|(?:fix(?:es|ed)?|correct(?:ed)?)? ?(?:\w+ )?(?:typos?|spelling|grammar|whitespace|indentation|formatting|lint(?:er|ing)?)\b|format(?:ting)?\b|lint(?:ing)?\b|(?:run|apply) (?:prettier|gofmt|rustfmt|black|clang-format|biome|eslint)|change ?log|update (?:the )?(?:change ?log|readme|deps|dependenc|copyright|licen[cs]e|version|lock ?file|submodule|snapshot|translation)|copyright|licen[cs]e|cleanup$|clean up$|minor\b|misc\b)/i;

/** Conventional prefixes such as `feat(parser)!: `; some types disqualify a commit. */
const conventional = /^(?:(?<type>[a-z]{2,10})(?:\([^)]*\))?!?:)\s*/i;
const choreTypes = new Set(["chore", "ci", "build", "release", "style", "deps", "wip", "revert"]);
const plainTypes = new Set([
  "feat",
  "feature",
  "fix",
  "bugfix",
  "hotfix",
  "perf",
  "refactor",
  "docs",
  "doc",
  "test",
  "tests",
]);

/** References to tickets and pull requests, at either end. */
const references =
  /\((?:#|gh-|!)\d+\)|\b(?:fix(?:es|ed)?|close[sd]?|resolve[sd]?|refs?|see|re|part of|for)[: ]+(?:issues? )?(?:[\w./-]*#|gh-)\d+\b|(?:^|\s)[\w./-]*#\d+\b|\bgh-\d+\b|\b[A-Z][A-Z0-9]+-\d+\b:?|\[[^\]]*\](?=\s|:)|https?:\/\/\S+/gi;

const trailer =
  /^[A-Z][\w-]*(?:-[Bb]y|-[Ii]d|-[Tt]o|-[Uu]rl|s)?: |^(?:signed|co-authored|reviewed|tested|acked)-/i;

/**
 * A commit's message as a question: its subject, and the first line of its body if that is prose; without prefixes,
 * ticket numbers and file names. null when too little remains.
 */
export function extractCommitQuestion({
  message,
  author,
  files,
}: Pick<Commit, "message" | "author" | "files">): string | null {
  if (/\[bot\]|^(?:dependabot|renovate|greenkeeper|snyk)\b/i.test(author)) return null;
  const [subject = "", ...body] = message.split(/\r?\n/);
  const type = conventional.exec(subject)?.groups?.type?.toLowerCase() ?? "";
  if (choreTypes.has(type)) return null;
  const rest = plainTypes.has(type) ? subject.replace(conventional, "") : subject;
  const title = withoutPaths(rest.replace(references, " "), files);
  if (chore.test(title) || chore.test(subject)) return null;
  const first = body.find((line) => line.trim() !== "")?.trim() ?? "";
  const isProse = /^[\p{L}`"'(]/u.test(first) && !trailer.test(first) && listIdentifiers(first).length >= 4;
  const more = isProse ? withoutPaths(first.replace(references, " "), files) : "";
  const question = [title, more].map(tidyText).filter(Boolean).join(". ");
  return isUsable(question) ? question : null;
}

/** Removes file names: anything with a slash between words, and names of changed files. */
function withoutPaths(text: string, files: readonly string[]): string {
  const names = files.map((file) => file.slice(file.lastIndexOf("/") + 1).toLowerCase());
  const extensions = names.map((name) => /\.\w+$/.exec(name)?.[0]).filter((end) => end !== undefined);
  const isFile = (word: string) =>
    /\w\/\w/.test(word) || names.includes(word) || extensions.some((end) => word.endsWith(end));
  return text
    .split(/\s+/)
    .filter((word) => !isFile(word.replace(/^[^\w.@]+|[^\w]+$/g, "").toLowerCase()))
    .join(" ");
}

function tidyText(text: string): string {
  return text
    .replace(/^:\w+:\s*|^[\s\-–—:,.;*]+|[\s\-–—:,.;]+$/g, "")
    .replace(/\(\s*\)/g, "")
    .replace(/\s+/g, " ")
    .trim();
}
