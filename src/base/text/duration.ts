/** A stretch of time: "340 ms", "4.2 s", "12 s", "3m 12s", "2h 5m", "4d 3h". */
export function formatDuration(ms: number): string {
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 9950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return formatTwo(Math.floor(seconds / 60), "m", seconds % 60, "s");
  const minutes = Math.round(seconds / 60);
  if (minutes < 24 * 60) return formatTwo(Math.floor(minutes / 60), "h", minutes % 60, "m");
  const hours = Math.round(minutes / 60);
  return formatTwo(Math.floor(hours / 24), "d", hours % 24, "h");
}

const formatTwo = (large: number, unit: string, small: number, smallUnit: string): string =>
  small === 0 ? `${large}${unit}` : `${large}${unit} ${small}${smallUnit}`;

/** An estimate, without the precision it does not have: "8 s", "3m 12s". */
export function formatRoughDuration(seconds: number): string {
  return seconds < 60 ? `${Math.max(1, Math.round(seconds))} s` : formatDuration(seconds * 1000);
}
