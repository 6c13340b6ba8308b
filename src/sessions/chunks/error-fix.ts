import type { Turn } from "../turn-content.ts";
import type { ChunkUnit } from "./units/units.ts";

/** What happens in a chunk's turns, inside and around the chunk. */
export interface AroundChunk {
  /** Something was edited before it in the turn that it begins in, or is later in the turn that it ends in. */
  editedBefore: boolean;
  editsLater: boolean;
  /** It holds a problem that was fixed later, or the fix of one. */
  mends: boolean;
}

export const nothingAround: AroundChunk = { editedBefore: false, editsLater: false, mends: false };

/** After so many units without another failure the agent has moved on. */
const maxSinceSign = 20;

/**
 * The units of a fixed problem, its analysis and its fix. Within a turn a problem begins with a failure, or with a
 * human who reports an error, and stays open until a check passes. Every edit meanwhile counts as a fix, and so does
 * the check if there was a failure.
 */
function findErrorFixUnits(
  units: readonly ChunkUnit[],
  reportsError: (unit: ChunkUnit) => boolean,
): Set<ChunkUnit> {
  const found = new Set<ChunkUnit>();
  /** Since the problem began, or since its last fix. */
  let open: ChunkUnit[] = [];
  let isOpen = false;
  let hasFailed = false;
  let sinceSign = 0;
  const settle = (): void => {
    for (const unit of open) found.add(unit);
    open = [];
  };
  units.forEach((unit, i) => {
    const { fails, edits, passes } = unit.outcome;
    if (unit.turn !== units[i - 1]?.turn) {
      open = [];
      isOpen = false;
      hasFailed = false;
    }
    const isSign = fails || (unit.prose === "prompt" && reportsError(unit));
    hasFailed ||= fails;
    isOpen ||= isSign;
    sinceSign = isSign ? 0 : sinceSign + 1;
    if (!isOpen || sinceSign > maxSinceSign) return;
    open.push(unit);
    // A report is not proved right by a check that goes well before anything was done.
    if (edits || (passes && hasFailed)) settle();
    if (passes) {
      open = [];
      isOpen = false;
      hasFailed = false;
    }
  });
  return found;
}

/** For each chunk of a group. */
export function describeAroundChunks(
  packed: readonly ChunkUnit[][],
  reportsError: (unit: ChunkUnit) => boolean,
): AroundChunk[] {
  const mended = findErrorFixUnits(packed.flat(), reportsError);
  const firstEdit = new Map<Turn, number>();
  const lastEdit = new Map<Turn, number>();
  packed.forEach((chunk, i) => {
    for (const { turn, outcome } of chunk) {
      if (!outcome.edits) continue;
      if (!firstEdit.has(turn)) firstEdit.set(turn, i);
      lastEdit.set(turn, i);
    }
  });
  return packed.map((chunk, i) => {
    const begins = chunk[0]?.turn;
    const ends = chunk.at(-1)?.turn;
    return {
      editedBefore: begins !== undefined && (firstEdit.get(begins) ?? i) < i,
      editsLater: ends !== undefined && (lastEdit.get(ends) ?? i) > i,
      mends: chunk.some((unit) => mended.has(unit)),
    };
  });
}
