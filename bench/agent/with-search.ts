import type { Project } from "../../src/base/paths.ts";
import { estimateTokens } from "../../src/base/text/text-size.ts";
import { answerCode } from "../../src/features/code/tool-answer.ts";
import { readByGrep, readWhole } from "./grep.ts";
import type { Reading } from "./reading.ts";
import type { Sources } from "./sources.ts";

/** What `code` answers, as far as it matters here. */
export interface Found {
  text: string;
  tokens: number;
  results: readonly { file: string; start_line: number; end_line: number; content: string }[];
  cursor: string | null;
}

export type Search = (question: string, cursor: string | null) => Promise<Found>;

/** Where the answer came from: the number of a result (from 1, over all pages), or null for a later grep. */
export type FoundAt = number | null;

interface Options {
  sources: Sources;
  reading: Reading;
  search: Search;
}

/** Pages of results that the agent reads before it greps instead. */
const pages = 2;
/** Lines read before and after a result, and at most of a long one. */
const around = 10;
const maxLines = 200;

/**
 * An agent with Pommel: it asks once, reads what the results name in their order, asks for the next page and does the
 * same; then it does what it would have done without, and all of that counts.
 */
export async function readBySearch(
  question: string,
  { sources, reading, search }: Options,
): Promise<FoundAt> {
  // Who has to read a whole file reads files whole, whatever named them.
  const manner = reading.criterion === "whole" ? "whole" : "windows";
  let cursor: string | null = null;
  let before = 0;
  for (let page = 0; page < pages; page++) {
    const found: Found = await search(question, cursor);
    reading.print(found.text, found.tokens);
    for (const [at, result] of found.results.entries()) {
      reading.sawPrinted(result.file, linesPrinted(result, sources));
      if (reading.isFound()) return before + at + 1;
    }
    for (const [at, result] of found.results.entries()) {
      if (reading.isOver()) break;
      if (manner === "whole") readWhole(result.file, sources, reading);
      else readSpan(result, reading);
      if (reading.isFound()) return before + at + 1;
    }
    if (reading.isOver() || found.cursor === null) break;
    before += found.results.length;
    cursor = found.cursor;
  }
  if (!reading.isOver()) readByGrep(question, sources, reading, manner);
  return null;
}

/** What was printed whole is not read again; but who wants to know what a file does reads around it as well. */
function readSpan(result: Found["results"][number], reading: Reading): void {
  const { file, start_line, end_line } = result;
  const last = Math.min(end_line, start_line + maxLines - 2 * around - 1);
  const margin = reading.criterion === "passage" ? around : 0;
  if (reading.hasSeen(file, start_line - margin, last + margin)) return;
  reading.read(file, Math.max(start_line - around, 1), last + around);
}

/** Each line has its number; one that was cut, or the note about omissions, is not a line of the file. */
function linesPrinted({ file, content }: Found["results"][number], { linesOf }: Sources): number[] {
  const lines = linesOf(file);
  return content.split("\n").flatMap((row) => {
    const [, number = "0", line] = /^(\d+)\t(.*)$/.exec(row) ?? [];
    return line?.trimEnd() === lines[Number(number) - 1]?.trimEnd() ? [Number(number)] : [];
  });
}

/** As an agent that does not say how long the answer may be. */
const defaultTokens = 900;

/** The places that an answer names, each with the lines that it prints. */
function resultsIn(text: string): Found["results"][number][] {
  const results: Found["results"][number][] = [];
  for (const row of text.split("\n")) {
    const [, file, first, last = first] = /^(\S+):(\d+)(?:-(\d+))? /.exec(row) ?? [];
    if (file !== undefined) {
      results.push({ file, start_line: Number(first), end_line: Number(last), content: "" });
    } else if (/^\d+\t/.test(row) && results.length > 0) {
      results.at(-1)!.content += `${row}\n`;
    }
  }
  return results;
}

/** The tool `code` of `pm mcp`, as an agent calls it: with a question, and how long the answer may be. */
export function searchTool(project: Project, maxTokens?: number): Search {
  const context = {
    project,
    cwd: project.root,
    across: null,
    ownSession: null,
    signal: new AbortController().signal,
  };
  const known = new Map<string, Promise<Found>>();
  const ask = async (question: string, cursor: string | null): Promise<Found> => {
    const text =
      cursor === null
        ? await answerCode({ query: question, max_tokens: maxTokens ?? defaultTokens }, context)
        : "";
    return { text, tokens: estimateTokens(text), results: resultsIn(text), cursor: null };
  };
  return (question, cursor) => {
    const key = JSON.stringify([question, cursor]);
    const answer = known.get(key) ?? ask(question, cursor);
    known.set(key, answer);
    return answer;
  };
}
