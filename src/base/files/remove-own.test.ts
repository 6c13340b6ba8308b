import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { inspectPlace, removeOwn } from "./remove-own.ts";

let dir: string;
let own: string;
let other: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "pommel-remove-"));
  [own, other] = [join(dir, "own"), join(dir, "other")];
  for (const path of [own, other]) {
    mkdirSync(path);
    writeFileSync(join(path, "file"), "text");
  }
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const refused = expect.objectContaining({ code: "unreadable" });

it("deletes a directory with all in it, but nothing that a link in it leads to", () => {
  symlinkSync(other, join(own, "link"));
  removeOwn(own);
  expect(readdirSync(dir)).toEqual(["other"]);
  expect(existsSync(join(other, "file"))).toBe(true);
  removeOwn(own);
});

it("does not delete a link, nor what it leads to", () => {
  symlinkSync(other, join(dir, "link"));
  expect(() => removeOwn(join(dir, "link"))).toThrow(refused);
  expect(readdirSync(dir).sort()).toEqual(["link", "other", "own"]);
  expect(existsSync(join(other, "file"))).toBe(true);
});

it("does not delete what took the place of what was seen", () => {
  const seen = inspectPlace(own);
  renameSync(own, join(dir, "away"));
  renameSync(other, own);
  expect(() => removeOwn(own, seen)).toThrow(refused);
  expect(readdirSync(dir).sort()).toEqual(["away", "own"]);
  expect(existsSync(join(own, "file"))).toBe(true);
});
