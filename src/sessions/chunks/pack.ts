import { splitText } from "../../base/text/split-text.ts";
import { charactersOfToken } from "../../base/text/text-size.ts";
import { handsOverPlan } from "./kinds.ts";
import { type ChunkUnit, formatUnit, noTerms } from "./units/units.ts";

/** How large chunks are. */
export interface ChunkSizes {
  /** Tokens that a chunk should have at least. */
  minTokens: number;
  /** Tokens that it has at most, but for a quarter more where otherwise a scrap would be left. */
  maxTokens: number;
}

/** Between the units of a chunk. */
export const unitJoint = "\n\n";

/** How much larger than the maximum a chunk may get for the sake of a unit, or a rest, that is small. */
const leniency = 1.25;

/** A unit that is too long for a chunk, in pieces. */
function splitUnit(unit: ChunkUnit, most: number): ChunkUnit[] {
  if (formatUnit(unit).length <= most) return [unit];
  const room = Math.max(most - (unit.label === "" ? 0 : unit.label.length + 1), 1);
  const { prose } = unit;
  const isPlan = handsOverPlan.test(unit.body);
  return splitText(unit.body, room).map((body, i, { length }) => {
    const pasted = prose === "prompt" && i > 0 && (i < length - 1 || isPlan);
    if (prose !== null) return { ...unit, body, pasted, terms: { ...noTerms, [prose]: body } };
    return i === 0 ? { ...unit, body } : { ...unit, body, terms: noTerms };
  });
}

function measureUnits(units: readonly ChunkUnit[]): number {
  const joints = Math.max(units.length - 1, 0) * unitJoint.length;
  return units.reduce((sum, unit) => sum + formatUnit(unit).length, joints);
}

/** Units in the order they happened, put together to chunks of the right size. */
export function packUnits(units: readonly ChunkUnit[], { minTokens, maxTokens }: ChunkSizes): ChunkUnit[][] {
  const most = maxTokens * charactersOfToken;
  const least = Math.min(minTokens, maxTokens) * charactersOfToken;
  // From here on the next step of the agent begins a new chunk.
  const enough = (least + most) / 2;
  const packed: ChunkUnit[][] = [];
  let current: ChunkUnit[] = [];
  let size = 0;

  const close = (): void => {
    if (current.length > 0) packed.push(current);
    current = [];
    size = 0;
  };
  for (const unit of units) {
    splitUnit(unit, most).forEach((piece, part) => {
      const added = formatUnit(piece).length + unitJoint.length;
      const last = current.at(-1);
      if (last !== undefined) {
        const isNewTurn = part === 0 && piece.turn !== last.turn;
        const isNewStep = part === 0 && piece.speaker !== "tool";
        if (
          piece.turn.abandoned !== last.turn.abandoned ||
          size + added > (size < least ? most * leniency : most) ||
          (size >= least && isNewTurn) ||
          (size >= enough && isNewStep)
        )
          close();
      }
      current.push(piece);
      size += added;
    });
  }
  close();
  const merged: ChunkUnit[][] = [];
  for (const chunk of packed) {
    const before = merged.at(-1);
    const isScrap = before !== undefined && (measureUnits(chunk) < least || measureUnits(before) < least);
    if (
      isScrap &&
      before[0]?.turn.abandoned === chunk[0]?.turn.abandoned &&
      measureUnits(before) + unitJoint.length + measureUnits(chunk) <= most * leniency
    )
      before.push(...chunk);
    else merged.push(chunk);
  }
  return merged;
}
