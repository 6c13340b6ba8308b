import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { withRows } from "./table.ts";

const page = readFileSync(new URL("../../docs/reliability.md", import.meta.url), "utf8");

it("rows replace those of the same name, and others stay", () => {
  const first = withRows(page, [["kill -9: a", "2", "2"]], "2026-01-01");
  const both = withRows(first, [["kill -9: b", "3", "**0**; of 3"]], "2026-01-02");
  const again = withRows(both, [["kill -9: a", "5", "5"]], "2026-01-03");
  expect(again).toContain("| kill -9: a | 5 | 5 | 2026-01-03 |\n");
  expect(again).toContain("| kill -9: b | 3 | **0**; of 3 | 2026-01-02 |\n");
  expect(again).not.toContain("2026-01-01");
  expect(again.length - page.length).toBe(
    "| kill -9: a | 5 | 5 | 2026-01-03 |\n| kill -9: b | 3 | **0**; of 3 | 2026-01-02 |\n".length,
  );
});

it("every row of the page has a day, and each name once", () => {
  const rows = page.split("<!-- npm run test:faults")[1]!.split("<!-- /")[0]!.split("\n").slice(3, -1);
  const names = rows.map((row) => row.split(" | ")[0]);
  expect(rows.length).toBeGreaterThan(20);
  for (const row of rows) expect(row).toMatch(/^\| .* \| .* \| .* \| \d{4}-\d\d(?:-\d\d)? \|$/);
  expect(new Set(names).size).toBe(names.length);
});
