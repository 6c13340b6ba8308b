import { messageOf, PommelError } from "../../../project/errors.ts";
import { checkMemory } from "../check-memory.ts";
import { backUpDaily, type DailyOptions, isBackupDue } from "./backups.ts";
import { careOf, noteCare } from "./care-record.ts";

/** Looking after memory.db on a schedule: its daily backup and its weekly check. */

const weekMs = 7 * 86_400_000;

export interface CareTask extends DailyOptions {
  memoryDb: string;
  kind: "backup" | "check";
}

/** What is due now, if anything is. */
export function dueCare(
  memoryDb: string,
  folder: string,
  intervalMs: number | null,
  now = Date.now(),
): CareTask["kind"] | null {
  const { backup, check } = careOf(memoryDb);
  // What failed is tried again with the next look.
  const lookedAt = backup?.problem === null && backup.folder === folder ? backup.at : 0;
  if (intervalMs !== null && isBackupDue(folder, intervalMs, lookedAt, now)) return "backup";
  return Math.abs(now - (check?.at ?? 0)) >= weekMs ? "check" : null;
}

/**
 * Does what is due, and notes the outcome. Reads the whole memory, so it has a thread of its own in a daemon.
 * @returns what to write into the log
 * @throws PommelError `memory_corrupt` when the memory is damaged
 */
export function takeCare({ memoryDb, folder, keep, kind }: CareTask, now = Date.now()): string | null {
  if (kind === "check") {
    const found = checkMemory(memoryDb);
    const problem = found.state === "damaged" || found.state === "unreadable" ? found.why : null;
    noteCare(memoryDb, { check: { at: now, problem } });
    if (found.state !== "damaged") return problem === null ? "memory.db is sound" : problem;
    throw new PommelError(
      "memory_corrupt",
      `${memoryDb} is damaged: ${found.why}.`,
      "Run `pm doctor --repair`, or `pm memory restore`.",
    );
  }
  try {
    const made = backUpDaily(memoryDb, { folder, keep }, now);
    noteCare(memoryDb, { backup: { at: now, folder, problem: null } });
    return made && `backed up memory.db to ${made.file}`;
  } catch (error) {
    noteCare(memoryDb, { backup: { at: now, folder, problem: messageOf(error) } });
    throw error;
  }
}
