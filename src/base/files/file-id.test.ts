import { mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { readFileId } from "./file-id.ts";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "pommel-file-id-"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

it("a file keeps its id where it is moved, and another in its place has another", () => {
  const [one, two] = ["one", "two"].map((name) => join(dir, name)) as [string, string];
  mkdirSync(one);
  const id = readFileId(one);
  expect(id).not.toBeNull();
  renameSync(one, two);
  expect(readFileId(two)).toBe(id);
  expect(readFileId(one)).toBeNull();
  mkdirSync(one);
  expect(readFileId(one)).not.toBe(id);
});
