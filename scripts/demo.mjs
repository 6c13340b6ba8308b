/**
 * The main job: init, start, wait for the index, search, stop. Has a home of its own, so that your daemon goes on, and leaves nothing
 * behind. Everything goes through `pm`, as a user would type it.
 *
 *   node scripts/demo.mjs [directory] [pm]
 *
 * Without arguments: on this very repository, with the built `pm`.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const [directory = here(".."), pm = here("../bin/pm.cjs")] = process.argv.slice(2);
const home = mkdtempSync(join(tmpdir(), "pommel-demo-"));
const env = { ...process.env, POMMEL_HOME: home };

/** Runs `pm` as a person would see it; ends the demo if it fails. */
function run(...args) {
  console.log(`\n$ pm ${args.map((arg) => (/\s/.test(arg) ? JSON.stringify(arg) : arg)).join(" ")}`);
  const { status } = spawnSync(process.execPath, [pm, ...args], { cwd: directory, env, stdio: "inherit" });
  if (status !== 0) {
    process.exitCode = status ?? 1;
    throw new Error(`pm ${args[0]} failed`);
  }
}

try {
  run("init", "--no-hooks");
  run("start", "--wait");
  run("status");
  run("search", "where are retries with backoff done", "--limit", "5");
  run("search", "find a free port for the daemon", "--limit", "3");
} finally {
  run("stop");
  rmSync(home, { recursive: true, force: true });
}
