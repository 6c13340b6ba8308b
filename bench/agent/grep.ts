import { findWordRoot, listIdentifiers, stopWords } from "../../src/base/text/tokens.ts";
import { classifyPath, isAskedFor, type PathRole } from "../../src/code/files/path-role.ts";
import { analyseQuery } from "../../src/code/search/query.ts";
import { linesOfRead, type Reading } from "./reading.ts";
import type { Sources } from "./sources.ts";

/** Searches for words that an agent makes before it begins to read. */
const mostKeywords = 4;
/** A question of so few words is a name. */
const wordsOfName = 2;

const looksLikeCode = /[a-z\d][A-Z]|[A-Z]{2}|_|\$|\d/;

/** Entries that a search shows. */
const shown = 100;

/** A word that was searched for. */
interface Keyword {
  text: string;
  files: readonly string[];
  /** The rarer, the higher. */
  weight: number;
}

export interface Keywords {
  /** What the question spells as code, as written. */
  names: string[];
  /** What to grep for, lower-case. */
  texts: string[];
}

/**
 * What to grep for: names that look like code, then the longest words, each without its ending, so that "grouped" finds
 * "group" and "grouping". How common they are in the project is still unknown.
 */
export function keywordsOf(question: string): Keywords {
  const words = [...new Set(listIdentifiers(question))].filter(
    (word) => word.length > 1 && !stopWords.has(word.toLowerCase()) && !/^\d+$/.test(word),
  );
  const isName = (word: string) => looksLikeCode.test(word) || words.length <= wordsOfName;
  const names = words.filter(isName);
  const others = words.filter((word) => !isName(word)).sort((a, b) => b.length - a.length);
  const texts = [
    ...names.map((word) => (looksLikeCode.test(word) ? word.toLowerCase() : findWordRoot(word))),
    ...others.map(findWordRoot),
  ];
  return { names, texts: [...new Set(texts)].slice(0, mostKeywords) };
}

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
    const role = classifyPath(file);
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

/** Lines read before and after a match. */
const around = 60;
/** Windows of a file before the next file's turn. */
const windowsOfFile = 3;

interface Options {
  keywords: readonly Keyword[];
  /** Lines that define what was asked for: an agent has seen them, and reads there first. */
  defined: readonly number[];
  sources: Sources;
  reading: Reading;
}

/** Locates the words in a file, then reads there. */
function readWindows(file: string, { keywords, defined, sources, reading }: Options): void {
  const lines = sources.linesOf(file);
  const window = (middle: number) => {
    const [first, last] = [Math.max(middle - around, 1), middle + around];
    if (!reading.isOver() && !reading.hasSeen(file, first, last)) reading.read(file, first, last);
  };
  // A short file is read as soon as it is searched.
  if (lines.length <= 2 * around + 1) {
    window(around + 1);
    return;
  }
  for (const line of defined.slice(0, windowsOfFile)) window(line);
  if (reading.isOver() || defined.length >= windowsOfFile) return;
  if (reading.hasSeen(file, 1, lines.length)) return;
  const texts = keywords.map(({ text }) => text);
  let left = sources.matchesIn(file, texts).slice(0, shown);
  reading.print(left.map((n) => `${n}:${lines[n - 1]}`).join("\n"));
  for (let i = defined.length; i < windowsOfFile && left.length > 0; i++) {
    const best = bestOf(left, lines, keywords);
    window(best);
    left = left.filter((n) => Math.abs(n - best) > around);
  }
}

/** The match with the most telling words around it; of several the one in their middle. */
function bestOf(matches: readonly number[], lines: readonly string[], keywords: readonly Keyword[]): number {
  const on = matches.map((n) => {
    const line = lines[n - 1]!.toLowerCase();
    return { n, has: keywords.filter(({ text }) => line.includes(text)) };
  });
  const scored = on.map(({ n }) => {
    const near = on.filter((other) => Math.abs(other.n - n) <= around);
    const distinct = new Set(near.flatMap(({ has }) => has));
    const score = [...distinct].reduce((sum, { weight }) => sum + weight, 0);
    const distance = near.reduce((sum, other) => sum + Math.abs(other.n - n), 0);
    return { n, score, matches: near.length, distance };
  });
  scored.sort((a, b) => b.score - a.score || b.matches - a.matches || a.distance - b.distance);
  return scored[0]!.n;
}
