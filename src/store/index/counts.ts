import type { IndexCounts } from "./port.ts";
import type { SkipReason } from "./records.ts";

/** The files of a language, or those that were skipped for a reason. */
export interface FileTotals {
  language: string;
  /** null: they are indexed. */
  reason: SkipReason | null;
  files: number;
  chunks: number;
}

/** What an index holds, from the totals that its engine gives. @param termBytes the size of the stored terms */
export function countsOf(totals: readonly FileTotals[], termBytes: number): IndexCounts {
  const counts: IndexCounts = {
    files: 0,
    chunks: 0,
    skipped: 0,
    languages: {},
    skippedByReason: {},
    termBytes,
  };
  for (const { language, reason, files, chunks } of totals) {
    if (reason === null) {
      counts.files += files;
      counts.chunks += chunks;
      counts.languages[language] = { files, chunks };
    } else {
      counts.skipped += files;
      counts.skippedByReason[reason] = files;
    }
  }
  return counts;
}
