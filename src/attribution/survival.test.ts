import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { computeLineKey } from "./lines/line-keys.ts";
import { FilesNow, isDistinctive, listDistinctiveKeys, measureKeySurvival } from "./survival.ts";

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "pommel-survival-"));
});
afterEach(() => rmSync(root, { recursive: true }));

const file = (path: string, ...lines: string[]) => ({
  path,
  added: lines.map((text, i) => ({ line: i + 1, key: computeLineKey(text) })),
});
const survivalOf = (
  dir: string,
  files: readonly ReturnType<typeof file>[],
  pathNow: (path: string) => string | null = () => null,
) =>
  measureKeySurvival(
    new FilesNow(dir),
    files.map((each) => ({ path: each.path, keys: listDistinctiveKeys(each) })),
    pathNow,
  );
const write = (path: string, text: string | Uint8Array) => writeFileSync(join(root, path), text);

it("counts lines at any place, in any formatting, as often as they occur", () => {
  write("a.ts", 'other\r\n  const b = "two";\r\n\tconst a = 1\r\n');
  const lines = ["const a = 1;", "const a = 1;", "const b = 'two'", "const c = 3;"];
  expect(survivalOf(root, [file("a.ts", ...lines)])).toEqual({ added: 4, surviving: 2 });
});

it("does not count trivial lines", () => {
  write("a.ts", "}\n\n});\nelse {\n");
  expect(survivalOf(root, [file("a.ts", "}", "", "  });", "} else {", "*/", "return null;")])).toEqual({
    added: 0,
    surviving: 0,
  });
  for (const text of ["x", "retry()", "a = 1", "## Rewind", "- item"])
    expect(isDistinctive(computeLineKey(text))).toBe(true);
});

it("counts all files of a commit, also deleted ones", () => {
  write("a.ts", "first();\n");
  expect(survivalOf(root, [file("a.ts", "first();"), file("gone.ts", "second();", "third();")])).toEqual({
    added: 3,
    surviving: 1,
  });
});

it("finds a moved file", () => {
  write("b.ts", "moved();\n");
  const pathNow = (path: string) => (path === "a.ts" ? "b.ts" : null);
  expect(survivalOf(root, [file("a.ts", "moved();")], pathNow)).toEqual({ added: 1, surviving: 1 });
});

it("reads nothing outside the root, no link, no pipe, and no huge file", () => {
  const outside = mkdtempSync(join(tmpdir(), "pommel-outside-"));
  writeFileSync(join(outside, "x"), "secret();\n");
  symlinkSync(join(outside, "x"), join(root, "link"));
  execFileSync("mkfifo", [join(root, "pipe")]);
  mkdirSync(join(root, "dir"));
  write("huge", `secret();\n${"x".repeat(8_000_000)}`);
  const paths = [
    `../${outside.split("/").at(-1)}/x`,
    join(outside, "x"),
    "link",
    "pipe",
    "dir",
    "huge",
    "nul\0",
  ];
  for (const path of paths) {
    expect(survivalOf(root, [file(path, "secret();")])).toEqual({ added: 1, surviving: 0 });
  }
  rmSync(outside, { recursive: true });
});
