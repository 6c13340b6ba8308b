import { Worker } from "node:worker_threads";
import * as z from "zod/mini";
import { locateBuiltFile } from "../../../base/built-file.ts";
import { getErrorMessage, PommelError, toError } from "../../../base/errors.ts";
import { dayMs } from "../../../base/text/day.ts";
import { checkMemory } from "../memory.ts";
import { backUpDaily, type DailyOptions, isBackupDue } from "./backups.ts";
import { noteCare, readCare } from "./copies.ts";

/** Looking after memory.db on a schedule: its daily backup and its weekly check. */

const weekMs = 7 * dayMs;

export interface CareTask extends DailyOptions {
  memoryDb: string;
  kind: "backup" | "check";
}

/** What is due now, if anything is. */
export function findDueCare(
  memoryDb: string,
  folder: string,
  intervalMs: number | null,
  now = Date.now(),
): CareTask["kind"] | null {
  const { backup, check } = readCare(memoryDb);
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
    noteCare(memoryDb, { backup: { at: now, folder, problem: getErrorMessage(error) } });
    throw error;
  }
}

const answer = z.union([
  z.object({ done: z.nullable(z.string()) }),
  z.object({ code: z.string(), message: z.string(), hint: z.string() }),
]);

/** Reads the memory with 16 MB of SQLite's cache, and some rows at a time. */
const resourceLimits = { maxOldGenerationSizeMb: 128 };

/**
 * Does a task in a thread of its own: copying and checking 60 MB takes a second, in which a daemon must answer.
 * @returns what to write into the log; null when there was nothing to do, or `signal` ended it
 * @throws PommelError as `takeCare`
 */
export async function takeCareInThread(task: CareTask, signal: AbortSignal): Promise<string | null> {
  if (signal.aborted) return null;
  const worker = new Worker(locateBuiltFile("care-worker.cjs"), { workerData: task, resourceLimits });
  worker.unref();
  const end = () => void worker.terminate();
  signal.addEventListener("abort", end);
  try {
    return await new Promise((resolve, reject) => {
      worker.once("message", (message: unknown) => {
        const said = z.parse(answer, message);
        if ("done" in said) resolve(said.done);
        else reject(toError(said));
      });
      worker.once("error", reject);
      worker.once("exit", () => resolve(null));
    });
  } finally {
    signal.removeEventListener("abort", end);
  }
}
