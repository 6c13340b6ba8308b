import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import * as z from "zod/mini";
import { withFileLock } from "../../project/files/file-lock.ts";
import { writeJson } from "../../project/files/replace-file.ts";
import { unwritable } from "../../project/files/text-file.ts";
import { globalDataDir, type Project } from "../../project/paths.ts";
import type { Place } from "../setup.ts";

/** `.pommel/setup.json`, or the user's own: what setting up agents made, so that taking it back leaves no trace. */

const edit = z.object({ offset: z.number(), remove: z.number(), put: z.string() });

const part = z.object({
  /** SHA-256 of the file as we left it: while it is the same, `undo` restores what was before byte for byte. */
  sha256: z.string(),
  undo: z.nullable(z.array(edit)),
  /** Containers that stood there without holding anything. */
  empty: z.array(z.string()),
});

const file = z.object({
  /** It did not exist. */
  created: z.boolean(),
  /** By agent and part: "claude/hooks". */
  parts: z.record(z.string(), part),
});
export type FileRecord = z.infer<typeof file>;

const record = z.object({
  /** Somebody said `pm disable`: `pm init` leaves it at that. */
  disabled: z.boolean(),
  /** What `pm disable` took out, so that `pm enable` can put it back: "claude/mcp". */
  taken: z.array(z.string()),
  /** The project's files are the user's alone where an agent has such: see `Place`. */
  own: z.optional(z.boolean()),
  /** Directories that did not exist, absolute. */
  dirs: z.array(z.string()),
  /** By path: from the place's directory, with slashes, where it is below it. */
  files: z.record(z.string(), file),
});
export type SetupRecord = z.infer<typeof record>;

/** Works on a place's files while no other `pm` does. */
export function oneAtATime<T>({ recordFile }: Place, work: () => T): T {
  return withFileLock(`${recordFile}.lock`, work);
}

/** What the record says; that nothing is known, when there is none or it makes no sense. */
export function readRecord({ recordFile }: Place): SetupRecord {
  try {
    return z.parse(record, JSON.parse(readFileSync(recordFile, "utf8")));
  } catch {
    return { disabled: false, taken: [], dirs: [], files: {} };
  }
}

/**
 * Nothing to remember is no file.
 * @throws PommelError `unreadable`, `disk_full`
 */
export function writeRecord({ recordFile }: Place, next: SetupRecord): void {
  try {
    if (!next.disabled && Object.keys(next.files).length === 0) {
      rmSync(recordFile, { force: true });
      return;
    }
    mkdirSync(dirname(recordFile), { recursive: true, mode: 0o700 });
    writeJson(recordFile, next);
  } catch (error) {
    throw unwritable(recordFile, error);
  }
}

/** Setups are wanted again. */
export function switchOn(place: Place): void {
  if (!readRecord(place).disabled) return;
  oneAtATime(place, () => writeRecord(place, { ...readRecord(place), disabled: false, taken: [] }));
}

/** What was taken out for a moment is there again, and `pm enable` can put it back once more. */
export function putBack(place: Place): void {
  oneAtATime(place, () => writeRecord(place, { ...readRecord(place), disabled: false }));
}

/** Nobody wants setups until they are switched on: what was there is remembered for then. */
export function switchOff(place: Place, taken: readonly string[]): void {
  oneAtATime(place, () => {
    const record = readRecord(place);
    const all = [...new Set([...record.taken, ...taken])];
    // With the last of its files a record was gone.
    writeRecord(place, { ...record, ...(place.own && { own: true }), disabled: true, taken: all });
  });
}

/** @param options.own see `Place`; without it, as the project's record says */
export function projectPlace(
  project: Project,
  { env = process.env, own }: { env?: NodeJS.ProcessEnv; own?: boolean | undefined } = {},
): Place {
  const recordFile = join(project.stateDir, "setup.json");
  const place: Place = { scope: "project", dir: project.root, recordFile, env };
  return { ...place, own: own ?? readRecord(place).own ?? false };
}

/** The user's own files, which count in every project. */
export function userPlace(env: NodeJS.ProcessEnv = process.env): Place {
  return {
    scope: "user",
    dir: env.HOME || homedir(),
    recordFile: join(globalDataDir(env), "setup.json"),
    env,
  };
}
