import * as z from "zod/mini";
import type { Config } from "../../../base/config/settings.ts";
import { sumUpSession } from "../../../sessions/summaries/sum-up.ts";
import type { SessionWork } from "../../../sessions/work.ts";
import type { JobRecord } from "../../../store/memory/memory-records.ts";
import type { JobRun } from "../do-job.ts";
import { askModelAbout, summaryPayload } from "../session-requests.ts";

/**
 * Sums up a session without a language model. If one is to be asked as well, the daemon does that.
 * @returns how many chunks it wrote
 */
export async function sumUpInThread(
  work: SessionWork,
  config: Config,
  { subject, payload }: JobRecord,
  { signal }: JobRun,
): Promise<number> {
  const summed = await sumUpSession({ ...work, llm: null }, subject, { signal });
  const isModelAsked = z.parse(summaryPayload, payload).with_llm === true;
  if (isModelAsked && config["llm.model"] !== "none") askModelAbout(work.memory, subject);
  return summed?.chunks ?? 0;
}
