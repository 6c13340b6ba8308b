import { formatCount } from "../../base/text/counted.ts";
import type { UsedAnswer } from "./operation.ts";

/** "recall 12 times, code 30 in 4 of 9 sessions; of 40 injections 21 used, 9 not"; "" where nothing was. */
export function wordUsed({ sessions, sessions_calling, calls, injections }: UsedAnswer): string {
  const all = injections.reduce((sum, one) => sum + one.injections, 0);
  const used = injections.reduce((sum, one) => sum + one.used, 0);
  const not = injections.reduce((sum, one) => sum + one.not_used, 0);
  const called =
    calls.length === 0
      ? sessions === 0
        ? ""
        : `no calls of Pommel's tools in ${formatCount(sessions, "session")}`
      : `${calls.map(({ tool, calls: count }) => `${tool} ${formatCount(count, "time")}`).join(", ")} in ${sessions_calling} of ${formatCount(sessions, "session")}`;
  const given = all === 0 ? "" : `of ${formatCount(all, "injection")} ${used} used, ${not} not`;
  return [called, given].filter((part) => part !== "").join("; ");
}
