import { estimateTokens } from "../../src/base/text/text-size.ts";
import type { Sources } from "./sources.ts";

/** The answer to a question: a file, or lines of one (from 1, inclusive). */
export interface Answer {
  file: string;
  lines: readonly [first: number, last: number] | null;
}

/**
 * When an answer counts as read: "lines": those of the answer; "whole": its file, as one Read returns it; "passage":
 * any ten lines of its file.
 */
export type Criterion = "lines" | "whole" | "passage";

export interface Cost {
  lines: number;
  tokens: number;
  calls: number;
}

/** Lines that one Read gives at most. */
export const linesOfRead = 2000;
/** What may be spent on a question. */
export const budget = { lines: 8000, calls: 40 };
/** Characters shown per line. */
const maxLineLength = 2000;
const passageLines = 10;

/** What has been read so far, and what it cost. */
export interface Reading {
  criterion: Criterion;
  /** A tool's answer. `tokens`: of its other form, if that is longer. */
  print: (text: string, tokens?: number) => void;
  /** Lines in a tool's answer. They cost nothing beyond it. */
  sawPrinted: (file: string, lines: Iterable<number>) => void;
  /** Reads lines from 1, inclusive; those beyond the end are not there. */
  read: (file: string, first: number, last: number) => void;
  hasSeen: (file: string, first: number, last: number) => boolean;
  /** Whether the answer was read, or the budget spent. */
  isOver: () => boolean;
  isFound: () => boolean;
  cost: () => Cost;
}

export function createReading(sources: Sources, answer: Answer, criterion: Criterion): Reading {
  const seen = new Map<string, Set<number>>();
  const cost: Cost = { lines: 0, tokens: 0, calls: 0 };
  const wanted = wantedOf(sources, answer, criterion);
  let found = false;

  function see(file: string, lines: Iterable<number>): void {
    const known = seen.get(file) ?? new Set();
    for (const line of lines) known.add(line);
    seen.set(file, known);
  }
  function print(text: string, tokens = 0): void {
    cost.calls++;
    cost.lines += text === "" ? 0 : text.split("\n").length;
    cost.tokens += Math.max(estimateTokens(text), tokens);
  }
  function show(file: string, first: number, last: number): void {
    const lines = sources.linesOf(file);
    const numbers = range(Math.max(first, 1), Math.min(last, lines.length, first + linesOfRead - 1));
    print(numbers.map((n) => `${n}\t${lines[n - 1]!.slice(0, maxLineLength)}`).join("\n"));
    see(file, numbers);
  }
  /** Who sees a function's first line, or half of it, knows it for the answer and reads the rest of it. */
  function settle(): void {
    const known = seen.get(answer.file) ?? new Set();
    const missing = wanted.filter((line) => !known.has(line));
    const got = wanted.length - missing.length;
    if (criterion === "whole") found ||= missing.length === 0;
    else if (criterion === "passage") found ||= got >= Math.min(passageLines, wanted.length);
    else if (!found && (known.has(wanted[0]!) || got >= wanted.length / 2)) {
      found = true;
      if (missing.length > 0) show(answer.file, missing[0]!, missing.at(-1)!);
    }
  }

  return {
    criterion,
    print,
    sawPrinted(file, lines) {
      see(file, lines);
      settle();
    },
    read(file, first, last) {
      show(file, first, last);
      settle();
    },
    hasSeen(file, first, last) {
      const lines = sources.linesOf(file);
      return range(Math.max(first, 1), Math.min(last, lines.length)).every(
        (n) => seen.get(file)?.has(n) || isBlank(lines[n - 1]!),
      );
    },
    isOver: () => found || cost.lines >= budget.lines || cost.calls >= budget.calls,
    isFound: () => found,
    cost: () => ({ ...cost }),
  };
}

/** The lines that count: blank lines of an answer do not. */
function wantedOf(sources: Sources, { file, lines }: Answer, criterion: Criterion): number[] {
  const all = sources.linesOf(file);
  const [first, last] =
    criterion === "lines" && lines !== null ? lines : [1, Math.min(all.length, linesOfRead)];
  const lastLine = Math.min(last, all.length);
  const wanted = range(first, lastLine).filter((n) => criterion === "passage" || !isBlank(all[n - 1]!));
  if (wanted.length === 0) throw new Error(`${file} has nothing to read in lines ${first} to ${last}.`);
  return wanted;
}

const isBlank = (line: string) => line.trim() === "";

function range(first: number, last: number): number[] {
  return Array.from({ length: Math.max(last - first + 1, 0) }, (_, i) => first + i);
}
