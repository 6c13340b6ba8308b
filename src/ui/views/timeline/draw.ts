import type { CheckpointSummary } from "../../../protocol/operations/checkpoints.ts";
import type { SessionSummary } from "../../../protocol/operations/sessions.ts";
import { type Lane, ticksOf } from "./lanes.ts";

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

export const heightOf = ({ rows, commits }: Lane) =>
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
  const xOf = (time: number) => left + ((time - window.from) / (window.to - window.from)) * (width - left);
  const ticks = ticksOf(window.from, window.to, Math.max(2, Math.floor((width - left) / 90)));
  context.strokeStyle = border;
  context.lineWidth = 1;
  for (const { at } of ticks) line(context, xOf(at), axisHeight, xOf(at), height);

  const spots: Spot[] = [];
  let y = axisHeight - window.top;
  for (const lane of lanes) {
    const laneHeight = heightOf(lane);
    if (y + laneHeight > axisHeight && y < height) {
      context.save();
      context.beginPath();
      context.rect(left, axisHeight, width - left, height - axisHeight);
      context.clip();
      for (const { session, from, to, row } of lane.bars) {
        const x = xOf(from);
        const spot = {
          ...{ x, y: y + lanePadding + row * rowHeight, height: rowHeight - 2 },
          width: Math.max(minBar, xOf(to) - x),
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
        const x = xOf(at);
        if (x < left || x > width) continue;
        diamond(context, x, commitY, commitSize / 2);
        spots.push({
          ...{ x: x - commitSize / 2, y: commitY - commitSize / 2, width: commitSize, height: commitSize },
          of: { commit },
        });
      }
      context.restore();
      context.strokeStyle = border;
      line(context, 0, y + laneHeight, width, y + laneHeight);
      context.fillStyle = muted;
      context.fillText(
        fitting(context, lane.name, left - 12),
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
    const x = xOf(at);
    const isInSight = x >= left && x + 4 + context.measureText(label).width <= width;
    if (isInSight) context.fillText(label, x + 4, axisHeight / 2);
  }
  line(context, 0, axisHeight, width, axisHeight);
  return spots;
}

function line(context: CanvasRenderingContext2D, x1: number, y1: number, x2: number, y2: number): void {
  context.beginPath();
  context.moveTo(Math.round(x1) + 0.5, Math.round(y1) + 0.5);
  context.lineTo(Math.round(x2) + 0.5, Math.round(y2) + 0.5);
  context.stroke();
}

function diamond(context: CanvasRenderingContext2D, x: number, y: number, radius: number): void {
  context.beginPath();
  context.moveTo(x, y - radius);
  context.lineTo(x + radius, y);
  context.lineTo(x, y + radius);
  context.lineTo(x - radius, y);
  context.fill();
}

/** Texts that were shortened to a width: measuring them is most of the work of a frame. */
const fitted = new Map<string, string>();

function fitting(context: CanvasRenderingContext2D, text: string, width: number): string {
  const key = `${width} ${text}`;
  const known = fitted.get(key);
  if (known !== undefined) return known;
  let shown = text;
  while (shown.length > 1 && context.measureText(shown).width > width) shown = `${shown.slice(0, -2)}…`;
  if (fitted.size > 5_000) fitted.clear();
  fitted.set(key, shown);
  return shown;
}
