import { crc32 } from "node:zlib";

/** A line without formatting: no white space, no comma or semicolon at its end, one sort of quotes. */
export function stripFormatting(text: string): string {
  return text
    .replace(/\s+/g, "")
    .replace(/[,;]+$/, "")
    .replace(/['`]/g, '"');
}

/** A number for a line, the same for lines that differ only in formatting; 0 for a blank one. 32 bits. */
export function computeLineKey(text: string): number {
  return hashBareLine(stripFormatting(text));
}

const hashBareLine = (bare: string) => (bare === "" ? 0 : crc32(bare) || 1);

/** A line as it is compared with others. */
export interface BareLine {
  key: number;
  bare: string;
  /** How much it says that another line is the same, 0 to 1: next to nothing for a bracket. */
  weight: number;
}

export function toBareLine(text: string): BareLine {
  const bare = stripFormatting(text);
  return { key: hashBareLine(bare), bare, weight: weighBareLine(bare) };
}

function weighBareLine(bare: string): number {
  // Brackets, markers of lists and comments, words that every file has.
  const { length } = bare.replace(/^(?:\/\/+|\/?\*+\/?|#+|--|[-*+>])/, "");
  if (length <= 2) return 0.03;
  if (length <= 5) return 0.15;
  if (length <= 11) return 0.5;
  return length <= 19 ? 0.8 : 1;
}

/** The text of a line of a file: in a notebook source lines are JSON strings. */
export function choosePlainLineReader(path: string): (line: string) => string {
  return isNotebook(path) ? parseNotebookLine : (line) => line;
}

export const isNotebook = (path: string): boolean => path.endsWith(".ipynb");

/** The text of each line of a whole file: what a notebook's cells printed counts as blank, as nobody wrote it. */
export function plainLines(path: string, lines: readonly string[]): string[] {
  if (!isNotebook(path)) return [...lines];
  const printed = printedLines(path, lines);
  return lines.map((line, i) => (printed.has(i) ? "" : parseNotebookLine(line)));
}

const outputsBegin = /^(\s*)"(?:outputs|attachments)"\s*:\s*[[{]\s*$/;
const resultOfCell = /^\s*"(?:outputs|execution_count|attachments)"\s*:/;

/** The lines of a notebook that its cells printed, by index: nobody wrote them. */
export function printedLines(path: string, lines: readonly string[]): ReadonlySet<number> {
  const printed = new Set<number>();
  if (!isNotebook(path)) return printed;
  let indent: string | null = null;
  for (const [i, line] of lines.entries()) {
    if (indent !== null) {
      printed.add(i);
      if (line.startsWith(indent) && /^[\]}]/.test(line.slice(indent.length))) indent = null;
      continue;
    }
    indent = outputsBegin.exec(line)?.[1] ?? null;
    if (indent !== null || resultOfCell.test(line)) printed.add(i);
  }
  return printed;
}

/** The first and the last line of each cell of a notebook, from 1. */
export function findCells(path: string, lines: readonly string[]): [first: number, last: number][] {
  const cells: [number, number][] = [];
  if (!isNotebook(path)) return cells;
  let indent: string | null = null;
  let first = 0;
  for (const [i, line] of lines.entries()) {
    const [, around = "", sign] = /^(\s*)([{}])\s*,?\s*$/.exec(line) ?? [];
    if (sign === undefined) continue;
    if (sign === "{" && around !== "" && (indent === null || indent === around))
      [indent, first] = [around, i + 1];
    else if (sign === "}" && around === indent && first > 0) {
      cells.push([first, i + 1]);
      first = 0;
    }
  }
  return cells;
}

/** What every cell has, whoever wrote it. */
const structure =
  /^\s*"(?:cell_type|execution_count|id|metadata|outputs|source|name|output_type|text|data|nbformat|nbformat_minor|cells|language_info|kernelspec|display_name|language|collapsed|scrolled|tags)"\s*:|^[\s[\]{},]*$/;

const listedLine = /^\s*("(?:[^"\\]|\\.)*"),?\s*$/;
const wholeCell = /^\s*"source"\s*:\s*("(?:[^"\\]|\\.)*"),?\s*$/;

/** All of a cell where its lines are one text on one line of the file; else null. */
export function parseWholeCell(line: string): string | null {
  const literal = wholeCell.exec(line)?.[1];
  return literal === undefined ? null : parseJsonText(literal);
}

/**
 * A source line as a notebook's file holds it: a JSON text in an array, or one for all lines of a cell. The notebook's own
 * structure counts as blank; other lines stay as they are.
 */
function parseNotebookLine(text: string): string {
  const literal = (listedLine.exec(text) ?? wholeCell.exec(text))?.[1];
  if (literal === undefined) return structure.test(text) ? "" : text;
  return parseJsonText(literal)?.replace(/\n$/, "") ?? text;
}

function parseJsonText(literal: string): string | null {
  try {
    return String(JSON.parse(literal));
  } catch {
    return null;
  }
}
