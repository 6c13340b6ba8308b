import { posix } from "node:path";
import type { FileEdit } from "../agent.ts";
import {
  type EditHunk,
  makeHunk,
  makeHunksEdit,
  makeReplacementHunk,
  makeWholeFileEdit,
} from "../reading/edits.ts";

/**
 * What an answer of the model writes into files, in the client's edit formats: `diff` (blocks of SEARCH and REPLACE),
 * `udiff` and `whole`. After `aider/coders/editblock_coder.py`, `udiff_coder.py` and `wholefile_coder.py`:
 * https://github.com/Aider-AI/aider. Neither has line numbers.
 */

const search = /^<{5,9} SEARCH>?\s*$/;
const divider = /^={5,9}\s*$/;
const replace = /^>{5,9} REPLACE\s*$/;
const fence = /^\s*(?:```|~~~~?|<\/?source>)/;

/** The edit of a file in an answer; null when there is none in a form that is known. */
export function findFileEdit(answer: string, path: string, absolutePath: string): FileEdit | null {
  const lines = answer.split("\n");
  const hunks = [...parseSearchBlocks(lines, path), ...parseFencedDiffs(lines, path)];
  if (hunks.length > 0) return makeHunksEdit(absolutePath, hunks);
  const content = findWholeContent(lines, path);
  return content === null ? null : makeWholeFileEdit(absolutePath, content);
}

/** The client also takes a name without its directory. */
function isNamed(written: string, path: string): boolean {
  return written === path || (written !== "" && posix.basename(path) === written);
}

/** The name in a line, as the client reads it. */
function nameIn(line: string): string {
  const text = line.trim();
  const bare = fence.test(text)
    ? text.replace(/^`+|^~+/, "")
    : text.replace(/:$/, "").replace(/^#+/, "").trim();
  if (text === "..." || (fence.test(text) && !/[./]/.test(bare))) return "";
  return bare.replace(/^[`*]+|[`*]+$/g, "");
}

function parseSearchBlocks(lines: readonly string[], path: string): EditHunk[] {
  const hunks: EditHunk[] = [];
  let current = "";
  for (let at = 0; at < lines.length; at++) {
    if (!search.test(lines[at]!)) continue;
    current = nameBefore(lines, at) || current;
    const middle = indexFrom(lines, at + 1, [divider]);
    const end = indexFrom(lines, middle + 1, [replace, divider]);
    if (middle === -1 || end === -1) return hunks;
    if (isNamed(current, path))
      hunks.push(
        makeReplacementHunk(joinLines(lines.slice(at + 1, middle)), joinLines(lines.slice(middle + 1, end))),
      );
    at = end;
  }
  return hunks;
}

/** The name of a file in the three lines before a block, as far as they are fences. */
function nameBefore(lines: readonly string[], at: number): string {
  for (let before = at - 1; before >= Math.max(0, at - 3); before--) {
    const name = nameIn(lines[before]!);
    if (name !== "") return name;
    if (!fence.test(lines[before]!)) return "";
  }
  return "";
}

function indexFrom(lines: readonly string[], start: number, ends: readonly RegExp[]): number {
  if (start === 0) return -1;
  const found = lines.slice(start).findIndex((line) => ends.some((end) => end.test(line)));
  return found === -1 ? -1 : start + found;
}

const joinLines = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join("");

/** Hunks of fenced unified diffs. */
function parseFencedDiffs(lines: readonly string[], path: string): EditHunk[] {
  const hunks: string[][] = [];
  let name: string | null = null;
  let isInside = false;
  for (const line of lines) {
    if (/^\s*```/.test(line)) isInside = !isInside && /^\s*```diff\b/.test(line);
    else if (!isInside) continue;
    else if (line.startsWith("--- ")) name = null;
    else if (line.startsWith("+++ ")) name = line.slice(4).replace(/^b\//, "").trim();
    else if (name === null || !isNamed(name, path)) continue;
    else if (line.startsWith("@@")) hunks.push([]);
    else if (/^[-+ ]/.test(line) || line === "") hunks.at(-1)?.push(line === "" ? " " : line);
    if (/^\s*```/.test(line)) name = null;
  }
  return hunks.filter((all) => all.some((line) => /^[-+]/.test(line))).map((all) => makeHunk(all));
}

/** The content of the last fence below a file's name. */
function findWholeContent(lines: readonly string[], path: string): string | null {
  let content: string | null = null;
  for (let at = 1; at < lines.length; at++) {
    if (!/^\s*```/.test(lines[at]!) || !isNamed(nameIn(lines[at - 1]!), path)) continue;
    const end = indexFrom(lines, at + 1, [/^\s*```\s*$/]);
    if (end === -1) return content;
    content = joinLines(lines.slice(at + 1, end));
    at = end;
  }
  return content;
}
