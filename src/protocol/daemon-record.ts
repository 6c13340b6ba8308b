import { readFileSync } from "node:fs";
import { getErrorCode } from "../base/errors.ts";
import { type Home, locateDaemonFiles, locateHome } from "../base/home.ts";

/** The content of `daemon.json` in the state directory (mode 0600): who the daemon is, and its address for other programs. */
export interface DaemonRecord {
  pid: number;
  /** The port on 127.0.0.1, for the page and for programs that do not use the socket. */
  port: number;
  /** The token that programs send to the port; 64 hexadecimal digits. */
  token: string;
  /** ISO 8601. */
  started_at: string;
  version: string;
  /** The settings that hooks need: for all projects, and by root for projects with other settings. */
  context: ContextSettings & { places: Record<string, ContextSettings> };
}

export interface ContextSettings {
  mode: string;
  deadline_ms: number;
}

/** The name under which the daemon holds its lock. */
export const daemonOwner = "pommeld";

/** The daemon's exit code when another process holds the writer lock (EX_TEMPFAIL): not a failure to start. */
export const exitLocked = 75;

/** The content of daemon.json, or null if it is missing or invalid. */
export function readDaemonRecord(home: Home = locateHome()): DaemonRecord | null {
  try {
    const record: unknown = JSON.parse(readFileSync(locateDaemonFiles(home).record, "utf8"));
    return isRecord(record) ? record : null;
  } catch {
    return null;
  }
}

/** Whether the record names a running process. Only a request shows whether the daemon answers. */
export function isLikelyRunning(record: DaemonRecord | null): record is DaemonRecord {
  if (record === null) return false;
  try {
    process.kill(record.pid, 0);
    return true;
  } catch (error) {
    // A process of another user counts as running, too.
    return getErrorCode(error) !== "ESRCH";
  }
}

/** Whether a process is a pommeld: a pid in a lock may be one of another machine or container that shares the directory. */
export function isDaemon(pid: number): boolean {
  try {
    return readCommandLine(pid).includes("pommeld");
  } catch {
    return false;
  }
}

function readCommandLine(pid: number): string {
  if (process.platform === "linux") return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  const { execFileSync } = process.getBuiltinModule("node:child_process");
  return execFileSync("ps", ["-o", "command=", "-p", String(pid)], { encoding: "utf8" });
}

/** By hand: loading a schema library for five fields would cost each `pm search` 3 ms before it can ask. */
function isRecord(value: unknown): value is DaemonRecord {
  if (typeof value !== "object" || value === null) return false;
  const { pid, port, token, started_at, version, context } = value as Partial<
    Record<keyof DaemonRecord, unknown>
  >;
  return (
    isWithin(pid, 1, Number.MAX_SAFE_INTEGER) &&
    isWithin(port, 1, 65_535) &&
    typeof token === "string" &&
    /^[0-9a-f]{64}$/.test(token) &&
    typeof started_at === "string" &&
    typeof version === "string" &&
    typeof context === "object" &&
    context !== null &&
    "places" in context
  );
}

function isWithin(value: unknown, least: number, most: number): boolean {
  return Number.isInteger(value) && Number(value) >= least && Number(value) <= most;
}
