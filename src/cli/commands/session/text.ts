import type { Answered } from "../../../client/answer.ts";
import { shortId as beginningOfId } from "../../../sessions/short-id.ts";
import { cutToWidth, widthOf, wrapToWidth } from "../../../text/display-width.ts";
import { type Colors, relativeTime } from "../../terminal/output.ts";
import { printable } from "../search/results.ts";

/** How conversations are shown. */

/** A title with a line below it. */
export function heading(title: string, colors: Colors): string {
  return `${colors.bold(title)}\n${colors.dim("═".repeat(widthOf(title)))}`;
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

/** The lines of a text, each safe to print. */
export function block(text: string): string[] {
  return text.replace(/\s+$/, "").split(/\r?\n/).map(printable);
}

/** A text as one line, cut at the width in columns. */
export function oneLine(text: string, width: number): string {
  return cutToWidth(printable(text.replace(/\s+/g, " ").trim()), width);
}

/** A text as lines of at most so many columns; longer words stay whole. */
export function wrapped(text: string, width: number): string[] {
  return wrapToWidth(printable(text.replace(/\s+/g, " ").trim()), width);
}

/** "1,234 tokens", "1 turn". */
export function counted(number: number, unit: string): string {
  return `${number.toLocaleString("en")} ${unit}${number === 1 ? "" : "s"}`;
}

/** A line newer than this says that somebody reads along. Milliseconds. */
const oldAfterMs = 5000;

/** How old the data is where no daemon answered; null where one did, or where the data is recent enough. */
export function noteOnMemory({ without, asOf }: Pick<Answered<unknown>, "without" | "asOf">): string | null {
  if (without === null || asOf === null || Date.now() - Date.parse(asOf) < oldAfterMs) return null;
  const why = without === "timeout" ? "The daemon does not answer" : "No daemon is running";
  return `${why}; the last session is from ${relativeTime(Date.parse(asOf))}.`;
}
