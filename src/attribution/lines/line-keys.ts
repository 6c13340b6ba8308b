import { crc32 } from "node:zlib";

/** A line without formatting: no white space, no comma or semicolon at its end, one sort of quotes. */
export function bareLine(text: string): string {
  return text
    .replace(/\s+/g, "")
    .replace(/[,;]+$/, "")
    .replace(/['`]/g, '"');
}

/** A number for a line, the same for lines that differ only in formatting; 0 for a blank one. 32 bits. */
export function lineKey(text: string): number {
  return keyOfBare(bareLine(text));
}

const keyOfBare = (bare: string) => (bare === "" ? 0 : crc32(bare) || 1);

/** A line as it is compared with others. */
export interface BareLine {
  key: number;
  bare: string;
  /** How much it says that another line is the same, 0 to 1: next to nothing for a bracket. */
  weight: number;
}

export function asBare(text: string): BareLine {
  const bare = bareLine(text);
  return { key: keyOfBare(bare), bare, weight: weightOf(bare) };
}

function weightOf(bare: string): number {
  // Brackets, markers of lists and comments, words that every file has.
  const { length } = bare.replace(/^(?:\/\/+|\/?\*+\/?|#+|--|[-*+>])/, "");
  if (length <= 2) return 0.03;
  if (length <= 5) return 0.15;
  if (length <= 11) return 0.5;
  return length <= 19 ? 0.8 : 1;
}

/** The text of a line of a file: in a notebook source lines are JSON strings. */
export function plainLineOf(path: string): (line: string) => string {
  return path.endsWith(".ipynb") ? notebookLine : (line) => line;
}

/** What every cell has, whoever wrote it. */
const structure =
  /^\s*"(?:cell_type|execution_count|id|metadata|outputs|source|name|output_type|text|data|nbformat|nbformat_minor|cells|language_info|kernelspec|display_name|language|collapsed|scrolled|tags)"\s*:/;

/**
 * A source line as a notebook's file holds it: a JSON text in an array. The notebook's own structure counts as blank;
 * other lines stay as they are.
 */
function notebookLine(text: string): string {
  const [, literal] = /^\s*("(?:[^"\\]|\\.)*"),?\s*$/.exec(text) ?? [];
  if (literal === undefined) return structure.test(text) ? "" : text;
  try {
    return String(JSON.parse(literal)).replace(/\n$/, "");
  } catch {
    return text;
  }
}
