import { readFileSync } from "node:fs";
import * as z from "zod/mini";
import { modes } from "../../src/features/models/evaluate/modes.ts";
import type { Report } from "./report.ts";
import { variants } from "./run.ts";

/** A tool in the plot. */
export interface PlotPoint {
  label: string;
  /** NDCG@10. */
  quality: number;
  /** Milliseconds a query; null draws a horizontal line, as only the quality is known. */
  milliseconds: number | null;
  isOurs: boolean;
}

interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

const width = 860;
const height = 500;
const area: Box = { left: 58, top: 50, right: width - 24, bottom: height - 62 };
const fontSize = 13;
/** Width of an average letter of a sans-serif font, relative to its size. */
const letterWidth = 0.56;
const radius = { ours: 6, peer: 4.5 };

/** Half-way between black and white, and so readable on either: GitHub shows the same file on both. */
const ink = { text: "#7d8590", faint: "#8b949e", ours: "#2f81f7", peer: "#bc6c25" };

/** Quality against time, as SVG: better tools are higher, quicker ones further left. Time is on a logarithmic scale. */
export function plot(
  points: readonly PlotPoint[],
  { title, caption }: { title: string; caption: string },
): string {
  const timed = points.filter((point): point is TimedPoint => point.milliseconds !== null);
  const untimed = points.filter(({ milliseconds }) => milliseconds === null);
  const scale = scaleOf(timed.map(({ milliseconds }) => milliseconds));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" font-family="-apple-system, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif" font-size="${fontSize}" fill="${ink.text}">`,
    `<title>${escaped(title)}</title>`,
    text(area.left, 24, title, { weight: 600, size: 15 }),
    ...axes(scale),
    ...untimed.map(({ label, quality }) => reference(label, yOf(quality))),
    ...labelled(timed, scale),
    text(area.left, height - 10, caption, { size: 11.5, fill: ink.faint }),
    "</svg>",
    "",
  ].join("\n");
}

type TimedPoint = PlotPoint & { milliseconds: number };

/** Whole decades, from the one below the quickest to the one above the slowest. */
interface TimeScale {
  first: number;
  last: number;
  xOf(milliseconds: number): number;
}

function scaleOf(times: readonly number[]): TimeScale {
  const exponents = times.map((time) => Math.log10(Math.max(time, 1e-6)));
  const first = Math.floor(Math.min(0, ...exponents));
  const last = Math.ceil(Math.max(1, ...exponents.map((exponent) => exponent + 0.1)));
  const perDecade = (area.right - area.left) / (last - first);
  return { first, last, xOf: (time) => area.left + (Math.log10(Math.max(time, 1e-6)) - first) * perDecade };
}

function yOf(quality: number): number {
  return area.bottom - quality * (area.bottom - area.top);
}

function axes(scale: TimeScale): string[] {
  const lines: string[] = [];
  for (let tenths = 0; tenths <= 10; tenths += 2) {
    const y = yOf(tenths / 10);
    lines.push(rule(area.left, y, area.right, y, tenths === 0 ? 0.9 : 0.25));
    lines.push(text(area.left - 8, y + 4, (tenths / 10).toFixed(1), { anchor: "end" }));
  }
  for (let exponent = scale.first; exponent <= scale.last; exponent++) {
    const x = scale.xOf(10 ** exponent);
    lines.push(rule(x, area.top, x, area.bottom, exponent === scale.first ? 0.9 : 0.15));
    lines.push(text(x, area.bottom + 18, timeLabel(exponent), { anchor: "middle" }));
  }
  const middle = (area.left + area.right) / 2;
  lines.push(text(middle, area.bottom + 36, "time per query (p50), logarithmic", { anchor: "middle" }));
  lines.push(text(area.left, area.top - 8, "NDCG@10", {}));
  return lines;
}

function timeLabel(exponent: number): string {
  if (exponent >= 3) return `${10 ** (exponent - 3)} s`;
  return exponent >= 0 ? `${10 ** exponent} ms` : `${10 ** (exponent + 3)} µs`;
}

/** A dashed line across. */
function reference(label: string, y: number): string {
  const line = `<line x1="${area.left}" y1="${px(y)}" x2="${area.right}" y2="${px(y)}" stroke="${ink.peer}" stroke-dasharray="5 4" stroke-opacity="0.8"/>`;
  return `${line}\n${text(area.right - 4, y - 5, label, { anchor: "end", fill: ink.peer })}`;
}

