import { isAskedFor, type PathRole, roleOf } from "../../src/search/code/path-role.ts";
import { analyseQuery } from "../../src/search/code/query.ts";
import { type Keyword, keywordsOf, shown } from "./keywords.ts";
import { linesOfRead, type Reading } from "./reading.ts";
import type { Sources } from "./sources.ts";
import { readWindows } from "./windows.ts";

/**
 * An agent without Pommel. It searches for definitions of the code names in the question and for the files with the
 * question's words, and reads the most promising ones: whole, or around the places with most of the words.
 */

/** How an agent reads a file. */
export type Manner = "whole" | "windows";

/** Files that are unlikely to be the answer, by their paths. */
const lastRoles: readonly PathRole[] = ["test", "example", "docs", "generated"];

export function readByGrep(question: string, sources: Sources, reading: Reading, manner: Manner): void {
  const { names, texts } = keywordsOf(question);
  const defined = names.length > 0 ? searchDefinitions(names, sources, reading) : [];
  const keywords: Keyword[] = [];
  for (const text of texts) {
    if (reading.isOver()) return;
    const files = sources.filesWith(text).slice(0, shown);
    reading.print(files.join("\n"));
    const weight = Math.log(1 + sources.paths.length / Math.max(files.length, 1));
    keywords.push({ text, files, weight });
  }
  const definers = new Set(defined.map(({ file }) => file));
  for (const file of inOrder(question, keywords, definers)) {
    if (reading.isOver()) return;
    const lines = defined.filter((one) => one.file === file).map(({ line }) => line);
    if (manner === "whole") readWhole(file, sources, reading);
    else readWindows(file, { keywords, defined: lines, sources, reading });
  }
}

function searchDefinitions(names: readonly string[], sources: Sources, reading: Reading) {
  const found = names.flatMap(sources.definitionsOf).slice(0, shown);
  const textOf = ({ file, line }: (typeof found)[number]) =>
    `${file}:${line}:${sources.linesOf(file)[line - 1]}`;
  reading.print(found.map(textOf).join("\n"));
  return found;
}

/**
 * The most promising first: definitions of the names in the question; then files with many and rare words of the
 * question, words in the path counted twice. Tests, examples and documents come last unless the question mentions them.
 */
function inOrder(
  question: string,
  keywords: readonly Keyword[],
  definers: ReadonlySet<string>,
): readonly string[] {
  const stems = new Set(analyseQuery(question).stems);
  const files = [...new Set([...definers, ...keywords.flatMap((keyword) => keyword.files)])].sort();
  const scored = files.map((file) => {
    const path = file.toLowerCase();
    const role = roleOf(file);
    const score = keywords
      .filter((keyword) => keyword.files.includes(file))
      .reduce((sum, { text, weight }) => sum + (path.includes(text) ? 2 * weight : weight), 0);
    const isLast = lastRoles.includes(role) && !isAskedFor(role, stems);
    return { file, score, place: isLast ? 2 : definers.has(file) ? 0 : 1 };
  });
  return scored.sort((a, b) => a.place - b.place || b.score - a.score).map(({ file }) => file);
}

/** Reads all of a file, one Read after the other; if the answer is a whole file, only the first Read. */
export function readWhole(file: string, { linesOf }: Sources, reading: Reading): void {
  const all = linesOf(file).length;
  const length = reading.criterion === "whole" ? Math.min(all, linesOfRead) : all;
  for (let first = 1; first <= length && !reading.isOver(); first += linesOfRead) {
    const last = Math.min(first + linesOfRead - 1, length);
    if (!reading.hasSeen(file, first, last)) reading.read(file, first, last);
  }
}
