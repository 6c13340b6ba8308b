import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { StoredChunk } from "../../store/index/port.ts";
import { readLinesOfChunks } from "./source.ts";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "pommel-source-"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

function lines(content: string | Uint8Array, startLine: number, endLine: number) {
  const path = "file";
  writeFileSync(join(dir, path), content);
  const { size, mtimeMs } = statSync(join(dir, path));
  const chunk = { path, startLine, endLine, size, mtimeMs: Math.trunc(mtimeMs) } as StoredChunk;
  return readLinesOfChunks(dir, [chunk])[0];
}

it.each<[string, string | Uint8Array]>([
  ["ASCII", "one\ntwo\nthree\nfour"],
  ["lines that end in CR and LF", "one\r\ntwo\r\nthree\r\nfour"],
  ["lines that end in two CR and LF", "one\r\r\ntwo\r\r\nthree\r\r\nfour"],
  ["a byte order mark", "\ufeffone\ntwo\nthree\nfour"],
  ["UTF-16", Buffer.from("\ufeffone\ntwo\nthree\nfour", "utf16le")],
])("the lines of a chunk are those of a file with %s", (_, content) => {
  expect(lines(content, 1, 1)).toEqual({ text: "one", drifted: false, startLine: 1, endLine: 1 });
  expect(lines(content, 2, 3)?.text).toBe("two\nthree");
  expect(lines(content, 3, 9)?.text).toBe("three\nfour");
  expect(lines(content, 5, 6)?.text).toBe("");
});

it("a carriage return within a line ends none, as in git and in the index", () => {
  expect(lines("one\rtwo\nthree\r\nfour\n", 1, 1)?.text).toBe("one\rtwo");
  expect(lines("one\rtwo\nthree\r\nfour\n", 2, 3)?.text).toBe("three\nfour");
});

it("characters of several bytes stay whole, and old encodings are read as Latin-1", () => {
  expect(lines("für\nnaïve 日本\n日", 2, 2)?.text).toBe("naïve 日本");
  expect(lines(Buffer.from("für\nnaïve\n", "latin1"), 2, 2)?.text).toBe("naïve");
});

it("the last line end is that of the last line", () => {
  expect(lines("one\ntwo\n", 1, 2)?.text).toBe("one\ntwo");
  expect(lines("one\ntwo\n", 2, 3)?.text).toBe("two\n");
});

it("a file that changed has drifted, one that is binary or gone has no lines", () => {
  expect(lines(Buffer.from([1, 0, 2, 10, 3]), 1, 1)).toBeNull();
  const chunk = { path: "file", startLine: 1, endLine: 1, size: 3, mtimeMs: 4, signature: "" } as StoredChunk;
  writeFileSync(join(dir, "file"), "changed");
  expect(readLinesOfChunks(dir, [chunk])[0]).toMatchObject({ text: "changed", drifted: true });
  rmSync(join(dir, "file"));
  expect(readLinesOfChunks(dir, [chunk])[0]).toBeNull();
});

it.skipIf(process.platform === "win32")("a file that became a link or a pipe is not read", () => {
  const chunk = { path: "file", startLine: 1, endLine: 1, size: 3, mtimeMs: 4, signature: "" } as StoredChunk;
  writeFileSync(join(dir, "other"), "secret\n");
  symlinkSync("other", join(dir, "file"));
  expect(readLinesOfChunks(dir, [chunk])[0]).toBeNull();
  rmSync(join(dir, "file"));
  execFileSync("mkfifo", [join(dir, "file")]);
  expect(readLinesOfChunks(dir, [chunk])[0]).toBeNull();
});

it("chunks of several files get their own lines, in their order", () => {
  writeFileSync(join(dir, "a"), "one\ntwo\n");
  writeFileSync(join(dir, "b"), "three\nfour\n");
  const chunk = (path: string, line: number) =>
    ({ path, startLine: line, endLine: line, signature: "" }) as StoredChunk;
  const found = readLinesOfChunks(dir, [chunk("a", 2), chunk("b", 1), chunk("gone", 1), chunk("a", 1)]);
  expect(found.map((lines) => lines?.text)).toEqual(["two", "three", undefined, "one"]);
});

it("a definition is shown where it is now, not what came in its place", () => {
  const chunk = {
    path: "file",
    startLine: 4,
    endLine: 6,
    size: 3,
    mtimeMs: 4,
    signature: "function b(x: number)",
  };
  const b = "function b(\n  x,\n) {}\n";
  const at = (content: string) => {
    writeFileSync(join(dir, "file"), content);
    return readLinesOfChunks(dir, [chunk as StoredChunk])[0];
  };
  expect(at(`${"// more\n".repeat(7)}function a() {}\n${b}`)).toMatchObject({
    startLine: 9,
    text: b.trimEnd(),
  });
  expect(at(`\n\n${b}`)).toMatchObject({ startLine: 3 });
  expect(at(`\n\n\n// of b\n${b}`)).toMatchObject({ startLine: 4 });
  expect(at("nothing\n".repeat(9))).toMatchObject({ startLine: 4, drifted: true });
});
