import type { DigestAnswer } from "../../protocol/operations/stats.ts";
import { parseWhen } from "../../text/dates.ts";

/** Where a digest begins if nobody says. */
const sinceByDefault = "yesterday";

/** @throws PommelError `usage` for a time that makes no sense */
export async function periodOf(asked: {
  since?: string | undefined;
  until?: string | undefined;
}): Promise<Pick<DigestAnswer, "since" | "until">> {
  const { since = sinceByDefault, until } = asked;
  return {
    since: new Date(await parseWhen(since, "since")).toISOString(),
    until: until === undefined ? null : new Date(await parseWhen(until, "until")).toISOString(),
  };
}
