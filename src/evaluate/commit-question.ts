import type { Commit } from "../git/history/history.ts";
import { identifiersOf } from "../text/tokens.ts";
import { isUsable } from "./doc-sentence.ts";

/** Commits that say nothing about code: chores, releases, undone and unfinished work. */
const chore =
  /^(?:merge|revert|reapply|back ?out|bump|upgrade|downgrade|pin|wip|fixup!|squash!|amend!|tmp|temp|release|prepare|version|v?\d+\.\d+|initial (?:commit|import|version)|first commit|(?:fix(?:es|ed)?|correct(?:ed)?)? ?(?:\w+ )?(?:typos?|spelling|grammar|whitespace|indentation|formatting|lint(?:er|ing)?)\b|format(?:ting)?\b|lint(?:ing)?\b|(?:run|apply) (?:prettier|gofmt|rustfmt|black|clang-format|biome|eslint)|change ?log|update (?:the )?(?:change ?log|readme|deps|dependenc|copyright|licen[cs]e|version|lock ?file|submodule|snapshot|translation)|copyright|licen[cs]e|cleanup$|clean up$|minor\b|misc\b)/i;

/** `feat(parser)!: ` and the like; with them go the types that never say what code is about. */
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

/** Tickets, pull requests and what points at them, at either end. */
const references =
  /\((?:#|gh-|!)\d+\)|\b(?:fix(?:es|ed)?|close[sd]?|resolve[sd]?|refs?|see|re|part of|for)[: ]+(?:issues? )?(?:[\w./-]*#|gh-)\d+\b|(?:^|\s)[\w./-]*#\d+\b|\bgh-\d+\b|\b[A-Z][A-Z0-9]+-\d+\b:?|\[[^\]]*\](?=\s|:)|https?:\/\/\S+/gi;

const trailer =
  /^[A-Z][\w-]*(?:-[Bb]y|-[Ii]d|-[Tt]o|-[Uu]rl|s)?: |^(?:signed|co-authored|reviewed|tested|acked)-/i;

/**
 * What a commit's message asks for: its subject, and the first line of its body when that is prose; without
 * prefixes, ticket numbers, and the names of files. null when it says too little about code.
 */
export function questionOfCommit({
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
  const isProse = /^[\p{L}`"'(]/u.test(first) && !trailer.test(first) && identifiersOf(first).length >= 4;
  const more = isProse ? withoutPaths(first.replace(references, " "), files) : "";
  const question = [title, more].map(tidied).filter(Boolean).join(". ");
  return isUsable(question) ? question : null;
}

/** Without what names a file: anything with a slash between words, and names like those that were changed. */
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

function tidied(text: string): string {
  return text
    .replace(/^:\w+:\s*|^[\s\-–—:,.;*]+|[\s\-–—:,.;]+$/g, "")
    .replace(/\(\s*\)/g, "")
    .replace(/\s+/g, " ")
    .trim();
}
