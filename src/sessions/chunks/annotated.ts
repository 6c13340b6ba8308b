import { splitText } from "../../text/split-text.ts";
import { charactersOfToken } from "../../text/text-size.ts";
import type { Turn } from "../turn-content.ts";
import { type ChunkOptions, type DraftChunk, draft } from "./chunker.ts";
import { nothingAround } from "./error-fix.ts";
import { kindOf } from "./kinds.ts";
import { unitJoint } from "./pack.ts";
import { noTerms, textOf, type Unit, unitsOf } from "./units/units.ts";

/** How much of the conversation before it goes with a note. Tokens. */
const contextTokens = 600;

/** A long unit's end, as much as fits; null where that would be less than a few words. */
function tail(unit: Unit, room: number): Unit | null {
  const most = room - unit.label.length - 2;
  if (most < 80) return null;
  const body = `…${splitText(unit.body, most).at(-1) ?? ""}`;
  const terms = unit.prose === null ? unit.terms : { ...noTerms, [unit.prose]: body };
  return { ...unit, body, terms };
}

/** The last units, as many as fit into the room (characters). */
function lastUnits(units: readonly Unit[], room: number): Unit[] {
  const kept: Unit[] = [];
  let left = room;
  for (const unit of units.toReversed()) {
    const length = textOf(unit).length + unitJoint.length;
    if (length > left) {
      const rest = tail(unit, left);
      if (rest !== null) kept.push(rest);
      break;
    }
    kept.push(unit);
    left -= length;
  }
  return kept.toReversed();
}

/**
 * The chunk of a note: the note first, then the conversation before it. Its kind is decision, unless the note is about
 * a fixed error or about architecture.
 * @param turns the note's turn and some before it
 * @param lineUid the prompt that holds the note; null for a note from elsewhere, which follows the whole conversation
 * @returns null when the conversation before it is empty
 */
export function annotatedChunk(
  note: string,
  lineUid: string | null,
  turns: readonly Turn[],
  options: ChunkOptions,
): DraftChunk | null {
  const units = turns.flatMap((turn) => unitsOf(upTo(turn, lineUid), options));
  const kept = lastUnits(units, contextTokens * charactersOfToken);
  if (kept.length === 0) return null;
  const keptKind = kindOf(kept, nothingAround, options.kinds);
  const kind = keptKind === "conversation" || keptKind === "code-change" ? "decision" : keptKind;
  const { chunk, terms } = draft(kept, "annotated", kind);
  const noted = { ...terms, prompt: terms.prompt === "" ? note : `${note}\n${terms.prompt}` };
  return {
    chunk: { ...chunk, abandoned: false, text: `[NOTE] ${note}${unitJoint}${chunk.text}` },
    terms: noted,
  };
}

/** A turn up to a line of it, this one included; all of it where the line is not in it. */
function upTo(turn: Turn, lineUid: string | null): Turn {
  const at = lineUid === null ? -1 : turn.lines.findIndex(({ uid }) => uid === lineUid);
  return at < 0 ? turn : { ...turn, lines: turn.lines.slice(0, at + 1) };
}

/** The chunk of a note without known context. */
export function noteAlone(note: string, turn: number, at: number | null): DraftChunk {
  const terms = { prompt: note, answer: "", actions: "", errors: "" };
  return {
    chunk: {
      firstTurn: turn,
      lastTurn: turn,
      firstSeq: null,
      lastSeq: null,
      type: "annotated",
      kind: "decision",
      eventType: "user_prompt",
      abandoned: false,
      branch: null,
      startedAt: at,
      endedAt: at,
      text: `[NOTE] ${note}`,
      files: [],
    },
    terms,
  };
}
