import type { AttributionRecord } from "../../store/memory/git-records.ts";

/**
 * Lines of a forgotten session: the evidence that an agent wrote them is gone, but that does not make them a human's.
 * Their stored verdicts stay where a second look finds no agent.
 */
export function keepForgotten(
  ranges: readonly AttributionRecord[],
  stored: readonly AttributionRecord[],
): AttributionRecord[] {
  const forgotten = stored.filter(({ author, sessionUid }) => author === "agent" && sessionUid === null);
  if (forgotten.length === 0) return [...ranges];
  const byPath = groupByPath(forgotten);
  return ranges.flatMap((range) => {
    const kept = range.author === "agent" ? undefined : byPath.get(range.path);
    return kept === undefined ? [range] : overlaid(range, kept);
  });
}

function groupByPath(records: readonly AttributionRecord[]): Map<string, AttributionRecord[]> {
  const byPath = new Map<string, AttributionRecord[]>();
  for (const record of records) {
    const others = byPath.get(record.path);
    if (others) others.push(record);
    else byPath.set(record.path, [record]);
  }
  return byPath;
}

/** A range in pieces, with others replacing the lines that they cover. @param others in order, of the same file */
function overlaid(range: AttributionRecord, others: readonly AttributionRecord[]): AttributionRecord[] {
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
