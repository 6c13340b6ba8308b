const units = [
  ["year", 365 * 86_400],
  ["month", 30 * 86_400],
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
] as const;

const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto", style: "short" });

/** "3 hr. ago" and the like. */
export function relativeTime(iso: string, now = Date.now()): string {
  const seconds = (Date.parse(iso) - now) / 1000;
  const unit = units.find(([, size]) => Math.abs(seconds) >= size);
  return unit ? relative.format(Math.trunc(seconds / unit[1]), unit[0]) : "just now";
}

/** When: relative, with the exact time on hover. */
export function Time({ at }: { at: string | null }) {
  if (at === null) return null;
  return (
    <time dateTime={at} title={new Date(at).toLocaleString()}>
      {relativeTime(at)}
    </time>
  );
}

/** The day of a time, where the reader is: "Monday, 3 March 2026". */
export function dayOf(iso: string): string {
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
  ["7 days ago", "Last 7 days"],
  ["30 days ago", "Last 30 days"],
  ["1 year ago", "Last year"],
] as const;
