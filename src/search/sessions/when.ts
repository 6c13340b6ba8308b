import { PommelError } from "../../project/errors.ts";

const day = 24 * 3600 * 1000;
const onlyDate = /^\d{4}-\d{2}-\d{2}$/;
const isoDate = /^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?$/;

/**
 * A time as people write it: ISO 8601 (local time where it names no zone) or in English words, "last week", "3 days
 * ago". A day or a longer span means its beginning as the first moment, its end as the last one.
 * @param as whether it is the first or the last moment of a search
 * @returns milliseconds since the epoch
 * @throws PommelError `usage`
 */
export async function parseWhen(
  text: string,
  as: "since" | "until",
  now: Date = new Date(),
): Promise<number> {
  const trimmed = text.trim();
  if (isoDate.test(trimmed)) {
    const at = Date.parse(onlyDate.test(trimmed) ? `${trimmed}T00:00` : trimmed.replace(" ", "T"));
    if (!Number.isNaN(at)) return as === "until" && onlyDate.test(trimmed) ? at + day - 1 : at;
  }
  const span = spanOf(trimmed, now);
  if (span) return as === "since" ? span.start : span.end;
  // Loaded when it is needed: it costs more than a search.
  const { parse } = await import("chrono-node/en");
  const [found] = parse(trimmed, now, { forwardDate: false });
  if (!found || found.text.length < trimmed.length / 2) {
    throw new PommelError(
      "usage",
      `${JSON.stringify(text)} is no time.`,
      'Try "2026-01-31", "yesterday", "last week" or "3 days ago".',
    );
  }
  const at = found.start.date();
  if (found.start.isCertain("hour") || /\bago\b|\bnow\b/i.test(trimmed)) return at.getTime();
  at.setHours(0, 0, 0, 0);
  return as === "until" ? at.getTime() + day - 1 : at.getTime();
}

/** "last week" is the seven days before today, not the one day that a calendar parser makes of it. */
function spanOf(text: string, now: Date): { start: number; end: number } | null {
  const found = /^(this|last|past|previous)\s+(week|month|year)$/i.exec(text);
  if (!found) return null;
  const [, which = "", unit = ""] = found;
  const today = new Date(now);
  today.setHours(0, 0, 0, 0);
  const start = new Date(today);
  const isThis = which.toLowerCase() === "this";
  if (unit.toLowerCase() === "week") start.setDate(start.getDate() - (isThis ? (start.getDay() + 6) % 7 : 7));
  else if (unit.toLowerCase() === "month") isThis ? start.setDate(1) : start.setMonth(start.getMonth() - 1);
  else isThis ? start.setMonth(0, 1) : start.setFullYear(start.getFullYear() - 1);
  return { start: start.getTime(), end: now.getTime() };
}
