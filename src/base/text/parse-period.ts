/**
 * When a period that a question names begins and ends: milliseconds since the epoch, null where it names none.
 * @throws PommelError `usage` for a time that makes no sense
 */
export async function parsePeriod(
  { since, until }: { since?: string | undefined; until?: string | undefined },
  now: Date = new Date(),
): Promise<{ since: number | null; until: number | null }> {
  // Most questions name none.
  if (since === undefined && until === undefined) return { since: null, until: null };
  const { parseWhen } = await import("./dates.ts");
  return {
    since: since === undefined ? null : await parseWhen(since, "since", now),
    until: until === undefined ? null : await parseWhen(until, "until", now),
  };
}
