import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { namedFiles, readAsset, readNamedFile } from "./page.ts";

let dir: string;

beforeAll(() => {
  dir = join(mkdtempSync(join(tmpdir(), "pommel-page-")), "ui");
  mkdirSync(join(dir, "assets/folder.js"), { recursive: true });
  writeFileSync(join(dir, "index.html"), "<p>page");
  writeFileSync(join(dir, "assets/index-Ab_1.js"), "1");
  writeFileSync(join(dir, "assets/.hidden.js"), "hidden");
  writeFileSync(join(dir, "assets/notes.txt"), "text");
  writeFileSync(join(dir, "../secret.js"), "secret");
});

afterAll(() => rmSync(join(dir, ".."), { recursive: true, force: true }));

test("the page itself is never kept by a browser, what it is made of is for good", async () => {
  expect((await readNamedFile(dir, "index.html"))?.headers).toEqual({
    "content-type": "text/html; charset=utf-8",
    "cache-control": "no-store",
  });
  const asset = await readAsset(dir, "index-Ab_1.js");
  expect(asset?.headers["cache-control"]).toContain("immutable");
  expect(Buffer.from(asset!.content).toString()).toBe("1");
});

test.each([
  "../../secret.js",
  "..%2F..%2Fsecret.js",
  "..\\..\\secret.js",
  "/etc/passwd",
  "../index.html",
  ".hidden.js",
  "notes.txt",
  "folder.js",
  "missing.js",
  "index-Ab_1.js\0.css",
  "",
])("nothing but the page's own files is served: not %j", async (name) => {
  expect(await readAsset(dir, name)).toBeNull();
});

test("no browser keeps what the page begins with: after an update it would be the one before", async () => {
  for (const name of Object.values(namedFiles)) {
    writeFileSync(join(dir, name), "");
    expect((await readNamedFile(dir, name))?.headers["cache-control"]).toBe("no-store");
  }
});

test("a page that is not built is none", async () => {
  expect(await readNamedFile(join(dir, "nowhere"), "index.html")).toBeNull();
});
