import { readFileSync } from "node:fs";
import { join } from "node:path";
import { decodeText } from "../../base/text/decode.ts";
import { analyseQuery } from "./query.ts";

/** The cost of reading an answer, and the cost without it; the keys are those of JSON. */
export interface ContextMetrics {
  /** The results' lines, as `--full` and `--json` print them; a line in two results counts twice. */
  result_lines: number;
  /** About: characters / 4, as everywhere here. */
  result_tokens: number;
  /** The query's words without stop words, lower-case. */
  baseline_words: string[];
  /** How many of them each file of the baseline holds. */
  baseline_words_held: number;
  /** The files one would have to read. */
  baseline_files: number;
  baseline_lines: number;
  baseline_tokens: number;
  /** The share of the baseline's tokens that need not be read; negative when the results are more. null: no results or no baseline. */
  saved_share: number | null;
  method: string;
}

/** How the baseline is found, for people; docs/cli.md says more. */
const method =
  "whole files that `grep -il` lists for all the query's words, or else for most of them; tokens are characters / 4";

const charactersPerToken = 4;

interface Measure {
  lines: number;
  characters: number;
}

/**
 * Compares an answer with reading the files that `grep` finds: those that hold all the meaningful words of the query
 * anywhere in them, in upper or lower case; if none does, those that hold the most. That is the smallest set that grep
 * can lead to, so the saving is rather too low than too high.
 * @param contents of the results
 * @param files to grep, relative to `root`; those that are gone, binary or unreadable are passed over
 */
export function measureContextSaving(
  query: string,
  contents: readonly string[],
  { root, files }: { root: string; files: Iterable<string> },
): ContextMetrics {
  const words = listWordsToGrep(query);
  let held = 1;
  let baseline: Measure[] = [];
  for (const file of files) {
    const text = readText(join(root, file));
    if (text === null) continue;
    const hits = countHits(text.toLowerCase(), words);
    if (hits > held) baseline = [];
    held = Math.max(held, hits);
    if (hits === held) baseline.push(measure(text));
  }
  const results = sumMeasures(contents.map(measure));
  const reading = sumMeasures(baseline);
  return {
    result_lines: results.lines,
    result_tokens: toTokenCount(results),
    baseline_words: words,
    baseline_words_held: baseline.length > 0 ? held : 0,
    baseline_files: baseline.length,
    baseline_lines: reading.lines,
    baseline_tokens: toTokenCount(reading),
    saved_share: share(results, reading),
    method,
  };
}

/** The words that someone with a question would grep for: without stop words. */
function listWordsToGrep(query: string): string[] {
  return [...new Set(analyseQuery(query).words.map((word) => word.toLowerCase()))];
}

function countHits(text: string, words: readonly string[]): number {
  let hits = 0;
  for (const word of words) if (text.includes(word)) hits++;
  return hits;
}

function readText(file: string): string | null {
  try {
    return decodeText(readFileSync(file));
  } catch {
    return null;
  }
}

function measure(text: string): Measure {
  let lines = text === "" || text.endsWith("\n") ? 0 : 1;
  for (let i = text.indexOf("\n"); i >= 0; i = text.indexOf("\n", i + 1)) lines++;
  return { lines, characters: text.length };
}

function sumMeasures(measures: readonly Measure[]): Measure {
  return measures.reduce(
    (sum, { lines, characters }) => ({ lines: sum.lines + lines, characters: sum.characters + characters }),
    { lines: 0, characters: 0 },
  );
}

function share(results: Measure, reading: Measure): number | null {
  if (results.characters === 0 || reading.characters === 0) return null;
  return Math.floor((1 - results.characters / reading.characters) * 1e4) / 1e4;
}

function toTokenCount({ characters }: Measure): number {
  return Math.ceil(characters / charactersPerToken);
}
