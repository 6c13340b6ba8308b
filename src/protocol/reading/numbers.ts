import { formatDuration } from "../../base/text/duration.ts";

/** Numbers, for a reader. */

/** "42%"; a share that rounds to nothing, or to all, without being so is "<1%", ">99%". */
export function formatPercent(part: number, whole: number): string {
  if (whole === 0) return "0%";
  const share = (100 * part) / whole;
  if (share > 0 && share < 1) return "<1%";
  if (share > 99 && share < 100) return ">99%";
  return `${Math.round(share)}%`;
}

/** How long a call took, where it is worth saying; else "". */
export const formatCallDuration = (ms: number | null): string =>
  ms === null || ms < 1000 ? "" : formatDuration(ms);

/** "12" or "12-14" */
export const formatLineRange = (first: number, last: number): string =>
  first === last ? `${first}` : `${first}-${last}`;

/** Ascending numbers, those that follow each other as a span: "1,3-5". */
export function formatSpans(numbers: readonly number[]): string {
  const parts: [number, number][] = [];
  for (const number of numbers) {
    const last = parts.at(-1);
    if (last && number === last[1] + 1) last[1] = number;
    else parts.push([number, number]);
  }
  return parts.map(([first, last]) => formatLineRange(first, last)).join(",");
}
