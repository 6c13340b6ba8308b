import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import * as z from "zod/mini";
import { messageOf, PommelError } from "../../../project/errors.ts";
import { writeJson } from "../../../project/files/replace-file.ts";
import { checkDatabase } from "../../sqlite/check-database.ts";
import { memoryMigrations } from "../schema/schema.ts";
import { backUpDaily, type DailyOptions, isBackupDue } from "./backups.ts";

/** Looking after memory.db on a schedule: its daily backup and its weekly check. */

const weekMs = 7 * 86_400_000;

const schema = z.object({
  backup: z.optional(
    z.object({
      /** When it was last looked whether one is needed. Milliseconds. */
      at: z.number(),
      folder: z.string(),
      /** Why the last one failed; null when it did not. */
      problem: z.nullable(z.string()),
    }),
  ),
  check: z.optional(
    z.object({
      at: z.number(),
      /** What is wrong; null when it is sound. */
      problem: z.nullable(z.string()),
    }),
  ),
});
/** What is noted beside the memory, not in it: it may be damaged. */
export type CareRecord = z.infer<typeof schema>;

const fileOf = (memoryDb: string) => join(dirname(memoryDb), "care.json");

export function careOf(memoryDb: string): CareRecord {
  try {
    return z.parse(schema, JSON.parse(readFileSync(fileOf(memoryDb), "utf8")));
  } catch {
    // Nothing was done yet; what cannot be read is written anew.
    return {};
  }
}

function note(memoryDb: string, change: CareRecord): void {
  writeJson(fileOf(memoryDb), { ...careOf(memoryDb), ...change });
}

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
    const found = checkDatabase(memoryDb, memoryMigrations.length);
    const problem = found.state === "damaged" || found.state === "unreadable" ? found.why : null;
    note(memoryDb, { check: { at: now, problem } });
    if (found.state !== "damaged") return problem === null ? "memory.db is sound" : problem;
    throw new PommelError(
      "memory_corrupt",
      `${memoryDb} is damaged: ${found.why}.`,
      "Run `pm doctor --repair`, or `pm restore`.",
    );
  }
  try {
    const made = backUpDaily(memoryDb, { folder, keep }, now);
    note(memoryDb, { backup: { at: now, folder, problem: null } });
    return made && `backed up memory.db to ${made.file}`;
  } catch (error) {
    note(memoryDb, { backup: { at: now, folder, problem: messageOf(error) } });
    throw error;
  }
}
