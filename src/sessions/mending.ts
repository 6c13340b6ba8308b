import type { Turn } from "./turn-content.ts";
import type { Unit } from "./units.ts";

/** What happens around a chunk, and in it, in the turns that it is of. */
export interface AroundChunk {
  /** Something was edited before it in the turn that it begins in, or is later in the turn that it ends in. */
  editedBefore: boolean;
  editsLater: boolean;
  /** A trouble that was mended later, or what mended one, is in it. */
  mends: boolean;
}

export const nothingAround: AroundChunk = { editedBefore: false, editsLater: false, mends: false };

/**
 * The units that tell of a trouble which was mended, and of how: within a turn a trouble begins with a failure, or with
 * a human who reports an error, and is open until a check goes well; every edit meanwhile mends it.
 */
function mending(units: readonly Unit[], reportsError: (unit: Unit) => boolean): Set<Unit> {
  const found = new Set<Unit>();
  let turn: Turn | null = null;
  let troubles: Unit[] = [];
  for (const unit of units) {
    if (unit.turn !== turn) troubles = [];
    turn = unit.turn;
    const { fails, edits, passes } = unit.deeds;
    if (fails || (unit.prose === "prompt" && reportsError(unit))) troubles.push(unit);
    else if (troubles.length > 0 && edits) {
      for (const each of [...troubles, unit]) found.add(each);
    } else if (troubles.length > 0 && passes) {
      // A report is not proved right by a check that goes well before anything was done.
      for (const each of troubles) if (each.deeds.fails || found.has(each)) found.add(each).add(unit);
      troubles = [];
    }
  }
  return found;
}

/** For each chunk of a group. */
export function aroundChunks(
  packed: readonly Unit[][],
  reportsError: (unit: Unit) => boolean,
): AroundChunk[] {
  const mended = mending(packed.flat(), reportsError);
  const firstEdit = new Map<Turn, number>();
  const lastEdit = new Map<Turn, number>();
  packed.forEach((chunk, i) => {
    for (const { turn, deeds } of chunk) {
      if (!deeds.edits) continue;
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
