import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import type { Config } from "../../project/config/settings.ts";
import { writeJson } from "../../project/files/replace-file.ts";
import type { Project } from "../../project/paths.ts";
import { version } from "../../project/version.ts";
import type { DaemonRecord } from "../../protocol/daemon-record.ts";
import { readDaemonRecord } from "../../protocol/daemon-record.ts";

/** The record of a daemon that now starts on `port`. */
export function newRecord(port: number, config: Config): DaemonRecord {
  return {
    pid: process.pid,
    port,
    token: randomBytes(32).toString("hex"),
    started_at: new Date().toISOString(),
    version,
    ...contextOf(config),
  };
}

/** The settings that hooks need. */
export function contextOf(config: Config): Pick<DaemonRecord, "context"> {
  return { context: { mode: config["context.mode"], deadline_ms: config["context.deadline_ms"] } };
}

/** Writes daemon.json atomically, for its owner only. */
export function writeRecord(project: Project, record: DaemonRecord): void {
  writeJson(project.daemonFile, record);
}

/** Removes daemon.json if it is still the one of `record`. */
export function removeRecord(project: Project, record: DaemonRecord): void {
  if (readDaemonRecord(project)?.token === record.token) rmSync(project.daemonFile, { force: true });
}
