import { homedir } from "node:os";
import { cutToWidth, widthOf, wrapToWidth } from "../base/text/display-width.ts";
import { relativeTime } from "../base/text/relative-time.ts";
import { shortId as beginningOfId } from "../sessions/short-id.ts";
import type { Screen } from "./output.ts";
import type { Palette } from "./palette.ts";

export { counted } from "../base/text/counted.ts";

/** How texts and times are shown. */

/** Text that cannot move the cursor or recolour the terminal, whatever the file holds. */
export function printable(text: string): string {
  return text.replaceAll("\t", "  ").replace(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, "·");
}

/** A title; with a line below it where there is no bold type. */
export function heading(title: string, colors: Palette): string {
  return colors.isColorSupported ? colors.bold(title) : `${title}\n${"═".repeat(widthOf(title))}`;
}

/** The beginning of a session's id, for a terminal. */
export const shortId = (id: string) => beginningOfId(printable(id));

/** An ISO time as "2026-01-31 14:05", where the reader is. */
export function localTime(iso: string): string {
  const at = new Date(iso);
  const two = (n: number) => String(n).padStart(2, "0");
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${day} ${two(at.getHours())}:${two(at.getMinutes())}`;
}

const dayMs = 86_400_000;
/** Older times are shown by their date. Days. */
const relativeDays = 30;

/** When something was: "3 days ago", or its date where that says more; in a pipe the time, which stays the same. */
export function when(iso: string | null, { columns, now }: Pick<Screen, "columns" | "now">): string {
  if (iso === null) return "";
  const at = Date.parse(iso);
  if (columns === undefined) return localTime(iso);
  return now - at < relativeDays * dayMs ? relativeTime(at, now) : localTime(iso).slice(0, 10);
}

/** The same with the time in any case: "2026-01-31 14:05 (3 days ago)". */
export function exactWhen(iso: string, screen: Pick<Screen, "columns" | "now">): string {
  const [time, relative] = [localTime(iso), when(iso, screen)];
  return time.startsWith(relative) ? time : `${time} (${relative})`;
}

/** A time span in the least room: "5m", "3h", "12d", "7w", "5mo", "2y". */
export function shortAge(ms: number): string {
  const steps: [unit: string, size: number, until: number][] = [
    ["m", 60_000, 3_600_000],
    ["h", 3_600_000, dayMs],
    ["d", dayMs, 14 * dayMs],
    ["w", 7 * dayMs, 60 * dayMs],
    ["mo", 30.44 * dayMs, 365 * dayMs],
    ["y", 365.25 * dayMs, Number.POSITIVE_INFINITY],
  ];
  const [unit, size] = steps.find(([, , until]) => ms < until)!;
  return `${Math.max(Math.floor(ms / size), unit === "y" ? 1 : 0)}${unit}`;
}

/** The lines of a text, each safe to print. */
export function block(text: string): string[] {
  return text.replace(/\s+$/, "").split(/\r?\n/).map(printable);
}

/** A text as one line, cut at the width in columns. */
export function oneLine(text: string, width = Number.POSITIVE_INFINITY): string {
  return cutToWidth(printable(text.replace(/\s+/g, " ").trim()), width);
}

/** A text as lines of at most so many columns, if they are limited; longer words stay whole. */
export function wrapped(text: string, width = Number.POSITIVE_INFINITY): string[] {
  if (width === Number.POSITIVE_INFINITY) return [oneLine(text)];
  return wrapToWidth(printable(text.replace(/\s+/g, " ").trim()), width);
}

/** A text as one line: cut at the width on a terminal, whole in a pipe. */
export function fitted(text: string, width: number, { columns }: Pick<Screen, "columns">): string {
  return oneLine(text, columns === undefined ? undefined : Math.max(width, 1));
}

/** A painted line, wrapped on a terminal; what follows its first line is indented. */
export function hanging(line: string, { columns }: Pick<Screen, "columns">, indent = 3): string[] {
  if (columns === undefined || widthOf(line) <= columns) return [line];
  const [, margin = "", text = ""] = /^( *)(.*)$/s.exec(line) ?? [];
  const width = Math.max(columns - Math.max(indent, margin.length), 20);
  return wrapToWidth(text, width, true).map((part, i) => (i === 0 ? margin : " ".repeat(indent)) + part);
}

/** A path as people write it: `~/code/app`. */
export function homeRelative(path: string): string {
  const dir = userHome();
  const isInside = path === dir || path.startsWith(`${dir}/`);
  return printable(isInside ? `~${path.slice(dir.length)}` : path);
}

export const userHome = () => process.env.HOME || homedir();
