import type { CheckpointSummary } from "../../../protocol/operations/checkpoints.ts";
import type { SessionSummary } from "../../../protocol/operations/sessions.ts";

export type Grouping = "branch" | "agent";

interface Bar {
  session: SessionSummary;
  from: number;
  to: number;
  /** Bars of a lane that overlap lie in rows below each other. */
  row: number;
}

export interface Lane {
  name: string;
  bars: Bar[];
  commits: { commit: CheckpointSummary; at: number }[];
  /** At least one. */
  rows: number;
}

/** Of a lane; more overlapping bars share the last row. */
const maxRows = 4;

/** Sessions and commits in a lane for each branch or agent, the latest lane first. Times in milliseconds since 1970. */
export function lanesOf(
  sessions: readonly SessionSummary[],
  commits: readonly CheckpointSummary[],
  by: Grouping,
): Lane[] {
  const lanes = new Map<string, Lane & { latest: number }>();
  const laneOf = (name: string, at: number) => {
    const lane = lanes.get(name) ?? { name, bars: [], commits: [], rows: 1, latest: at };
    lane.latest = Math.max(lane.latest, at);
    lanes.set(name, lane);
    return lane;
  };
  const timed = sessions
    .flatMap((session) => {
      const from = Date.parse(session.started_at ?? session.last_at ?? "");
      const to = Date.parse(session.last_at ?? session.started_at ?? "");
      return Number.isNaN(from) || Number.isNaN(to) ? [] : [{ session, from, to: Math.max(from, to) }];
    })
    .sort((a, b) => a.from - b.from);
  const ends = new Map<string, number[]>();
  for (const { session, from, to } of timed) {
    const name = by === "branch" ? (session.branch ?? "no branch") : session.agent;
    const lane = laneOf(name, to);
    const taken = ends.get(name) ?? [];
    ends.set(name, taken);
    const free = taken.findIndex((end) => end <= from);
    const row = free !== -1 ? free : Math.min(taken.length, maxRows - 1);
    taken[row] = Math.max(taken[row] ?? 0, to);
    lane.bars.push({ session, from, to, row });
    lane.rows = Math.max(lane.rows, row + 1);
  }
  for (const commit of commits) {
    const at = Date.parse(commit.committed_at);
    const agent = commit.sessions[0]?.agent ?? "no agent";
    laneOf(by === "branch" ? (commit.branch ?? "no branch") : agent, at).commits.push({ commit, at });
  }
  return [...lanes.values()].sort((a, b) => b.latest - a.latest).map(({ latest, ...lane }) => lane);
}

/** From the first to the last that happened, with some room; a week if nothing did. */
export function spanOf(lanes: readonly Lane[], now: number): { from: number; to: number } {
  const times = lanes.flatMap(({ bars, commits }) => [
    ...bars.flatMap(({ from, to }) => [from, to]),
    ...commits.map(({ at }) => at),
  ]);
  if (times.length === 0) return { from: now - 7 * day, to: now };
  const [from, to] = times.reduce(
    ([low, high], time) => [Math.min(low, time), Math.max(high, time)],
    [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
  );
  const room = Math.max((to - from) * 0.02, hour);
  return { from: from - room, to: to + room };
}

const hour = 3_600_000;
const day = 24 * hour;

const steps = [
  { size: hour, label: { hour: "2-digit", minute: "2-digit" } },
  { size: 6 * hour, label: { day: "numeric", month: "short", hour: "2-digit" } },
  { size: day, label: { day: "numeric", month: "short" } },
  { size: 7 * day, label: { day: "numeric", month: "short" } },
  { size: 30 * day, label: { month: "short", year: "numeric" } },
  { size: 91 * day, label: { month: "short", year: "numeric" } },
  { size: 365 * day, label: { year: "numeric" } },
] as const;

/** Times to mark on an axis, at most `max` of them, where the reader's days and months begin. */
export function ticksOf(from: number, to: number, max: number): { at: number; label: string }[] {
  const { size, label } = steps.find((step) => (to - from) / step.size <= max) ?? steps.at(-1)!;
  const format = new Intl.DateTimeFormat("en-GB", label);
  const time = new Date(from);
  time.setMinutes(0, 0, 0);
  if (size >= 6 * hour) time.setHours(0);
  if (size >= 30 * day) time.setDate(1);
  if (size >= 365 * day) time.setMonth(0);
  const ticks: { at: number; label: string }[] = [];
  while (time.getTime() <= to) {
    if (time.getTime() >= from) ticks.push({ at: time.getTime(), label: format.format(time) });
    if (size >= 30 * day) time.setMonth(time.getMonth() + Math.round(size / (30.4 * day)));
    else if (size >= day) time.setDate(time.getDate() + size / day);
    else time.setHours(time.getHours() + size / hour);
  }
  return ticks;
}
