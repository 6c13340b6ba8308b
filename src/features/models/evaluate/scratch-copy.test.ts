import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { chooseFilesToCopy, copySources } from "./scratch-copy.ts";

const stamp = (path: string, size = 10) => ({ path, size, mtimeMs: 0 });

test("filesToCopy: keeps everything within the limits", () => {
  const stamps = [stamp("b/2"), stamp("a/1"), stamp("3")];
  expect(chooseFilesToCopy(stamps, "seed")).toEqual(stamps);
});

test("filesToCopy: over the limits, picks whole directories by seed", () => {
  const stamps = Array.from({ length: 20 }, (_, i) => [stamp(`${i}/a`), stamp(`${i}/b`)]).flat();
  const most = { files: 11, bytes: 1000 };
  const chosen = chooseFilesToCopy(stamps, "seed", most);
  expect(chosen).toHaveLength(10);
  const directories = new Set(chosen.map(({ path }) => path.split("/")[0]));
  expect(directories.size).toBe(5);
  expect(chooseFilesToCopy(stamps, "seed", most)).toEqual(chosen);
  expect(chooseFilesToCopy(stamps, "other", most)).not.toEqual(chosen);
  expect(chooseFilesToCopy(stamps, "seed", { files: 100, bytes: 45 })).toHaveLength(4);
});

test("copySources: copies text with changes applied, without binaries and secrets", async () => {
  const from = mkdtempSync(join(tmpdir(), "pommel-from-"));
  const to = mkdtempSync(join(tmpdir(), "pommel-to-"));
  mkdirSync(join(from, "src"));
  const files: Record<string, string> = {
    "src/a.ts": "one\n",
    "b.ts": "two\n",
    "c.png": "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0",
    ".env": "KEY=1\n",
  };
  for (const [path, text] of Object.entries(files)) writeFileSync(join(from, path), text);
  await copySources({
    from,
    to,
    stamps: [...Object.keys(files), "gone.ts"].map((path) => stamp(path)),
    maxFileSize: 1000,
    change: (path, text) => (path === "b.ts" ? "three\n" : text),
    onProgress: () => {},
  });
  expect(readFileSync(join(to, "src/a.ts"), "utf8")).toBe("one\n");
  expect(readFileSync(join(to, "b.ts"), "utf8")).toBe("three\n");
  for (const path of ["c.png", ".env", "gone.ts"]) expect(existsSync(join(to, path))).toBe(false);
});
