import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runInNewContext } from "node:vm";
import { afterEach, beforeEach, expect, it } from "vitest";
import { makeHookFunction } from "./plugin-hook.ts";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "pommel-plugin-"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

/** The program that the plugin would start, on a system with this PATH. */
async function programOn(platform: string, path: string): Promise<unknown> {
  const { existsSync, readFileSync } = await import("node:fs");
  const { isAbsolute, join: joinPaths } = await import("node:path");
  const context = {
    existsSync,
    readFileSync,
    isAbsolute,
    join: joinPaths,
    process: { platform, env: { PATH: path } },
  };
  return JSON.parse(
    runInNewContext(`${makeHookFunction("cline", "1")}\nJSON.stringify(pommel() ?? null)`, context),
  );
}

it("a plugin finds the program in absolute directories of the PATH only", async () => {
  const file = join(dir, "pommel");
  writeFileSync(file, "");
  expect(await programOn("linux", `.:${dir}`)).toEqual([file]);
  const here = process.cwd();
  try {
    process.chdir(dir);
    expect(await programOn("linux", ".::")).toBeNull();
    writeFileSync("pommel.cmd", '"%dp0%\\evil.js" %*');
    expect(await programOn("win32", ".;")).toBeNull();
  } finally {
    process.chdir(here);
  }
});

it("on Windows it starts what npm's script starts", async () => {
  writeFileSync(join(dir, "pommel.cmd"), '& "%_prog%"  "%dp0%\\node_modules/pommel/bin/pm.cjs" %*\r\n');
  expect(await programOn("win32", dir)).toBeNull();
  writeFileSync(join(dir, "node.exe"), "");
  const started = [join(dir, "node.exe"), join(dir, "node_modules/pommel/bin/pm.cjs")];
  expect(await programOn("win32", dir)).toEqual(started);
});
