import { addTo } from "../../base/multimap.ts";
import type { AttributionRecord } from "../../store/memory/memory-records.ts";

/**
 * The evidence of a verdict may be gone when a commit is analysed again: its session was forgotten, or what was seen in
 * files is dropped after a month. Then stored verdicts stay where a second look finds less. Another tool's word stays
 * where it finds nothing.
 * @param wasSeen what was seen in files at the time of the commit is still stored
 */
export function keepKnown(
  ranges: readonly AttributionRecord[],
  stored: readonly AttributionRecord[],
  { wasSeen }: { wasSeen: boolean },
): AttributionRecord[] {
  const kept = stored.filter(
    (record) => isForgotten(record) || isNote(record) || (!wasSeen && isBasedOnSightings(record)),
  );
  if (kept.length === 0) return [...ranges];
  const byPath = groupByPath(kept);
  return ranges.flatMap((range) => {
    // An agent's tool call says more than what was seen; that nothing was found says less.
    const own = range.author === "agent" ? undefined : byPath.get(range.path);
    const better = own?.filter((record) =>
      isNote(record) ? isOpen(range) : isForgotten(record) || range.how === "absence" || isOpen(range),
    );
    return better === undefined || better.length === 0 ? [range] : overlayRanges(range, better);
  });
}

/** That an agent wrote them is known, but not which one: that does not make them a human's. */
const isForgotten = ({ author, sessionUid }: AttributionRecord) => author === "agent" && sessionUid === null;

/** Another tool's, which was imported (record-notes.ts). */
const isNote = ({ how }: AttributionRecord) => how === "note";

/** By when lines showed up. */
const isBasedOnSightings = ({ author, how, basis }: AttributionRecord) =>
  author === "agent" ? how === "shell" : author === "human" && (basis === "alone" || basis === "patched");

/** Unknown, and not because a call holds it. */
const isOpen = ({ author, basis }: AttributionRecord) => author === "unknown" && basis !== "verbatim";

export function groupByPath<R extends { path: string }>(records: readonly R[]): Map<string, R[]> {
  const byPath = new Map<string, R[]>();
  for (const record of records) {
    addTo(byPath, record.path, record);
  }
  return byPath;
}

/** A range in pieces, with others replacing the lines that they cover. @param others in order, of the same file */
function overlayRanges(range: AttributionRecord, others: readonly AttributionRecord[]): AttributionRecord[] {
  const pieces: AttributionRecord[] = [];
  let line = range.firstLine;
  for (const other of others) {
    const first = Math.max(other.firstLine, line);
    const last = Math.min(other.lastLine, range.lastLine);
    if (first > last) continue;
    if (first > line) pieces.push({ ...range, firstLine: line, lastLine: first - 1 });
    pieces.push({ ...other, firstLine: first, lastLine: last });
    line = last + 1;
  }
  if (line <= range.lastLine) pieces.push({ ...range, firstLine: line });
  return pieces;
}
