/** How long a call took, where it is worth saying: "12 s", "3 min 5 s", "2 h 4 min"; else "". */
export function duration(ms: number | null): string {
  if (ms === null || ms < 1000) return "";
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return seconds % 60 === 0 ? `${minutes} min` : `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
