import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { adaptersPage, repositoryRoot as root, shownFiles } from "../../test/support/adapter-document.ts";

/** Extracts the example adapter from docs/adapters.md, type-checks it and runs its own test. */

const dir = mkdtempSync(join(tmpdir(), "pommel-adapter-"));

/** Writes the files to a temporary directory, with imports rewritten to this tree. */
function written(): string[] {
  symlinkSync(join(root, "node_modules"), join(dir, "node_modules"));
  writeFileSync(join(dir, "package.json"), '{"type":"module"}');
  return [...shownFiles].map(([path, code]) => {
    const file = join(dir, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, code.replaceAll('from "../', `from "${join(root, dirname(dirname(path)))}/`));
    return file;
  });
}

const files = written();

it("docs/adapters.md shows an adapter of a hundred lines, and its test", () => {
  const names = ["profile.ts", "jot.ts", "setup.ts", "jot-contract.test.ts"];
  expect([...shownFiles.keys()].map((path) => basename(path))).toEqual(names);
  expect(shownFiles.get("src/agents/jot/jot.ts")!.trimEnd().split("\n").length).toBeLessThanOrEqual(100);
});

it("docs/adapters.md shows code that compiles in strict mode", () => {
  const config = join(dir, "tsconfig.json");
  const compilerOptions = { noEmit: true, rootDir: "/", typeRoots: [join(root, "node_modules/@types")] };
  writeFileSync(
    config,
    JSON.stringify({ extends: join(root, "tsconfig.json"), compilerOptions, files, include: [] }),
  );
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  // The files of this tree that they import are checked with the rest of it.
  const said = spawnSync(process.execPath, [tsc, "-p", config], { encoding: "utf8" }).stdout;
  expect(said.split("\n").filter((line) => line.includes(basename(dir)))).toEqual([]);
});

it("docs/adapters.md names existing files", () => {
  const links = [...adaptersPage.matchAll(/\]\(((?!https?:)[^)#]+)/g)].map(([, link = ""]) =>
    resolve(root, "docs", link),
  );
  const named = [...adaptersPage.matchAll(/`((?:claude|codex|gemini|opencode|qwen|aline)\/[\w./-]*)`/g)].map(
    ([, path = ""]) => join(root, "src/agents", path),
  );
  expect(named.length).toBeGreaterThan(5);
  for (const path of [...links, ...named]) expect(() => readFileSync(path), path).not.toThrow(/ENOENT/);
});

// Registers the example's own tests.
for (const file of files.filter((each) => each.endsWith(".test.ts"))) await import(pathToFileURL(file).href);
