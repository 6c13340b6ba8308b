import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const begin = "<!-- npm run test:faults writes this table -->";
const end = "<!-- /test:faults -->";
const page = join(import.meta.dirname, "../../docs/reliability.md");

/** What was tried, how often, and how often all survived. */
export type Row = readonly [what: string, tried: string, outcome: string];

/** The page with these rows in its table, instead of those of the same name; the others stay, with the day of their run. */
export function withRows(text: string, rows: readonly Row[], day: string): string {
  const from = text.indexOf(begin);
  const to = text.indexOf(end);
  if (from < 0 || to < from) throw new Error(`no table between ${begin} and ${end}`);
  const [heading, rule, ...old] = text
    .slice(from + begin.length, to)
    .trim()
    .split("\n");
  const lines = new Map(old.map((line) => [line.split("|")[1]!.trim(), line]));
  for (const row of rows) lines.set(row[0], `| ${[...row, day].join(" | ")} |`);
  return `${text.slice(0, from)}${[begin, heading, rule, ...lines.values()].join("\n")}\n${text.slice(to)}`;
}

/** Writes rows into docs/reliability.md. */
export function writeRows(rows: readonly Row[]): void {
  writeFileSync(
    page,
    withRows(readFileSync(page, "utf8"), rows, new Date().toISOString().slice(0, "2026-11-27".length)),
  );
}
