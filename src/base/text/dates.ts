import { PommelError } from "../errors.ts";
import { dayMs } from "./day.ts";

/** The first and the last moment of a period; equal for a moment. Milliseconds since the epoch. */
interface TimeSpan {
  start: number;
  end: number;
}

/** The last moment that a Date can hold; the first is its negative. Milliseconds since the epoch. */
export const maxTime = 8.64e15;

/** 2026, 2026-01, 2026-01-31. */
const isoDate = /^(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?$/;
const isoMoment = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)$/;

/**
 * Parses a time in ISO 8601 (local time without a zone) or English, "last week", "3 days ago". A day or a longer span
 * means its beginning as the first moment, its end as the last one.
 * @param as whether to return the first or the last moment of a period
 * @returns milliseconds since the epoch
 * @throws PommelError `usage`
 */
export async function parseWhen(
  text: string,
  as: "since" | "until",
  now: Date = new Date(),
): Promise<number> {
  const trimmed = text.trim();
  const isIso = isoDate.test(trimmed) || isoMoment.test(trimmed);
  const span = isIso
    ? parseIsoSpan(trimmed)
    : (parseAgo(trimmed, now) ?? parseNamedSpan(trimmed, now) ?? (await parseSpokenSpan(trimmed, now)));
  if (span === null) {
    throw new PommelError(
      "usage",
      `${JSON.stringify(text)} is not a date or time.`,
      'Try "2026-01-31", "yesterday", "last week" or "3 days ago".',
    );
  }
  return as === "since" ? span.start : span.end;
}

function parseIsoSpan(text: string): TimeSpan | null {
  const [, date, time] = isoMoment.exec(text) ?? [];
  const [, year, month = "01", day = "01"] = isoDate.exec(date ?? text) ?? [];
  const start = new Date(`${year}-${month}-${day}T00:00`);
  // Date turns an invalid day, such as 30 February, into another one.
  if (Number.isNaN(start.getTime()) || start.getDate() !== Number(day)) return null;
  if (time !== undefined) {
    const at = Date.parse(`${date}T${time}`);
    return Number.isNaN(at) ? null : { start: at, end: at };
  }
  return text.length === 10 ? toDaySpan(start) : text.length === 7 ? toMonthSpan(start) : toYearSpan(start);
}

const unitMs = { h: 3_600_000, d: dayMs, w: 7 * dayMs };

/** "2d" and "2 days ago" are two days ago, to the millisecond. */
function parseAgo(text: string, now: Date): TimeSpan | null {
  const [, count, short, long] = /^(\d{1,4})\s*(?:([hdw])|(hour|day|week)s?\s+ago)$/i.exec(text) ?? [];
  const unit = (short ?? long)?.[0]?.toLowerCase() as keyof typeof unitMs | undefined;
  if (count === undefined || unit === undefined) return null;
  const at = now.getTime() - Number(count) * unitMs[unit];
  return { start: at, end: at };
}

/** "last week" is the seven days before today, not the single day of chrono, which takes a third of a second to begin with. */
function parseNamedSpan(text: string, now: Date): TimeSpan | null {
  if (/^today$/i.test(text)) return toDaySpan(now);
  if (/^yesterday$/i.test(text)) return toDaySpan(new Date(toDaySpan(now).start - 1));
  const found = /^(this|last|past|previous)\s+(week|month|year)$/i.exec(text);
  if (!found) return null;
  const [, which = "", unit = ""] = found;
  const { start: today } = toDaySpan(now);
  const start = new Date(today);
  const isThis = which.toLowerCase() === "this";
  if (unit.toLowerCase() === "week") start.setDate(start.getDate() - (isThis ? (start.getDay() + 6) % 7 : 7));
  else if (unit.toLowerCase() === "month") isThis ? start.setDate(1) : goBackMonths(start, 1);
  else isThis ? start.setMonth(0, 1) : goBackMonths(start, 12);
  return { start: start.getTime(), end: isThis ? now.getTime() : today - 1 };
}

/** To the same day of an earlier month, or its last day. */
function goBackMonths(date: Date, months: number): void {
  const day = date.getDate();
  date.setMonth(date.getMonth() - months);
  if (date.getDate() !== day) date.setDate(0);
}

async function parseSpokenSpan(text: string, now: Date): Promise<TimeSpan | null> {
  // Loaded on demand: it takes longer than a search.
  const { parse } = await import("chrono-node/en");
  const [found] = parse(text, now, { forwardDate: false });
  if (!found || found.text.length < text.length / 2) return null;
  const { start, end } = found;
  const isMoment = start.isCertain("hour") || /\bago\b|\bnow\b/i.test(text);
  const first = start.date();
  const last = end?.date() ?? start.date();
  if (isMoment) return { start: first.getTime(), end: last.getTime() };
  const isWeekday = start.isCertain("weekday") && !start.isCertain("day");
  // Weekdays are in the past: on a Tuesday, "friday" is the last one.
  if (isWeekday && !end && first > now) for (const date of [first, last]) date.setDate(date.getDate() - 7);
  const isMonth = start.isCertain("month") && !start.isCertain("day") && !isWeekday;
  return { start: toDaySpan(first).start, end: (isMonth ? toMonthSpan(last) : toDaySpan(last)).end };
}

// Days are not always 24 hours long.

function toDaySpan(date: Date): TimeSpan {
  const [year, month, day] = [date.getFullYear(), date.getMonth(), date.getDate()];
  return makeSpan(new Date(year, month, day), new Date(year, month, day + 1));
}

function toMonthSpan(date: Date): TimeSpan {
  const [year, month] = [date.getFullYear(), date.getMonth()];
  return makeSpan(new Date(year, month), new Date(year, month + 1));
}

function toYearSpan(date: Date): TimeSpan {
  return makeSpan(new Date(date.getFullYear(), 0), new Date(date.getFullYear() + 1, 0));
}

const makeSpan = (start: Date, next: Date): TimeSpan => ({ start: start.getTime(), end: next.getTime() - 1 });