/** Points with their labels, ours first, without overlaps as far as possible. */
function labelled(points: readonly TimedPoint[], scale: TimeScale): string[] {
  const positioned = points.map((point) => ({
    point,
    x: scale.xOf(point.milliseconds),
    y: yOf(point.quality),
    r: point.isOurs ? radius.ours : radius.peer,
  }));
  positioned.sort((a, b) => Number(b.point.isOurs) - Number(a.point.isOurs));
  const taken: Box[] = positioned.map(({ x, y, r }) => ({
    left: x - r,
    top: y - r,
    right: x + r,
    bottom: y + r,
  }));
  return positioned.map(({ point, x, y, r }) => {
    const box = freeBox(boxesAround(point.label, { x, y, r }), taken);
    taken.push(box);
    const color = point.isOurs ? ink.ours : ink.peer;
    const label = text(box.left, box.bottom - 4, point.label, {
      fill: color,
      weight: point.isOurs ? 600 : 400,
    });
    return `<circle cx="${px(x)}" cy="${px(y)}" r="${r}" fill="${color}"/>\n${label}`;
  });
}

/** Possible places of a label: right, left, above, below, and then further away. */
function boxesAround(label: string, { x, y, r }: { x: number; y: number; r: number }): Box[] {
  const w = label.length * fontSize * letterWidth + 4;
  const h = fontSize + 5;
  const at = (left: number, top: number): Box => ({ left, top, right: left + w, bottom: top + h });
  const near = (gap: number) => [
    at(x + r + gap, y - h / 2),
    at(x - r - gap - w, y - h / 2),
    at(x - w / 2, y - r - gap - h),
    at(x - w / 2, y + r + gap),
    at(x + r, y - r - gap - h),
    at(x + r, y + r + gap),
  ];
  return [...near(3), ...near(10), ...near(20)];
}

function freeBox(boxes: readonly Box[], taken: readonly Box[]): Box {
  const isInside = (box: Box) => box.left >= area.left && box.right <= area.right && box.top >= area.top - 20;
  const isFree = (box: Box) => !taken.some((other) => overlap(box, other));
  return boxes.find((box) => isInside(box) && isFree(box)) ?? boxes[0]!;
}

function overlap(a: Box, b: Box): boolean {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

interface TextStyle {
  anchor?: "middle" | "end";
  fill?: string;
  weight?: number;
  size?: number;
}

function text(x: number, y: number, content: string, { anchor, fill, weight, size }: TextStyle): string {
  const attributes = [
    `x="${px(x)}" y="${px(y)}"`,
    anchor && `text-anchor="${anchor}"`,
    fill && `fill="${fill}"`,
    weight && `font-weight="${weight}"`,
    size && `font-size="${size}"`,
  ];
  return `<text ${attributes.filter(Boolean).join(" ")}>${escaped(content)}</text>`;
}

function rule(x1: number, y1: number, x2: number, y2: number, opacity: number): string {
  return `<line x1="${px(x1)}" y1="${px(y1)}" x2="${px(x2)}" y2="${px(y2)}" stroke="${ink.text}" stroke-opacity="${opacity}"/>`;
}

/** A coordinate; tenths of a pixel are precise enough. */
function px(value: number): string {
  return String(Math.round(value * 10) / 10);
}

function escaped(content: string): string {
  return content.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** The fields of a report that the plot needs. */
const saved = z.object({
  model: z.string(),
  runs: z.array(
    z.object({
      mode: z.enum(modes),
      variant: z.enum(variants),
      mean_ndcg10: z.number(),
      all: z.object({ p50_ms: z.number() }),
    }),
  ),
});
type Saved = z.infer<typeof saved>;

/** A report that `--save` wrote. */
export function loadSaved(file: string): Saved {
  return saved.parse(JSON.parse(readFileSync(file, "utf8")));
}

/** The modes of a report, the best of earlier ones, and the peers. */
export function pointsOf(
  report: Pick<Report, "model" | "runs" | "peers">,
  earlier: readonly Saved[],
): PlotPoint[] {
  return [
    ...oursOf(report),
    ...earlier.flatMap((one) => oursOf(one).slice(-1)),
    ...report.peers.map(({ name, mean_ndcg10, p50_ms }) => ({
      label: name,
      quality: mean_ndcg10,
      milliseconds: p50_ms,
      isOurs: false,
    })),
  ];
}

const labels = {
  lexical: () => "Pommel, words only",
  semantic: (model: string) => `Pommel, ${model} vectors only`,
  hybrid: (model: string) => `Pommel, ${model}`,
};

function oursOf({ model, runs }: Saved): PlotPoint[] {
  return runs
    .filter(({ variant }) => variant === "normal")
    .map(({ mode, mean_ndcg10, all }) => ({
      label: labels[mode](model),
      quality: mean_ndcg10,
      milliseconds: all.p50_ms,
      isOurs: true,
    }));
}
