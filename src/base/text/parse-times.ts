/** Milliseconds since the epoch; null where none is given. @throws PommelError `usage` for a time that makes no sense */
export async function parseTimes(request: { since?: string | undefined; until?: string | undefined }) {
  const { parseWhen } = await import("./dates.ts");
  return [
    request.since === undefined ? null : await parseWhen(request.since, "since"),
    request.until === undefined ? null : await parseWhen(request.until, "until"),
  ] as const;
}
