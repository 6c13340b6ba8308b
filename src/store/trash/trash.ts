import { mkdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import * as z from "zod/mini";
import { getErrorCode } from "../../base/errors.ts";
import { listNamesIfAny } from "../../base/files/if-any.ts";
import { removeOwn } from "../../base/files/remove-own.ts";
import { writeJson } from "../../base/files/replace-file.ts";
import { locateHome } from "../../base/home.ts";
import { dayMs } from "../../base/text/day.ts";
import { daysInTrash } from "../../protocol/days-in-trash.ts";
import { projectIdentity } from "../project-file.ts";

/**
 * `trash/` of the home: what commands took away, until `daysInTrash` have passed or `pm memory undo` brings it back. Each
 * entry is a directory, numbered in the order in which they came, with `entry.json` and what was taken.
 */

/** Of the registry. */
const knownProject = z.extend(projectIdentity, {
  isNamed: z.boolean(),
  isOff: z.boolean(),
  createdAt: z.number(),
  lastUsedAt: z.number(),
});
const knownCheckout = z.object({
  root: z.string(),
  project: z.string(),
  rootId: z.nullable(z.string()),
  gitId: z.nullable(z.string()),
  notice: z.nullable(z.string()),
  lastUsedAt: z.number(),
});

const taken = z.discriminatedUnion("kind", [
  /** Rows of a memory, in `rows.jsonl`. */
  z.object({ kind: z.literal("rows"), project: z.string() }),
  /** A memory that another one replaced: `memory.db`. */
  z.object({ kind: z.literal("memory"), project: z.string() }),
  /** Whole projects, in `projects/<id>`. */
  z.object({
    kind: z.literal("projects"),
    projects: z.array(z.object({ known: knownProject, checkouts: z.array(knownCheckout) })),
  }),
]);
type Taken = z.infer<typeof taken>;

const manifest = z.object({
  /** Milliseconds. */
  at: z.number(),
  /** As it was called: `pm memory forget`. */
  command: z.string(),
  /** For people: "1 session, 2 notes". */
  what: z.string(),
  taken,
});
type TrashManifest = z.infer<typeof manifest>;

export interface TrashEntry extends TrashManifest {
  /** Counts up. */
  number: number;
  dir: string;
}

export const locateTrash = (): string => join(locateHome().dataDir, "trash");

export const locateRowsFile = ({ dir }: Pick<TrashEntry, "dir">): string => join(dir, "rows.jsonl");
export const locateMemoryFile = ({ dir }: Pick<TrashEntry, "dir">): string => join(dir, "memory.db");
export const locateProjectFolder = ({ dir }: Pick<TrashEntry, "dir">, id: string): string =>
  join(dir, "projects", id);

/** The project that a memory belongs to: the name of its folder. */
export const findProjectIdOfMemory = (memoryDb: string): string => basename(dirname(memoryDb));

/** Until when an entry can be brought back. Milliseconds. */
export const computeTrashExpiry = ({ at }: Pick<TrashEntry, "at">): number => at + daysInTrash * dayMs;

/** A new entry, in which nothing is yet but what it is. */
export function addToTrash(command: string, what: string, of: Taken, at = Date.now()): TrashEntry {
  mkdirSync(locateTrash(), { recursive: true, mode: 0o700 });
  for (let number = 1 + Math.max(0, ...listEntryNumbers()); ; number++) {
    const dir = join(locateTrash(), String(number));
    try {
      mkdirSync(dir, { mode: 0o700 });
    } catch (error) {
      // Another process was quicker.
      if (getErrorCode(error) === "EEXIST") continue;
      throw error;
    }
    const content: TrashManifest = { at, command, what, taken: of };
    writeJson(join(dir, "entry.json"), content);
    return { ...content, number, dir };
  }
}

const listEntryNumbers = () =>
  listNamesIfAny(locateTrash())
    .filter((name) => /^[1-9]\d{0,8}$/.test(name))
    .map(Number);

/** Everything that was taken, the latest first. */
export function listTrash(): TrashEntry[] {
  return listEntryNumbers()
    .sort((a, b) => b - a)
    .flatMap((number) => {
      const dir = join(locateTrash(), String(number));
      try {
        return [
          { ...z.parse(manifest, JSON.parse(readFileSync(join(dir, "entry.json"), "utf8"))), number, dir },
        ];
      } catch {
        // Killed before it was written: nothing is in it.
        return [];
      }
    });
}

/** What was taken of a memory: replaced memories and rows. */
export const listTrashOfMemory = (memoryDb: string): TrashEntry[] =>
  listTrash().filter(
    ({ taken: of }) => of.kind !== "projects" && of.project === findProjectIdOfMemory(memoryDb),
  );

/** Entries of memories that others replaced, the latest first. */
export const listTrashedMemories = (memoryDb: string): TrashEntry[] =>
  listTrashOfMemory(memoryDb).filter(({ taken: of }) => of.kind === "memory");

/** Deletes an entry for good. */
export const dropFromTrash = ({ dir }: Pick<TrashEntry, "dir">): void => removeOwn(dir);

/** Entries whose time has passed. One from a clock that was in the future stays as long as the others, from now on. */
export const listExpiredTrash = (now = Date.now()): TrashEntry[] =>
  listTrash().filter((entry) => Math.abs(now - entry.at) > daysInTrash * dayMs);
