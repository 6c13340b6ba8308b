import { insertInto, selectColumns } from "../../tables/statements.ts";
import { activity } from "../../tables/upkeep.ts";
import type { Memory } from "../memory.ts";
import type { ActivityRecord, JobRecord } from "../memory-records.ts";

/** What the queue did last. */

const maxActivities = 200;
/** Older jobs do not show how fast the queue is now; and a time left takes some of it to be judged by. Milliseconds. */
const rateWindowMs = 60_000;
const minJudgedMs = 5000;

/** To be called in a transaction. */
export function addActivity(memory: Memory, done: ActivityRecord): void {
  memory.prepare(insertInto(activity)).run(done);
  memory.prepare("DELETE FROM activity WHERE id <= (SELECT max(id) FROM activity) - ?").run(maxActivities);
}

/** Finished jobs, the latest first. */
export function listRecentActivity(memory: Memory, limit: number): ActivityRecord[] {
  return memory.all<ActivityRecord>(
    `SELECT ${selectColumns(activity, { except: ["id"] })} FROM activity ORDER BY id DESC LIMIT ?`,
    limit,
  );
}

export interface QueueFigures {
  jobs: Record<JobRecord["state"], number>;
  /** Bytes of all transcripts that wait or are read, and of those how many are read. */
  done: number;
  total: number;
  /** Chunks written in a second, over the last minute; null when nothing was done in it. */
  chunksPerSecond: number | null;
  /** The time left to read at the speed of the last minute; null when unknown. Milliseconds. */
  etaMs: number | null;
}

/** How the queue stands. */
export function readQueueFigures(memory: Memory, now = Date.now()): QueueFigures {
  const jobs: QueueFigures["jobs"] = { pending: 0, running: 0, dead: 0 };
  let [done, total] = [0, 0];
  const states = memory.all<{ state: JobRecord["state"]; n: number; done: number; total: number }>(
    // Of others the units are no bytes.
    `SELECT state, count(*) AS n,
       sum(iif(kind = 'transcript', min(done, total), 0)) AS done,
       sum(iif(kind = 'transcript', total, 0)) AS total
     FROM jobs GROUP BY state`,
  );
  for (const row of states) {
    jobs[row.state] = row.n;
    if (row.state === "dead") continue;
    done += row.done;
    total += row.total;
  }
  const recent = memory.get<{ chunks: number; units: number; begun: number | null }>(
    `SELECT coalesce(sum(chunks), 0) AS chunks, coalesce(sum(iif(kind = 'transcript', units, 0)), 0) AS units,
       min(at - took_ms) AS begun
     FROM activity WHERE at > ? AND outcome = 'done'`,
    now - rateWindowMs,
  );
  const left = total - done;
  // By the clock: several are read at once, and they wait for others.
  const spanMs = recent.begun === null ? 0 : now - Math.max(recent.begun, now - rateWindowMs);
  const speed = spanMs >= minJudgedMs ? recent.units / spanMs : 0;
  return {
    jobs,
    done,
    total,
    chunksPerSecond: spanMs > 0 ? (recent.chunks * 1000) / spanMs : null,
    etaMs: left === 0 ? 0 : speed > 0 ? Math.round(left / speed) : null,
  };
}
