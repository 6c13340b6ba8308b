import type { SessionSummary } from "../../sessions/operation.ts";
import type { CheckpointSummary } from "../operation.ts";

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
export function buildLanes(
  sessions: readonly SessionSummary[],
  commits: readonly CheckpointSummary[],
  by: Grouping,
): Lane[] {
  const lanes = new Map<string, Lane & { latest: number }>();
  const findOrAddLane = (name: string, at: number) => {
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
    const lane = findOrAddLane(name, to);
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
    findOrAddLane(by === "branch" ? (commit.branch ?? "no branch") : agent, at).commits.push({ commit, at });
  }
  return [...lanes.values()].sort((a, b) => b.latest - a.latest).map(({ latest, ...lane }) => lane);
}

/** From the first to the last that happened, with some room; a week if nothing did. */
export function computeTimeSpan(lanes: readonly Lane[], now: number): { from: number; to: number } {
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
export function listAxisTicks(from: number, to: number, max: number): { at: number; label: string }[] {
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

/** What is in sight. Times in milliseconds since 1970, the rest in CSS pixels. */
export interface Window {
  from: number;
  to: number;
  /** How far down the lanes are scrolled. */
  top: number;
}

/** Something that can be pointed at. */
export interface Spot {
  x: number;
  y: number;
  width: number;
  height: number;
  of: { session: SessionSummary } | { commit: CheckpointSummary };
}

export const axisHeight = 26;
const rowHeight = 12;
const lanePadding = 8;
const minBar = 3;
const commitSize = 7;

export const measureLaneHeight = ({ rows, commits }: Lane) =>
  rows * rowHeight + (commits.length > 0 ? rowHeight : 0) + 2 * lanePadding;

export const labelWidthAt = (width: number) => Math.min(220, Math.round(width * 0.26));

interface Drawing {
  canvas: HTMLCanvasElement;
  lanes: readonly Lane[];
  window: Window;
  /** The colour of sessions, by their agent. */
  colourOf: (agent: string) => string;
}

/** Draws what is in sight. @returns what can be pointed at, the topmost last */
export function draw({ canvas, lanes, window, colourOf }: Drawing): Spot[] {
  const context = canvas.getContext("2d")!;
  const ratio = devicePixelRatio;
  const { clientWidth: width, clientHeight: height } = canvas;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  const style = getComputedStyle(canvas);
  const colour = (name: string) => style.getPropertyValue(name).trim();
  const [border, text, muted, background, good] = [
    colour("--drawn-border"),
    colour("--drawn-text"),
    colour("--drawn-muted"),
    colour("--drawn-background"),
    colour("--drawn-commit"),
  ];
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  context.font = `12px ${style.fontFamily}`;
  context.textBaseline = "middle";

  const left = labelWidthAt(width);
  const toX = (time: number) => left + ((time - window.from) / (window.to - window.from)) * (width - left);
  const ticks = listAxisTicks(window.from, window.to, Math.max(2, Math.floor((width - left) / 90)));
  context.strokeStyle = border;
  context.lineWidth = 1;
  for (const { at } of ticks) drawLine(context, toX(at), axisHeight, toX(at), height);

  const spots: Spot[] = [];
  let y = axisHeight - window.top;
  for (const lane of lanes) {
    const laneHeight = measureLaneHeight(lane);
    if (y + laneHeight > axisHeight && y < height) {
      context.save();
      context.beginPath();
      context.rect(left, axisHeight, width - left, height - axisHeight);
      context.clip();
      for (const { session, from, to, row } of lane.bars) {
        const x = toX(from);
        const spot = {
          x,
          y: y + lanePadding + row * rowHeight,
          height: rowHeight - 2,
          width: Math.max(minBar, toX(to) - x),
        };
        if (spot.x + spot.width < left || spot.x > width) continue;
        context.fillStyle = colourOf(session.agent);
        context.beginPath();
        context.roundRect(spot.x, spot.y, spot.width, spot.height, 2);
        context.fill();
        spots.push({ ...spot, of: { session } });
      }
      const commitY = y + lanePadding + lane.rows * rowHeight + rowHeight / 2;
      context.fillStyle = good;
      for (const { commit, at } of lane.commits) {
        const x = toX(at);
        if (x < left || x > width) continue;
        drawDiamond(context, x, commitY, commitSize / 2);
        spots.push({
          x: x - commitSize / 2,
          y: commitY - commitSize / 2,
          width: commitSize,
          height: commitSize,
          of: { commit },
        });
      }
      context.restore();
      context.strokeStyle = border;
      drawLine(context, 0, y + laneHeight, width, y + laneHeight);
      context.fillStyle = muted;
      context.fillText(
        fitText(context, lane.name, left - 12),
        0,
        Math.max(axisHeight + 10, y + laneHeight / 2),
      );
    }
    y += laneHeight;
  }

  context.fillStyle = background;
  context.fillRect(0, 0, width, axisHeight);
  context.fillStyle = text;
  for (const { at, label } of ticks) {
    const x = toX(at);
    const isInSight = x >= left && x + 4 + context.measureText(label).width <= width;
    if (isInSight) context.fillText(label, x + 4, axisHeight / 2);
  }
  drawLine(context, 0, axisHeight, width, axisHeight);
  return spots;
}

function drawLine(context: CanvasRenderingContext2D, x1: number, y1: number, x2: number, y2: number): void {
  context.beginPath();
  context.moveTo(Math.round(x1) + 0.5, Math.round(y1) + 0.5);
  context.lineTo(Math.round(x2) + 0.5, Math.round(y2) + 0.5);
  context.stroke();
}

function drawDiamond(context: CanvasRenderingContext2D, x: number, y: number, radius: number): void {
  context.beginPath();
  context.moveTo(x, y - radius);
  context.lineTo(x + radius, y);
  context.lineTo(x, y + radius);
  context.lineTo(x - radius, y);
  context.fill();
}

/** Texts that were shortened to a width: measuring them is most of the work of a frame. */
const fitted = new Map<string, string>();

function fitText(context: CanvasRenderingContext2D, text: string, width: number): string {
  const key = `${width} ${text}`;
  const known = fitted.get(key);
  if (known !== undefined) return known;
  let shown = text;
  while (shown.length > 1 && context.measureText(shown).width > width) shown = `${shown.slice(0, -2)}…`;
  if (fitted.size > 5_000) fitted.clear();
  fitted.set(key, shown);
  return shown;
}
