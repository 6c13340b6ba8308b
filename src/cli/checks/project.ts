import { existsSync, rmSync, statSync } from "node:fs";
import { askDaemon, DaemonUnreachable } from "../../client/daemon-client.ts";
import { readDaemonRecord } from "../../client/daemon-record.ts";
import { loadConfig } from "../../project/config.ts";
import { codeOf, messageOf, PommelError } from "../../project/errors.ts";
import type { Project } from "../../project/paths.ts";
import { codeMigrations } from "../../store/code-schema.ts";
import { lockHolder } from "../../store/lock.ts";
import { humanBytes } from "../output.ts";
import { type Check, type CheckResult, fail, ok, warn } from "./check.ts";
import { checkDisk, checkPermissions, checkWatches } from "./files.ts";
import { checkHooks, checkPath } from "./hooks.ts";

/** What one project needs; with `fix`, what can be repaired safely is. */
export function projectChecks(project: Project, fix: boolean): Check[] {
  return [
    { name: "project", run: () => ok(`project in ${project.root}`) },
    { name: "config", run: () => checkConfig(project) },
    { name: "permissions", run: () => checkPermissions(project, fix) },
    { name: "lock", run: () => checkLock(project) },
    { name: "daemon", run: () => checkDaemon(project, fix) },
    { name: "index", run: () => checkIndex(project) },
    { name: "hooks", run: () => checkHooks(project) },
    { name: "path", run: () => checkPath() },
    { name: "watches", run: () => checkWatches(project.root, "/proc/sys/fs/inotify/max_user_watches") },
    { name: "disk", run: () => checkDisk(project.stateDir) },
  ];
}

function checkConfig(project: Project): CheckResult {
  try {
    const { origin } = loadConfig(project);
    const changed = Object.values(origin).filter((from) => from !== "default").length;
    return ok(`configuration is valid, ${changed} of its settings changed`);
  } catch (error) {
    return fail(messageOf(error), error instanceof PommelError ? error.hint : "");
  }
}

function checkLock(project: Project): CheckResult {
  const holder = lockHolder(project);
  return ok(
    holder === null ? "nobody is writing the index" : `${holder.owner} (PID ${holder.pid}) writes the index`,
  );
}

async function checkDaemon(project: Project, fix: boolean): Promise<CheckResult> {
  const holder = lockHolder(project);
  const record = readDaemonRecord(project);
  try {
    const { daemon, version } = await askDaemon(project, "status", {});
    return ok(`daemon ${version} answers on port ${daemon.port ?? record?.port} (PID ${daemon.pid})`);
  } catch (error) {
    if (holder !== null) {
      return fail(
        `${holder.owner} (PID ${holder.pid}) runs but does not answer: ${messageOf(error)}`,
        "It may be starting: try again in a moment, then `pm stop` and `pm start`. Its log is in .pommel/log/.",
      );
    }
    if (!existsSync(project.daemonFile)) {
      return warn("The daemon is not running: searches work, changes are not indexed.", "Run `pm start`.");
    }
    const why = error instanceof DaemonUnreachable ? error.reason : messageOf(error);
    if (!fix) {
      return warn(
        `daemon.json is left over from a daemon that is gone (${why}).`,
        "Run `pm start`, or `pm doctor --fix` to remove the file.",
      );
    }
    rmSync(project.daemonFile, { force: true });
    return ok("removed the daemon.json of a daemon that is gone");
  }
}

async function checkIndex(project: Project): Promise<CheckResult> {
  const file = project.indexDb;
  const size = statSync(file, { throwIfNoEntry: false })?.size;
  if (size === undefined) return warn("Nothing is indexed yet.", "Run `pm start` or `pm reindex`.");
  const rebuild = "Run `pm reindex`: the damaged file is moved aside and rebuilt.";
  try {
    const { default: Database } = await import("better-sqlite3");
    const db = new Database(file, { readonly: true, fileMustExist: true, timeout: 5000 });
    try {
      const verdict = db.pragma("quick_check(1)", { simple: true });
      if (verdict !== "ok") return fail(`index.db is damaged: ${verdict}`, rebuild);
      const schema = Number(db.pragma("user_version", { simple: true }));
      if (schema > codeMigrations.length) {
        return fail(
          `index.db was written by a newer Pommel (schema ${schema}, this one knows ${codeMigrations.length}).`,
          "Update Pommel, or delete the file and run `pm reindex`.",
        );
      }
      if (schema < codeMigrations.length) {
        return warn(`index.db was written by an older Pommel (schema ${schema}).`, "Run `pm start`.");
      }
      return ok(`index.db is sound (schema ${schema}, ${humanBytes(size)})`);
    } finally {
      db.close();
    }
  } catch (error) {
    const code = codeOf(error);
    const damaged = code === "SQLITE_NOTADB" || code.startsWith("SQLITE_CORRUPT");
    return fail(
      `index.db ${damaged ? "is damaged" : "cannot be read"}: ${messageOf(error)}`,
      damaged ? rebuild : "Check who owns the file.",
    );
  }
}
