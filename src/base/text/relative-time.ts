import { dayMs } from "./day.ts";
/**
 * How long ago `then` was, for a reader: "just now", "5 minutes ago"; "yesterday" and "3 days ago" count days of the calendar.
 * Both in ms since the epoch.
 */
export function formatRelativeTime(then: number, now: number = Date.now()): string {
  const seconds = Math.max(0, Math.round((now - then) / 1000));
  if (seconds < 10) return "just now";
  const days = daysBetween(then, now);
  if (seconds >= 86_400 || (days > 0 && seconds >= 6 * 3600))
    return days <= 1 ? "yesterday" : `${days} days ago`;
  const steps: [size: number, unit: string][] = [
    [3600, "hour"],
    [60, "minute"],
    [1, "second"],
  ];
  const [size, unit] = steps.find(([size]) => seconds >= size) ?? [1, "second"];
  const count = Math.floor(seconds / size);
  return `${count} ${unit}${count === 1 ? "" : "s"} ago`;
}

/** Midnights between two times, where the reader is. */
function daysBetween(then: number, now: number): number {
  const midnight = (at: number) => new Date(at).setHours(0, 0, 0, 0);
  return Math.max(0, Math.round((midnight(now) - midnight(then)) / dayMs));
}
