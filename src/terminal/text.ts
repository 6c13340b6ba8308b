import { homedir } from "node:os";
import { dayMs } from "../base/text/day.ts";
import { cutToWidth, measureWidth, wrapToWidth } from "../base/text/display-width.ts";
import { formatLocalTime } from "../base/text/local-time.ts";
import { formatRelativeTime } from "../base/text/relative-time.ts";
import { shortenSessionId as beginningOfId } from "../protocol/reading/short-id.ts";
import type { Screen } from "./output.ts";
import type { Palette } from "./palette.ts";

export { formatCount } from "../base/text/counted.ts";

/** How texts and times are shown. */

/** Text that cannot move the cursor or recolour the terminal, whatever the file holds. */
export function toPrintable(text: string): string {
  return text.replaceAll("\t", "  ").replace(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, "·");
}

/** A line of a file, safe to print; the carriage return of a Windows line ending is left out. */
export const cleanCodeLine = (text: string): string => toPrintable(text.replace(/\r$/, ""));

/** A title in bold, or underlined if there are no colours. */
export function formatHeading(title: string, colors: Palette): string {
  return colors.isColorSupported ? colors.bold(title) : `${title}\n${"═".repeat(measureWidth(title))}`;
}

/** The beginning of a session's id, for a terminal. */
export const shortenId = (id: string) => beginningOfId(toPrintable(id));

/** Older times are shown as dates. Days. */
const relativeDays = 30;

/** When something was: "3 days ago", or the date if it is older. In a pipe the exact time, so that the output does not change. */
export function formatWhen(iso: string | null, { columns, now }: Pick<Screen, "columns" | "now">): string {
  if (iso === null) return "";
  const at = Date.parse(iso);
  if (columns === undefined) return formatLocalTime(iso);
  return now - at < relativeDays * dayMs ? formatRelativeTime(at, now) : formatLocalTime(iso).slice(0, 10);
}

/** As `formatWhen`, but always with the time: "2026-01-31 14:05 (3 days ago)". */
export function formatExactWhen(iso: string, screen: Pick<Screen, "columns" | "now">): string {
  const [time, relative] = [formatLocalTime(iso), formatWhen(iso, screen)];
  return time.startsWith(relative) ? time : `${time} (${relative})`;
}

/** A time span in as few characters as possible: "5m", "3h", "12d", "7w", "5mo", "2y". */
export function formatShortAge(ms: number): string {
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
export function toPrintableLines(text: string): string[] {
  return text.replace(/\s+$/, "").split(/\r?\n/).map(toPrintable);
}

/** A text as one line, cut at the width in columns. */
export function toOneLine(text: string, width = Number.POSITIVE_INFINITY): string {
  return cutToWidth(toPrintable(text.replace(/\s+/g, " ").trim()), width);
}

/** A text as lines of at most so many columns, if they are limited; longer words stay whole. */
export function wrapText(text: string, width = Number.POSITIVE_INFINITY): string[] {
  if (width === Number.POSITIVE_INFINITY) return [toOneLine(text)];
  return wrapToWidth(toPrintable(text.replace(/\s+/g, " ").trim()), width);
}

/** A text as one line: cut at the width on a terminal, whole in a pipe. */
export function fitToWidth(text: string, width: number, { columns }: Pick<Screen, "columns">): string {
  return toOneLine(text, columns === undefined ? undefined : Math.max(width, 1));
}

/** Wraps a painted line on a terminal, and indents all lines after the first. */
export function wrapWithIndent(line: string, { columns }: Pick<Screen, "columns">, indent = 3): string[] {
  if (columns === undefined || measureWidth(line) <= columns) return [line];
  const [, margin = "", text = ""] = /^( *)(.*)$/s.exec(line) ?? [];
  const width = Math.max(columns - Math.max(indent, margin.length), 20);
  return wrapToWidth(text, width, true).map((part, i) => (i === 0 ? margin : " ".repeat(indent)) + part);
}

/** A path as people write it: `~/code/app`. */
export function toHomeRelative(path: string): string {
  const dir = locateUserHome();
  const isInside = path === dir || path.startsWith(`${dir}/`);
  return toPrintable(isInside ? `~${path.slice(dir.length)}` : path);
}

export const locateUserHome = () => process.env.HOME || homedir();
