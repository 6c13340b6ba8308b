import type { FileId, StoredChunk } from "../../store/index/port.ts";
import type { Ranked } from "./rank.ts";

/** One result a file: its best chunk, and what else in it matches. */
export interface RankedFile {
  best: Ranked;
  /** Its other chunks, best first. */
  others: Ranked[];
}

/** Chunks, best first, by their files, in the order of each one's best. */
export function groupByFile(ranked: readonly Ranked[]): RankedFile[] {
  const files = new Map<FileId, RankedFile>();
  for (const entry of ranked) {
    const { file } = entry.candidate.chunk;
    const known = files.get(file);
    if (known) known.others.push(entry);
    else files.set(file, { best: entry, others: [] });
  }
  return [...files.values()];
}

/** Other places of a file that are named, and how many chunks they are chosen from. */
const maxPlaces = 3;
export const lookedAt = 10;

/**
 * The further places of a result, best first: those with a name, but not what lies around the result or around one
 * of them, as it is the same place said less exactly.
 */
export function furtherPlaces(best: StoredChunk, others: readonly StoredChunk[]): StoredChunk[] {
  const chosen: StoredChunk[] = [];
  for (const one of others) {
    if (chosen.length === maxPlaces) break;
    const isAround = [best, ...chosen].some(
      ({ startLine, endLine }) => one.startLine <= startLine && one.endLine >= endLine,
    );
    if (one.name !== "" && one.level !== "file" && !isAround) chosen.push(one);
  }
  return chosen;
}
