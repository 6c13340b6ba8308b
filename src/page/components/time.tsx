import { signal } from "@preact/signals";
import { dayMs } from "../../base/text/day.ts";

const minute = signal(Date.now());

/** Draws what says how long ago something was anew each minute: the page may be open all day. */
export const followTime = () => setInterval(() => (minute.value = Date.now()), 60_000);

/** Now; a component that reads it is drawn anew each minute. */
export const getCurrentTime = () => Math.max(minute.value, Date.now());

const units = [
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
] as const;

/** What is older is a date. Seconds. */
const longAgo = 7 * 86_400;

// Made once: making one takes longer than laying out the row that it is for.
const dated = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });
const datedInYear = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric" });
const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
const whole = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto", style: "short" });

/** "3 hr. ago" and the like; "16 Feb" or "16 Feb 2025" for what is older than a week. */
export function formatRelativeTime(iso: string, now = getCurrentTime()): string {
  const at = new Date(iso);
  const seconds = (at.getTime() - now) / 1000;
  if (Math.abs(seconds) >= longAgo) return formatDate(at, at.getFullYear() !== new Date(now).getFullYear());
  const days = daysBetween(at.getTime(), now);
  if (seconds <= -86_400 || (days > 0 && seconds <= -6 * 3600))
    return relative.format(-Math.max(days, 1), "day");
  const unit = units.find(([, size]) => Math.abs(seconds) >= size);
  return unit ? relative.format(Math.trunc(seconds / unit[1]), unit[0]) : "just now";
}

/** Midnights from a time to another, where the reader is. */
function daysBetween(then: number, now: number): number {
  const midnight = (at: number) => new Date(at).setHours(0, 0, 0, 0);
  return Math.round((midnight(now) - midnight(then)) / dayMs);
}

const formatDate = (at: Date, withYear: boolean) => (withYear ? datedInYear : dated).format(at);

/** When: relative, or the time of the day where the day is known; exact on hover. */
export function Time({ at, isDayKnown = false }: { at: string | null; isDayKnown?: boolean | undefined }) {
  if (at === null) return null;
  const time = new Date(at);
  return (
    <time dateTime={at} title={whole.format(time)}>
      {isDayKnown ? clock.format(time) : formatRelativeTime(at)}
    </time>
  );
}

/** The day and the time of the day. */
export function Moment({ at }: { at: string | null }) {
  if (at === null) return null;
  const time = new Date(at);
  return (
    <time dateTime={at} title={whole.format(time)}>
      {formatDate(time, true)}, {clock.format(time)}
    </time>
  );
}

/** The day of a time, where the reader is: "Today", "Monday, 3 March 2026". */
export function formatDay(iso: string, now = getCurrentTime()): string {
  const day = (at: number | string) => new Date(at).toDateString();
  if (day(iso) === day(now)) return "Today";
  if (day(iso) === day(now - dayMs)) return "Yesterday";
  return new Date(iso).toLocaleDateString("en-GB", {
    weekday: "long",
    day: "numeric",
    month: "long",
    year: "numeric",
  });
}

/** Values of a filter for time, as the daemon reads them. */
export const periods = [
  ["today", "Today"],
  ["yesterday", "Since yesterday"],
  ["7 days ago", "Last 7 days"],
  ["30 days ago", "Last 30 days"],
  ["1 year ago", "Last year"],
] as const;
