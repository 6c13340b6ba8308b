import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { withRows } from "./table.ts";

const page = readFileSync(new URL("../../docs/reliability.md", import.meta.url), "utf8");

it("rows replace those of the same name, and others stay", () => {
  const first = withRows(page, [["a", "2", "2"]], "2026-01-01");
  const both = withRows(first, [["b", "3", "**0**; of 3"]], "2026-01-02");
  const again = withRows(both, [["a", "5", "5"]], "2026-01-03");
  expect(again).toContain("| a | 5 | 5 | 2026-01-03 |\n");
  expect(again).toContain("| b | 3 | **0**; of 3 | 2026-01-02 |\n");
  expect(again).not.toContain("2026-01-01");
  expect(again).toContain("\n\nThe second table shows other faults.");
  expect(again.length - page.length).toBe(
    "| a | 5 | 5 | 2026-01-03 |\n| b | 3 | **0**; of 3 | 2026-01-02 |\n".length,
  );
});

it("each way to interrupt a piece of work has a column, beside those tried earlier", () => {
  const killed = withRows(page, [["kill -9: a", "5", "4; 3 before its end"]], "2026-01-01");
  const cut = withRows(killed, [["power cut before each call: a", "7", "7"]], "2026-01-02");
  expect(cut).toContain("| a | 4 of 5, 2026-01-01 | | | 7 of 7, 2026-01-02 |\n");
});

it("every row of the page has a day, and each name once", () => {
  const tables = page.split("<!-- npm run test:faults")[1]!.split("<!-- /")[0]!.split("\n");
  const rows = tables.filter((line) => line.startsWith("| ") && !/^\| (survived|what) \|/.test(line));
  const names = rows.map((row) => row.split(" | ")[0]);
  expect(rows.length).toBeGreaterThan(20);
  for (const row of rows) expect(row).toMatch(/\d{4}-\d\d(?:-\d\d)? \|/);
  expect(new Set(names).size).toBe(names.length);
});
