import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const begin = "<!-- npm run test:faults writes these tables -->";
const end = "<!-- /test:faults -->";
const page = join(import.meta.dirname, "../../docs/reliability.md");

/** What was tried, how often, and how often all survived. */
export type Row = readonly [what: string, tried: string, outcome: string];

/**
 * The page with these rows in its tables, instead of those of the same name; the others stay, with the day of their run. The first
 * table has a column for each way to interrupt a piece of work ("kill -9: import"), the second all else. Words between them stay.
 */
export function withRows(text: string, rows: readonly Row[], day: string): string {
  const from = text.indexOf(begin);
  const to = text.indexOf(end);
  if (from < 0 || to < from) throw new Error(`no tables between ${begin} and ${end}`);
  const parts = text
    .slice(from + begin.length, to)
    .trim()
    .split("\n\n")
    .map((part) => (part.startsWith("|") ? readTable(part) : part));
  const [interrupted, others] = parts.filter((part) => typeof part !== "string");
  if (!interrupted || !others) throw new Error("there should be two tables");
  for (const [what, tried, outcome] of rows) {
    const [way = "", work = ""] = what.split(": ");
    const column = interrupted.heading.indexOf(way);
    if (column < 0) {
      others.rows.set(what, [what, tried, outcome, day]);
      continue;
    }
    const row = interrupted.rows.get(work) ?? [work, ...interrupted.heading.slice(1).map(() => "")];
    row[column] = `${outcome.split(";")[0]} of ${tried}, ${day}`;
    interrupted.rows.set(work, row);
  }
  const written = parts.map((part) => (typeof part === "string" ? part : tableText(part))).join("\n\n");
  return `${text.slice(0, from)}${begin}\n${written}\n${text.slice(to)}`;
}

interface Table {
  heading: string[];
  rule: string;
  /** By their first cell. */
  rows: Map<string, string[]>;
}

function readTable(text: string): Table {
  const [heading = "", rule = "", ...lines] = text.split("\n");
  const rows = lines.map(cellsOf);
  return { heading: cellsOf(heading), rule, rows: new Map(rows.map((row) => [row[0]!, row])) };
}

const cellsOf = (line: string) =>
  line
    .split("|")
    .slice(1, -1)
    .map((cell) => cell.trim());

const tableText = ({ heading, rule, rows }: Table) =>
  [lineOf(heading), rule, ...[...rows.values()].map(lineOf)].join("\n");

const lineOf = (cells: string[]) => `|${cells.map((cell) => (cell === "" ? " |" : ` ${cell} |`)).join("")}`;

/** Writes rows into docs/reliability.md. */
export function writeRows(rows: readonly Row[]): void {
  writeFileSync(
    page,
    withRows(readFileSync(page, "utf8"), rows, new Date().toISOString().slice(0, "2026-11-27".length)),
  );
}
