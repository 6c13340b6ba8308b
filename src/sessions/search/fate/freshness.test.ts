import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { FileAges } from "./freshness.ts";

const then = Date.UTC(2026, 0, 5, 9);
const minute = 60_000;
let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "pommel-freshness-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** A file of the project that was changed at a time. */
function file(path: string, changedAt: number): string {
  const whole = join(root, path);
  mkdirSync(dirname(whole), { recursive: true });
  writeFileSync(whole, "");
  utimesSync(whole, changedAt / 1000, changedAt / 1000);
  return path;
}

const freshnessOf = (files: string[], until: number | null = then) =>
  new FileAges(root).assessFreshness(files, until);

it("is none without files", () => {
  expect(freshnessOf([])).toBeNull();
});

it("is fresh while all files are as they were left", () => {
  file("src/a.ts", then - minute);
  file("src/b.ts", then + 1000);
  expect(freshnessOf(["src/a.ts", "src/b.ts"])).toBe("fresh");
});

it("has drifted once a file was changed later, or is gone", () => {
  file("a.ts", then - minute);
  file("b.ts", then + minute);
  expect(freshnessOf(["a.ts", "b.ts"])).toBe("drifted");
  expect(freshnessOf(["a.ts", "gone.ts"])).toBe("drifted");
  expect(freshnessOf(["b.ts"], then + 2 * minute)).toBe("fresh");
});

it("is orphaned when all are gone", () => {
  file("a.ts", then);
  expect(freshnessOf(["gone.ts", "a.ts/below"])).toBe("orphaned");
});

it("says nothing of missing files outside of the project, which may be another machine's", () => {
  file("a.ts", then - minute);
  expect(freshnessOf(["/home/ann/notes.md", "C:\\elsewhere\\b.ts"])).toBeNull();
  expect(freshnessOf(["/home/ann/notes.md", "a.ts"])).toBe("fresh");
});

it("knows files outside the project", () => {
  const outside = mkdtempSync(join(tmpdir(), "pommel-outside-"));
  writeFileSync(join(outside, "a.ts"), "");
  expect(freshnessOf([join(outside, "a.ts")], Date.now() + minute)).toBe("fresh");
  rmSync(outside, { recursive: true });
  expect(freshnessOf([join(outside, "a.ts")])).toBeNull();
});

it("assumes no change without a known time", () => {
  file("a.ts", then);
  expect(freshnessOf(["a.ts"], null)).toBe("fresh");
  expect(freshnessOf(["a.ts", "gone.ts"], null)).toBe("drifted");
});
