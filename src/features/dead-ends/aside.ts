import { listProjectRoots } from "../../git/projects/roots.ts";
import { normalizeErrorLine } from "../../sessions/commands/commands-of-turn.ts";
import type { AskedAbout, FindAsides } from "../asides.ts";
import { isAbout } from "./answer.ts";
import { findTraced } from "./find-dead-ends.ts";
import type { DeadEnd } from "./operation.ts";
import { areDeadEndsChecked } from "./ready.ts";
import { wordForAgent } from "./words.ts";

/** So many are said beside another answer. */
const maxAsides = 2;
/** What is too little to know what is meant: words of a question, names that lines share. */
const minShared = { words: 2, names: 2 } as const;

/** What was tried and dropped of what somebody asks about. */
export const findAsides: FindAsides = async (project, memory, asked) => {
  if (!areDeadEndsChecked(project)) return [];
  const found = await findTraced(memory, await listProjectRoots(project.root));
  return found
    .filter((end) => concerns(end, asked))
    .slice(0, maxAsides)
    .map(wordForAgent);
};

function concerns(end: DeadEnd, { file, error, words }: AskedAbout): boolean {
  if (file !== undefined && end.kind === "change" && end.path === file.path) {
    const names = listNames(file.lines);
    const shared = [...listNames(end.tried)].filter((name) => names.has(name));
    if (shared.length >= minShared.names) return true;
  }
  if (error !== undefined && end.error !== null) {
    const signature = normalizeErrorLine(end.error);
    if (signature !== null && error.split("\n").some((line) => normalizeErrorLine(line) === signature))
      return true;
  }
  return words !== undefined && words.trim().split(/\s+/).length >= minShared.words && isAbout(end, words);
}

/** Names of code: words of prose are in any line. */
const listNames = (lines: readonly string[]): Set<string> =>
  new Set(lines.join("\n").match(/\b(?:[a-z]+[A-Z]\w*|[A-Z][a-z]+[A-Z]\w*|\w+_\w+)\b/g) ?? []);
