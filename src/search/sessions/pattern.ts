import { RE2JS, RE2JSSyntaxException } from "re2js";
import { PommelError } from "../../project/errors.ts";
import { type ChunkFilter, chunkTextsIn } from "../../store/memory/chunk-filter.ts";
import type { Memory } from "../../store/memory/memory.ts";

/**
 * A pattern that people wrote, in RE2's syntax: its time grows with the text only, whatever the pattern. Letter case
 * counts only if the pattern has a capital letter.
 * @throws PommelError `usage` when it is none
 */
export function compilePattern(pattern: string): RE2JS {
  const flags = /\p{Lu}/u.test(pattern.replace(/\\[A-Za-z]/g, "")) ? 0 : RE2JS.CASE_INSENSITIVE;
  try {
    return RE2JS.compile(pattern, flags | RE2JS.MULTILINE);
  } catch (error) {
    if (!(error instanceof RE2JSSyntaxException)) throw error;
    throw new PommelError(
      "usage",
      `${JSON.stringify(pattern)} is no regular expression: ${error.message}.`,
      "The syntax is RE2's: no look-around and no back-references.",
      { cause: error },
    );
  }
}

/** Chunks whose text a pattern matches, newest first, with where; at most `limit`, and how many there are. */
export function chunksMatching(
  memory: Memory,
  pattern: RE2JS,
  filter: ChunkFilter,
  limit: number,
): { found: { rowid: number; start: number; end: number }[]; total: number } {
  const found: { rowid: number; start: number; end: number }[] = [];
  let total = 0;
  for (const { id, text } of chunkTextsIn(memory, filter)) {
    const matcher = pattern.matcher(text);
    if (!matcher.find()) continue;
    total++;
    if (found.length < limit) found.push({ rowid: id, start: matcher.start(), end: matcher.end() });
  }
  return { found, total };
}
