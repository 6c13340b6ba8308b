const pad = (n: number) => String(n).padStart(2, "0");

/** "2026-01-31", where the reader is. */
export const formatLocalDay = (day: Date): string =>
  `${day.getFullYear()}-${pad(day.getMonth() + 1)}-${pad(day.getDate())}`;

/** An ISO time as "2026-01-31 14:05", where the reader is. */
export function formatLocalTime(iso: string): string {
  const at = new Date(iso);
  return `${formatLocalDay(at)} ${pad(at.getHours())}:${pad(at.getMinutes())}`;
}
