import { insertInto, selectColumns } from "../../tables/statements.ts";
import { activity } from "../../tables/upkeep.ts";
import type { Memory } from "../memory.ts";
import type { ActivityRecord, JobRecord } from "../memory-records.ts";

/** What the queue did last. */

const maxActivities = 200;
/** Older jobs do not show how fast the queue is now; and a time left takes some of it to be judged by. Milliseconds. */
const rateWindowMs = 10_000;
const minJudgedMs = 5000;
/** So much faster may one half of it be than the other, for the rate to count as steady. */
const steadyWithin = 1.5;

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
  /** Chunks written in a second, over the last ten seconds; null when nothing was done in them. */
  chunksPerSecond: number | null;
  /** The time left to read at the speed of the last ten seconds; null where that is not steady. Milliseconds. */
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
  const recent = memory.all<WorkDone>(
    `SELECT at, at - took_ms AS begun, chunks, iif(kind = 'transcript', units, 0) AS units
     FROM activity WHERE at > ? AND outcome = 'done'`,
    now - rateWindowMs,
  );
  const left = total - done;
  if (recent.length === 0) return { jobs, done, total, chunksPerSecond: null, etaMs: left === 0 ? 0 : null };
  // What is being read was begun when the one before was done, about.
  const running = { begun: Math.max(...recent.map(({ at }) => at)), at: now, chunks: 0, units: done };
  const { chunksPerSecond, speed } = measurePace([...recent, running], now);
  const etaMs = left === 0 ? 0 : speed > 0 ? Math.round(left / speed) : null;
  return { jobs, done, total, chunksPerSecond, etaMs };
}

/** Work, with its time. Milliseconds since the epoch. */
interface WorkDone {
  begun: number;
  at: number;
  chunks: number;
  units: number;
}

/** By the clock: several are read at once, and they wait for others. @returns `speed`: units in a millisecond; 0 where it is not steady */
function measurePace(
  work: readonly WorkDone[],
  now: number,
): { chunksPerSecond: number | null; speed: number } {
  const from = Math.max(now - rateWindowMs, Math.min(...work.map(({ begun }) => begun)));
  const spanMs = now - from;
  const sum = (what: "chunks" | "units", begin: number, end: number) =>
    work.reduce((all, one) => {
      const overlap = Math.min(one.at, end) - Math.max(one.begun, begin);
      return all + (one[what] * Math.max(0, overlap)) / Math.max(1, one.at - one.begun);
    }, 0);
  const halves = [sum("units", from, from + spanMs / 2), sum("units", from + spanMs / 2, now)];
  const isSteady = Math.min(...halves) > 0 && Math.max(...halves) <= steadyWithin * Math.min(...halves);
  return {
    chunksPerSecond: spanMs > 0 ? (sum("chunks", from, now) * 1000) / spanMs : null,
    speed: isSteady && spanMs >= minJudgedMs ? sum("units", from, now) / spanMs : 0,
  };
}
