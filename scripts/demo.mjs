/**
 * Builds Pommel without a word, and shows it: a search in this very repository, then what `pm demo` shows in one with a past.
 *
 *   npm run demo
 */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const start = performance.now();
const { status, stdout, stderr } = spawnSync("npm", ["run", "build", "--silent"], {
  cwd: root,
  encoding: "utf8",
  shell: process.platform === "win32",
});
if (status !== 0) {
  process.stderr.write(`${stdout}${stderr}`);
  process.exit(status ?? 1);
}
console.log(`Built Pommel in ${((performance.now() - start) / 1000).toFixed(1)} s.`);
// In this process, so that whoever ends it ends the demo.
process.argv = [process.execPath, "pm", "demo", root, "where are retries with backoff done"];
await import("../bin/pm.cjs");
