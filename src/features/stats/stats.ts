import { computeShares, type SharesRequest } from "../../answers/shares.ts";
import type { Project } from "../../base/paths.ts";
import { formatIsoTime } from "../../base/text/iso-time.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { listContestedFiles } from "../../store/memory/sessions/turns.ts";
import type { StatsAnswer } from "./operation.ts";
import { findRecurringErrors } from "./recurring.ts";
import { findSetbacks } from "./setbacks.ts";

/** The same with the errors that come back. */
export async function computeStats(
  project: Project,
  memory: Memory | null,
  { setbacks = false, ...request }: SharesRequest & { setbacks?: boolean | undefined },
  signal?: AbortSignal,
): Promise<StatsAnswer> {
  const { notes, ...shares } = await computeShares(project, memory, request, signal);
  const recurring = memory?.readOnce("recurring errors", () => findRecurringErrors(memory)) ?? [];
  const contested = memory?.readOnce("contested files", () => listContestedFiles(memory, maxContested)) ?? [];
  return {
    ...shares,
    recurring_errors: recurring,
    contested_files: contested.map(({ path, sessions, lastAt }) => ({
      file: path,
      sessions,
      last_at: formatIsoTime(lastAt),
    })),
    ...(setbacks && {
      setbacks:
        memory === null
          ? []
          : await findSetbacks(
              project,
              memory,
              shares.since === null ? null : Date.parse(shares.since),
              signal,
            ),
    }),
    notes,
  };
}

const maxContested = 20;
