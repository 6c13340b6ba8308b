import { dayMs } from "./day.ts";

/**
 * The week of a time in UTC, by ISO 8601: weeks begin on Monday, and belong to the year of their Thursday.
 * @param at milliseconds since the epoch
 */
export function formatIsoWeek(at: number): string {
  const day = new Date(at);
  const thursday = new Date(at + (4 - (day.getUTCDay() || 7)) * dayMs);
  const year = thursday.getUTCFullYear();
  const dayOfYear = Math.floor((thursday.getTime() - Date.UTC(year, 0, 1)) / dayMs);
  return `${year}-W${String(Math.floor(dayOfYear / 7) + 1).padStart(2, "0")}`;
}

/** The Monday of a time's week, in UTC: "2026-03-02". */
export function toMonday(time: number): string {
  const date = new Date(time);
  const sinceMonday = (date.getUTCDay() + 6) % 7;
  return new Date(time - sinceMonday * dayMs).toISOString().slice(0, 10);
}
