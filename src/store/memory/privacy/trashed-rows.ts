import { readFileSync } from "node:fs";
import * as z from "zod/mini";
import { getErrorCode, PommelError } from "../../../base/errors.ts";
import { replaceFile, sync } from "../../../base/files/replace-file.ts";
import { readPublicKey, seal } from "../../../protocol/sealed-text.ts";
import { unsealText } from "../../encryption/keys.ts";
import {
  addToTrash,
  dropFromTrash,
  findProjectIdOfMemory,
  locateRowsFile,
  type TrashEntry,
} from "../../trash/trash.ts";
import type { Memory } from "../memory.ts";
import { type RowChange, recordChanges, rowChange, takeBack } from "./recorded-changes.ts";

/** What `forget` removed, in the trash, until it is brought back. */

/** Of `meta`: what became of an entry's rows. Written in the transactions that remove them and bring them back. */
type TrashedState = "taken" | "back";
const formatStateKey = (entry: Pick<TrashEntry, "number" | "at">) => `in_trash ${entry.number} ${entry.at}`;

/** Rows of a line. */
const rowsInLine = 1000;

/**
 * Makes a change as one transaction, and puts what it removes into the trash before it is committed.
 * @param describe what was removed, for people
 */
export function changeWithTrash<T>(
  memory: Memory,
  { command, describe, now }: { command: string; describe: (result: T) => string; now: number },
  change: () => T,
): { result: T; entry: TrashEntry } {
  let entry: TrashEntry | undefined;
  try {
    return memory.runInTransaction(() => {
      const { result, changes } = recordChanges(memory, change);
      const project = findProjectIdOfMemory(memory.file);
      entry = addToTrash(command, describe(result), { kind: "rows", project }, now);
      writeRows(entry, changes);
      memory.setMeta(formatStateKey(entry), "taken" satisfies TrashedState);
      return { result, entry };
    });
  } catch (error) {
    if (entry) dropFromTrash(entry);
    throw error;
  }
}

/** It is on the disk when this returns. */
function writeRows(entry: TrashEntry, changes: readonly RowChange[]): void {
  const publicKey = readPublicKey();
  const lines: string[] = [];
  for (let i = 0; i < changes.length; i += rowsInLine) {
    const line = JSON.stringify(changes.slice(i, i + rowsInLine));
    lines.push(`${publicKey === null ? line : seal(line, publicKey)}\n`);
  }
  replaceFile(locateRowsFile(entry), lines.join(""), { synced: true });
  sync(entry.dir);
}

/**
 * Brings back what an entry took from a memory, and drops the entry. Killed between the two, the next call only drops it.
 * @returns rows of sessions that are to be cut into chunks again
 * @throws PommelError `not_found` where this memory did not lose it, or what it belongs to was taken later
 */
export function bringBackRows(memory: Memory, entry: TrashEntry): number[] {
  const key = formatStateKey(entry);
  const state = memory.readMeta(key) as TrashedState | null;
  if (state === null) {
    throw new PommelError(
      "not_found",
      "The memory from which this was removed has been replaced since.",
      "First undo what replaced the memory: `pm memory undo --list`.",
    );
  }
  let sessions: number[] = [];
  if (state === "taken") {
    const changes = readRows(entry);
    sessions = listSessionIds(changes);
    try {
      memory.runInTransaction(() => {
        takeBack(memory, changes);
        // Until that is done, they count as not cut.
        memory
          .prepare("DELETE FROM session_cuts WHERE session_id IN (SELECT value FROM json_each(?))")
          .run(sessions);
        memory.setMeta(key, "back" satisfies TrashedState);
      });
    } catch (error) {
      if (!getErrorCode(error).startsWith("SQLITE_CONSTRAINT")) throw error;
      throw new PommelError(
        "not_found",
        "What this belongs to was removed later.",
        "Bring that back first: `pm memory undo --list`.",
        { cause: error },
      );
    }
  }
  dropFromTrash(entry);
  memory.setMeta(key, null);
  return sessions;
}

/** Those that got turns back. */
const listSessionIds = (changes: readonly RowChange[]): number[] => [
  ...new Set(
    changes.flatMap(({ table, before }) => (table === "turns" ? Number(before?.session_id ?? 0) : [])),
  ),
];

function readRows(entry: TrashEntry): RowChange[] {
  const lines = readFileSync(locateRowsFile(entry), "utf8").split("\n");
  return lines
    .filter((line) => line !== "")
    .flatMap((line) => z.parse(z.array(rowChange), JSON.parse(unsealText(line))));
}
