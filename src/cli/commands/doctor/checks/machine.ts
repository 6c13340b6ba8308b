import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import packageJson from "../../../../../package.json" with { type: "json" };
import { programFile } from "../../../../client/autostart.ts";
import grammars from "../../../../code/languages/grammars.json" with { type: "json" };
import { messageOf } from "../../../../project/errors.ts";
import { type Check, type CheckResult, fail, ok, warn } from "./check.ts";

/** What every project on this machine needs. */
export const machineChecks: readonly Check[] = [
  { name: "node", run: () => checkNode(process.versions.node) },
  { name: "git", run: checkGit },
  { name: "sqlite", run: checkSqlite },
  { name: "watcher", run: checkWatcher },
  { name: "registry", run: checkRegistry },
  { name: "grammars", run: () => checkGrammars(programFile("grammars/")) },
];

/** @param version such as "20.19.0" */
export function checkNode(version: string): CheckResult {
  const needed = packageJson.engines.node.replace(/[^\d.]/g, "");
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [neededMajor = 0, neededMinor = 0] = needed.split(".").map(Number);
  if (major > neededMajor || (major === neededMajor && minor >= neededMinor)) {
    return ok(`Node ${version} (${needed} or later is supported)`);
  }
  return fail(`Node ${version} is too old.`, `Install Node ${needed} or newer.`);
}

function checkGit(): CheckResult {
  const { status, stdout } = spawnSync("git", ["--version"], { encoding: "utf8", timeout: 5000 });
  if (status === 0) return ok(stdout.trim().replace("git version", "git"));
  return warn(
    "git was not found; ignore rules in git's configuration have no effect.",
    "Install git, or put it on the PATH.",
  );
}

async function checkSqlite(): Promise<CheckResult> {
  try {
    const { sqliteVersion } = await import("../../../../store/sqlite/sqlite.ts");
    return ok(`SQLite ${sqliteVersion()}`);
  } catch (error) {
    return fail(
      `SQLite does not load: ${firstLine(error)}`,
      "Reinstall Pommel on the platform you run it on: Linux, macOS or Windows, x64 or arm64.",
    );
  }
}

async function checkWatcher(): Promise<CheckResult> {
  if (process.platform === "linux") return ok("Node watches the files");
  try {
    await import("@parcel/watcher");
    return ok("the file watcher loads");
  } catch (error) {
    return warn(
      `The native module @parcel/watcher does not load, so Pommel polls for changes: ${firstLine(error)}`,
      "Reinstall Pommel with optional dependencies, on the platform you run it on.",
    );
  }
}

/** Whoever uses it makes a damaged one again, empty: commands across projects then find only what was used since. */
async function checkRegistry(): Promise<CheckResult> {
  const { registryFile } = await import("../../../../store/registry.ts");
  const { checkDatabase } = await import("../../../../store/sqlite/check-database.ts");
  const check = checkDatabase(registryFile(), []);
  if (check.state !== "damaged" && check.state !== "unreadable")
    return ok("the list of projects can be read");
  return fail(
    `The list of projects cannot be read (${registryFile()}): ${check.why}`,
    `Move the file away. Each project is listed again when it is used; nothing else depends on it.`,
  );
}

/** @param dir with its final slash */
export function checkGrammars(dir: string): CheckResult {
  const names = [...Object.keys(grammars), "web-tree-sitter"];
  const missing = names.filter((name) => !existsSync(`${dir}${name}.wasm.br`));
  if (missing.length === 0) return ok(`${names.length - 1} grammars`);
  return fail(
    `Grammars are missing from ${dir}: ${missing.join(", ")}. Their languages are indexed without syntax.`,
    "Reinstall Pommel; in a checkout, run `npm run build`.",
  );
}

function firstLine(error: unknown): string {
  return messageOf(error).split("\n")[0] ?? "";
}
