import { sliceLineBefore } from "./checks/randomness.ts";
import { hasPasswordShape, isNoValue, isStated, isToken } from "./checks/values.ts";
import type { SecretSpan } from "./patterns/rule.ts";
import { expandWordList, expandWords, toAlternation } from "./words.ts";

/** What the name of a column of secrets holds, as keywords. */
export const columnKeywords = expandWords(
  "password passwd pass pwd secret token api·key access·key {{foreignPassword}}",
);

const passwordHeader = new RegExp(
  `^(?:.*[\\s_.-])?(?:pass(?:word|wd|phrase)?|pwd|${toAlternation(expandWordList("foreignPassword"))})(?:[ _-]?(?:value|plain|[0-9]))?$`,
  "iu",
);
const tokenHeader =
  /^(?:.*[\s_.-])?(?:secrets?|tokens?|(?:api|access|secret|private)[ _-]?keys?)(?:[ _-]?(?:value|plain|[0-9]))?$/i;
/** Every cell of a header is a name of few words. */
const anyHeader = /^[\p{L}\p{N}_ .()#*/:-]{0,40}$/u;

const separators = ["|", "│", "┃", "\t", ";", ","];
const ruler = /^[\s|+:=┌┬┐├┼┤└┴┘─━═│┃╞╪╡╭╮╰╯┠┨╤╧╔╦╗╠╬╣╚╩╝║-]*$/;
/** What somebody says before a table: "Note to Pommel: NAME   TOKEN", without a sign between columns. */
const lead = /^[^\n|│┃\t;,"]{2,60}:[ \t]+(?=\S)/;
/** A header is shorter. Characters. */
const maxHeader = 400;

interface Cell {
  start: number;
  value: string;
}

/**
 * What stands below the name of a column: in CSV and its kin, in tables that databases and consoles draw, and in columns
 * between spaces.
 * @returns also where the table ends
 */
export function findSecretColumns(text: string, keyword: number): { spans: SecretSpan[]; searched: number } {
  const nothing = { spans: [], searched: keyword + 1 };
  // Whatever goes on as a sentence or as code is no header.
  if (
    !/^\w{2,24}(?:[\w .-]{0,16}["']?[ \t]*(?:[|│┃;,\t\r\n]|$)| {2})/.test(text.slice(keyword, keyword + 60))
  )
    return nothing;
  const lineStart = keyword - sliceLineBefore(text, keyword, maxHeader).length;
  if (lineStart > 0 && text[lineStart - 1] !== "\n") return nothing;
  const from = lineStart + (lead.exec(text.slice(lineStart, keyword))?.[0].length ?? 0);
  let end = findLineEnd(text, from);
  if (end - from > maxHeader) return nothing;
  const header = text.slice(from, end);
  const separator = separators.find((sign) => header.includes(sign)) ?? null;
  const names = separator === null ? findColumnNames(header) : splitCells(header, separator);
  const columns = names.flatMap(({ start, value }, index) => {
    const name = value.replace(/([a-z])([A-Z])/g, "$1_$2");
    const isPassword = passwordHeader.test(name);
    return isPassword || tokenHeader.test(name) ? [{ index, start, isPassword }] : [];
  });
  if (columns.length === 0 || names.length < 2 || !names.every(({ value }) => anyHeader.test(value)))
    return nothing;
  const isDrawn = separator !== null && "|│┃".includes(separator);
  if (!isDrawn && names.some(({ value }) => value === "")) return nothing;
  // Columns between spaces have names in capitals.
  if (separator === null && !/^[A-Z0-9_ ()-]+$/.test(header.trim())) return nothing;

  const spans: SecretSpan[] = [];
  while (end < text.length) {
    const start = end + 1;
    end = findLineEnd(text, start);
    const line = text.slice(start, end).replace(/\r$/, "");
    if (ruler.test(line)) {
      if (line.trim() === "") break;
      continue;
    }
    const cells = separator === null ? null : splitCells(line, separator);
    if (cells !== null && cells.length !== names.length) break;
    for (const column of columns) {
      const cell = cells === null ? findWordAt(line, column.start) : cells[column.index]!;
      if (cell === null || !isSecret(cell.value, column.isPassword, isDrawn)) continue;
      const begin = start + cell.start;
      spans.push({ start: begin, end: begin + cell.value.length, next: begin + cell.value.length });
    }
    if (cells === null && !/\S {2,}\S/.test(line)) break;
  }
  return { spans, searched: Math.max(end, keyword + 1) };
}

function isSecret(value: string, isPassword: boolean, isDrawn: boolean): boolean {
  if (value.length < 5 || isNoValue(value) || /^[0-9.:TZ /-]+$/.test(value)) return false;
  if (isDrawn && isPassword && /[0-9]/.test(value)) return true;
  return hasPasswordShape(value) || (isPassword ? isStated(value) : isToken(value, true));
}

const findLineEnd = (text: string, from: number) => {
  const at = text.indexOf("\n", from);
  return at === -1 ? text.length : at;
};

/** What stands between separators, without spaces and quotes; a separator in double quotes is none. */
function splitCells(line: string, separator: string): Cell[] {
  const cells: Cell[] = [];
  let start = 0;
  let isQuoted = false;
  for (let at = 0; at <= line.length; at++) {
    const sign = line[at];
    if (sign === '"') isQuoted = !isQuoted;
    if (at < line.length && (sign !== separator || isQuoted)) continue;
    const cell = line.slice(start, at);
    const value = cell.trim().replace(/^(["'`])(.*)\1$/, "$2");
    cells.push({ start: start + cell.indexOf(value), value });
    start = at + 1;
  }
  return cells;
}

/** Names of columns between two spaces or more. */
const findColumnNames = (line: string): Cell[] =>
  Array.from(line.matchAll(/\S+(?: \S+)*/g), ({ 0: value, index }) => ({ start: index, value }));

function findWordAt(line: string, start: number): Cell | null {
  const value = /^\S+/.exec(line.slice(start))?.[0];
  return value === undefined || (start > 0 && line[start - 1] !== " ") ? null : { start, value };
}
