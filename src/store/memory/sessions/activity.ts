import { insertInto, selectColumns } from "../../tables/statements.ts";
import { activity } from "../../tables/upkeep.ts";
import type { Memory } from "../memory.ts";
import type { ActivityRecord, JobRecord } from "../memory-records.ts";

/** What the queue did last. */

const maxActivities = 200;
/** Older jobs do not show how fast the queue is now. Milliseconds. */
const rateWindow = 300_000;

/** To be called in a transaction. */
export function addActivity(memory: Memory, done: ActivityRecord): void {
  memory.prepare(insertInto(activity)).run(done);
  memory.prepare("DELETE FROM activity WHERE id <= (SELECT max(id) FROM activity) - ?").run(maxActivities);
}

/** Finished jobs, the latest first. */
export function recentActivity(memory: Memory, limit: number): ActivityRecord[] {
  return memory.all<ActivityRecord>(
    `SELECT ${selectColumns(activity, { except: ["id"] })} FROM activity ORDER BY id DESC LIMIT ?`,
    limit,
  );
}

export interface QueueFigures {
  jobs: Record<JobRecord["state"], number>;
  /** Units of work of all jobs that wait or run, and of those how many are done. */
  done: number;
  total: number;
  /** Chunks written in a second of work, over the last five minutes; null when nothing was done in them. */
  chunksPerSecond: number | null;
  /** The time left at the speed of the last five minutes; null when unknown. Milliseconds. */
  etaMs: number | null;
}

/** How the queue stands. */
export function queueFigures(memory: Memory, now = Date.now()): QueueFigures {
  const jobs: QueueFigures["jobs"] = { pending: 0, running: 0, dead: 0 };
  let [done, total] = [0, 0];
  const states = memory.all<{ state: JobRecord["state"]; n: number; done: number; total: number }>(
    "SELECT state, count(*) AS n, sum(min(done, total)) AS done, sum(total) AS total FROM jobs GROUP BY state",
  );
  for (const row of states) {
    jobs[row.state] = row.n;
    if (row.state === "dead") continue;
    done += row.done;
    total += row.total;
  }
  const recent = memory.get<{ chunks: number; units: number; took: number }>(
    `SELECT coalesce(sum(chunks), 0) AS chunks, coalesce(sum(units), 0) AS units, coalesce(sum(took_ms), 0) AS took
     FROM activity WHERE at > ? AND outcome = 'done'`,
    now - rateWindow,
  );
  const left = total - done;
  const speed = recent.took > 0 ? recent.units / recent.took : 0;
  return {
    jobs,
    done,
    total,
    chunksPerSecond: recent.took > 0 ? (recent.chunks * 1000) / recent.took : null,
    etaMs: left === 0 ? 0 : speed > 0 ? Math.round(left / speed) : null,
  };
}
