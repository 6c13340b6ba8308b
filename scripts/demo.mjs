/**
 * The main job: init, start, wait for the index, search, stop. Leaves nothing running, and no hooks. Everything goes through
 * `pm`, as a user would type it.
 *
 *   node scripts/demo.mjs [directory] [pm]
 *
 * Without arguments: on this very repository, with the built `pm`.
 */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const [directory = here(".."), pm = here("../bin/pm.cjs")] = process.argv.slice(2);

/** Runs `pm` as a person would see it; ends the demo if it fails. */
function run(...args) {
  console.log(`\n$ pm ${args.map((arg) => (/\s/.test(arg) ? JSON.stringify(arg) : arg)).join(" ")}`);
  const { status } = spawnSync(process.execPath, [pm, ...args], { cwd: directory, stdio: "inherit" });
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
}
