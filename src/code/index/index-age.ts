import { formatIsoTime } from "../../base/text/iso-time.ts";
import type { IndexAge } from "../../protocol/results.ts";
import { type CodeIndex, reconciledAt } from "../../store/index/port.ts";

/** How far `index` may be behind the files. @param pending changes not indexed yet; null if nothing watches */
export async function readIndexAge(index: CodeIndex, pending: number | null): Promise<IndexAge> {
  const [reconciled, indexed] = await Promise.all([index.meta(reconciledAt), index.lastIndexedAt()]);
  const last = Math.max(Number(reconciled), indexed ?? 0);
  return {
    pending,
    is_complete: reconciled !== null,
    as_of: formatIsoTime(pending === 0 ? Date.now() : last > 0 ? last : null),
  };
}
