/** Numbers, for a reader. */

/** How long a call took, where it is worth saying: "12 s", "3 min 5 s", "2 h 4 min"; else "". */
export function formatCallDuration(ms: number | null): string {
  if (ms === null || ms < 1000) return "";
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return seconds % 60 === 0 ? `${minutes} min` : `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Ascending numbers, those that follow each other as a span: "1,3-5". */
export function formatSpans(numbers: readonly number[]): string {
  const parts: [number, number][] = [];
  for (const number of numbers) {
    const last = parts.at(-1);
    if (last && number === last[1] + 1) last[1] = number;
    else parts.push([number, number]);
  }
  return parts.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(",");
}

/** "turn 3", "turns 1,3-5"; "" for none. */
export function formatNumbered(thing: string, numbers: readonly number[]): string {
  return numbers.length === 0 ? "" : `${thing}${numbers.length === 1 ? "" : "s"} ${formatSpans(numbers)}`;
}
