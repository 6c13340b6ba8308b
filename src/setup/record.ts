import { readFileSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import * as z from "zod/mini";
import type { SetupTarget } from "../agents/setup.ts";
import { withFileLock } from "../base/files/file-lock.ts";
import { writeJson } from "../base/files/replace-file.ts";
import { makeUnwritableError } from "../base/files/text-file.ts";
import { locateHome, makeDirectory } from "../base/home.ts";
import type { Project } from "../base/paths.ts";

/** `setup.json` of a checkout, or of the user's own files: changes made by the setup, so that removal leaves no trace. */

const edit = z.object({ offset: z.number(), remove: z.number(), put: z.string() });

const part = z.object({
  /** SHA-256 of the file after the change: while it matches, `undo` restores the original byte for byte. */
  sha256: z.string(),
  undo: z.nullable(z.array(edit)),
  /** Containers that were empty before. */
  empty: z.array(z.string()),
});

const file = z.object({
  /** Whether Pommel created it. */
  created: z.boolean(),
  /** By agent and part: "claude/hooks". */
  parts: z.record(z.string(), part),
});
export type FileRecord = z.infer<typeof file>;

const record = z.object({
  /** Set by `pm disable`; `pm init` respects it. */
  disabled: z.boolean(),
  /** Parts that `pm disable` removed, for `pm enable`: "claude/mcp". */
  taken: z.array(z.string()),
  /** Use the agents' personal files: see `SetupTarget`. */
  own: z.optional(z.boolean()),
  /** Created directories, absolute. */
  dirs: z.array(z.string()),
  /** By name, see `nameFile`. */
  files: z.record(z.string(), file),
});
export type SetupRecord = z.infer<typeof record>;

/** Runs `work` under a lock on a place's files. */
export function withPlaceLock<T>({ recordFile }: SetupTarget, work: () => T): T {
  return withFileLock(`${recordFile}.lock`, work);
}

/** The record; empty when missing or invalid. */
export function readRecord({ recordFile }: SetupTarget): SetupRecord {
  try {
    return z.parse(record, JSON.parse(readFileSync(recordFile, "utf8")));
  } catch {
    return { disabled: false, taken: [], dirs: [], files: {} };
  }
}

/**
 * Deletes the file when there is nothing to record.
 * @throws PommelError `unreadable`, `disk_full`
 */
export function writeRecord({ recordFile }: SetupTarget, next: SetupRecord): void {
  try {
    if (!next.disabled && Object.keys(next.files).length === 0) {
      rmSync(recordFile, { force: true });
      return;
    }
    makeDirectory(dirname(recordFile));
    writeJson(recordFile, next);
  } catch (error) {
    throw makeUnwritableError(recordFile, error);
  }
}

/** Enables setups again. */
export function enableSetups(place: SetupTarget): void {
  if (!readRecord(place).disabled) return;
  withPlaceLock(place, () => writeRecord(place, { ...readRecord(place), disabled: false, taken: [] }));
}

/** Enables setups again, and still knows the removed parts: `pm enable` puts back what a `git reset --hard` takes. */
export function putBack(place: SetupTarget): void {
  withPlaceLock(place, () => writeRecord(place, { ...readRecord(place), disabled: false }));
}

/** Disables setups, and records the removed parts for `pm enable`. */
export function disableSetups(place: SetupTarget, taken: readonly string[]): void {
  withPlaceLock(place, () => {
    const record = readRecord(place);
    const all = [...new Set([...record.taken, ...taken])];
    // Removing the last file deleted the record.
    writeRecord(place, { ...record, ...(place.own && { own: true }), disabled: true, taken: all });
  });
}

/** @param options.own see `SetupTarget`; default: the project's record */
export function makeProjectPlace(
  project: Project,
  { env = process.env, own }: { env?: NodeJS.ProcessEnv; own?: boolean | undefined } = {},
): SetupTarget {
  const recordFile = join(project.setupDir, "setup.json");
  const place: SetupTarget = { scope: "project", dir: project.root, project, recordFile, env };
  return { ...place, own: own ?? readRecord(place).own ?? false };
}

/** The user's own files, for every project. */
export function makeUserPlace(env: NodeJS.ProcessEnv = process.env): SetupTarget {
  return {
    scope: "user",
    dir: env.HOME || homedir(),
    recordFile: join(locateHome(env).dataDir, "setup.json"),
    env,
  };
}
