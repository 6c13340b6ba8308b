import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { replaceFile, writeJson } from "./replace-file.ts";

let dir: string;
let file: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "pommel-replace-"));
  file = join(dir, "file");
});

const modeOf = (path: string) => statSync(path).mode & 0o777;

it("is for the owner only by default, whatever the umask", () => {
  const before = process.umask(0o177);
  try {
    replaceFile(file, "private");
    expect(modeOf(file)).toBe(0o600);
    replaceFile(file, "program", { mode: 0o755 });
    expect(modeOf(file)).toBe(0o755);
  } finally {
    process.umask(before);
  }
});

it("gives a new file to who reads next, and leaves the old one to who reads already", () => {
  writeFileSync(file, "old");
  const { ino } = statSync(file);
  replaceFile(file, Buffer.from([0xff, 0]));
  expect(readFileSync(file)).toEqual(Buffer.from([0xff, 0]));
  expect(statSync(file).ino).not.toBe(ino);
  expect(readdirSync(dir)).toEqual(["file"]);
});

it("leaves what a link leads to alone", () => {
  writeFileSync(join(dir, "target"), "kept");
  symlinkSync("target", file);
  writeJson(file, { a: 1 });
  expect(readFileSync(join(dir, "target"), "utf8")).toBe("kept");
  expect(readFileSync(file, "utf8")).toBe('{\n  "a": 1\n}\n');
});

it("leaves nothing behind when it fails", () => {
  mkdirSync(join(file, "taken"), { recursive: true });
  expect(() => replaceFile(file, "text")).toThrow();
  expect(readdirSync(dir)).toEqual(["file"]);
});
