import type { Memory } from "../memory.ts";
import type { JobRecord } from "../memory-records.ts";
import { letWait, listJobs, waitingJob } from "./job-rows.ts";

/**
 * Lets jobs that were given up wait again, from their first attempt; one that has a newer request waiting leaves it to
 * that.
 * @returns how many there were
 */
export function retryDead(memory: Memory, ids: readonly number[] | "all", now = Date.now()): number {
  return memory.inTransaction(() => {
    const dead = deadJobs(memory, ids);
    for (const job of dead) {
      if (waitingJob(memory, job)) memory.prepare("DELETE FROM jobs WHERE id = ?").run(job.id);
      else letWait(memory, job, { attempts: 0, notBefore: now, error: job.error, now });
    }
    return dead.length;
  });
}

/** Forgets jobs that were given up. @returns how many there were */
export function removeDead(memory: Memory, ids: readonly number[] | "all"): number {
  return memory.inTransaction(() => {
    const dead = deadJobs(memory, ids);
    for (const { id } of dead) memory.prepare("DELETE FROM jobs WHERE id = ?").run(id);
    return dead.length;
  });
}

function deadJobs(memory: Memory, ids: readonly number[] | "all"): JobRecord[] {
  const wanted = ids === "all" ? null : new Set(ids);
  return listJobs(memory, { state: "dead" }).filter(({ id }) => wanted === null || wanted.has(id));
}
