/** A run that took so many times a quick one's waited for a person, who had to permit it. */
const waited = 4;

/** No client lets a command run longer. Milliseconds. */
const maxRunMs = 10 * 60_000;

/** Fewer runs do not show which of them waited. */
const minRuns = 3;

/** How long a command takes: from its call to its result also passes what a person takes to permit it. */
export function computeTypicalMs(took: readonly number[]): number | null {
  const times = took.filter((ms) => ms <= maxRunMs).sort((a, b) => a - b);
  const quick = times[times.length < minRuns ? 0 : times.length >> 2];
  if (quick === undefined) return null;
  const own = times.filter((ms) => ms <= Math.max(waited * quick, 1000));
  return times.length < minRuns ? quick : (own[own.length >> 1] ?? null);
}
