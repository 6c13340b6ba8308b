import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { writeJson } from "../../project/files/replace-file.ts";
import { daemonFiles } from "../../project/home.ts";
import { version } from "../../project/version.ts";
import { type DaemonRecord, readDaemonRecord } from "../../protocol/daemon-record.ts";

/** The record of a daemon that now starts on `port`. */
export function newRecord(port: number, context: DaemonRecord["context"]): DaemonRecord {
  return {
    pid: process.pid,
    port,
    token: randomBytes(32).toString("hex"),
    started_at: new Date().toISOString(),
    version,
    context,
  };
}

/** Writes daemon.json atomically, for its owner only. */
export function writeRecord(record: DaemonRecord): void {
  writeJson(daemonFiles().record, record);
}

/** Removes daemon.json if it is still the one of `record`. */
export function removeRecord(record: DaemonRecord): void {
  if (readDaemonRecord()?.token === record.token) rmSync(daemonFiles().record, { force: true });
}
