import { splitText } from "../../base/text/split-text.ts";
import { charactersOfToken } from "../../base/text/text-size.ts";
import type { NoteSource } from "../../protocol/origin.ts";
import { parsePromptNotes } from "../../protocol/reading/prompt-notes.ts";
import { replaceNoteChunk } from "../../store/memory/chunks/chunks.ts";
import { listStoredNotes, saveNote } from "../../store/memory/chunks/notes.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { ChunkToStore } from "../../store/memory/memory-records.ts";
import type { PositionedLine } from "../ingest/session-state.ts";
import { isSameNote, makeNoteUid } from "../notes/notes.ts";
import { readStoredTurns, type Turn } from "../turn-content.ts";
import { buildDraftChunk, type ChunkOptions, type DraftChunk } from "./chunker.ts";
import { nothingAround } from "./error-fix.ts";
import { classifyChunk } from "./kinds.ts";
import { unitJoint } from "./pack.ts";
import { buildUnits, type ChunkUnit, formatUnit, noTerms } from "./units/units.ts";

/** A note found in a prompt, with its chunk. */
export interface NotedChunk {
  uid: string;
  note: string;
  source: NoteSource;
  turn: number;
  lineUid: string | null;
  at: number | null;
  branch: string | null;
  draft: DraftChunk;
}

/** Turns before that of a note which its chunk may take from. */
export const turnsBefore = 3;

/**
 * The notes in prompts that are about to be stored; none in those of subagents, which agents write. The n-th equal note of a
 * session always gets the same uid, so a note that a hook has already stored is found again.
 */
export function findNotes(
  memory: Memory,
  session: { id: number; uid: string },
  positioned: readonly PositionedLine[],
  turns: readonly Turn[],
  options: ChunkOptions,
): NotedChunk[] {
  const found: NotedChunk[] = [];
  const seen = new Map<string, number>();
  for (const { line, turn } of positioned) {
    for (const entry of line.entries) {
      if (entry.kind !== "prompt" || entry.by === "agent") continue;
      for (const note of parsePromptNotes(entry.text)) {
        const ordinal = seen.get(note) ?? countEarlierNotes(memory, session.uid, note);
        seen.set(note, ordinal + 1);
        const around = readTurnsAround(memory, session.id, turn, turns);
        found.push({
          uid: makeNoteUid(session.uid, note, ordinal),
          note,
          source: entry.by ?? "prompt",
          turn,
          lineUid: line.uid,
          at: line.at,
          branch: line.branch,
          draft: buildNoteChunk(note, line.uid, around, options) ?? noteAlone(note, turn, line.at),
        });
      }
    }
  }
  return found;
}

/** How often a session's stored prompts contain a note. */
function countEarlierNotes(memory: Memory, sessionUid: string, note: string): number {
  const known = listStoredNotes(memory, { sessionUid });
  return known.filter((one) => one.lineUid !== null && isSameNote(one.note, note)).length;
}

/** A turn and those before it, whether stored or still to be. */
function readTurnsAround(memory: Memory, sessionId: number, number: number, fresh: readonly Turn[]): Turn[] {
  const first = Math.max(number - turnsBefore, 0);
  const known = new Map(fresh.map((turn) => [turn.number, turn]));
  for (const turn of readStoredTurns(memory, sessionId, { first, last: number })) {
    if (!known.has(turn.number)) known.set(turn.number, turn);
  }
  return [...known.values()]
    .filter((turn) => turn.number >= first && turn.number <= number)
    .sort((a, b) => a.number - b.number);
}

/** Stores notes and their chunks; those that the user had forgotten are left out. To be called in a transaction. */
export function storeNotes(
  memory: Memory,
  session: { id: number; uid: string },
  notes: readonly NotedChunk[],
  chunkOf: (draft: DraftChunk, annotationId: number, index: number) => ChunkToStore,
): void {
  notes.forEach(({ uid, note, source, turn, lineUid, at, branch, draft }, i) => {
    const annotationId = saveNote(memory, {
      uid,
      sessionUid: session.uid,
      turn,
      lineUid,
      at: at ?? Date.now(),
      source,
      branch,
      note,
    });
    if (annotationId === null) return;
    replaceNoteChunk(memory, session.id, { ...chunkOf(draft, annotationId, i), annotationId });
  });
}

/** How much of the session before it goes with a note. Tokens. */
const contextTokens = 600;

/** A long unit's end, as much as fits; null where that would be less than a few words. */
function cutUnitTail(unit: ChunkUnit, room: number): ChunkUnit | null {
  const most = room - unit.label.length - 2;
  if (most < 80) return null;
  const body = `…${splitText(unit.body, most).at(-1) ?? ""}`;
  const terms = unit.prose === null ? unit.terms : { ...noTerms, [unit.prose]: body };
  return { ...unit, body, terms };
}

/** The last units, as many as fit into the room (characters). */
function takeLastUnits(units: readonly ChunkUnit[], room: number): ChunkUnit[] {
  const kept: ChunkUnit[] = [];
  let left = room;
  for (const unit of units.toReversed()) {
    const length = formatUnit(unit).length + unitJoint.length;
    if (length > left) {
      const rest = cutUnitTail(unit, left);
      if (rest !== null) kept.push(rest);
      break;
    }
    kept.push(unit);
    left -= length;
  }
  return kept.toReversed();
}

/**
 * The chunk of a note: the note first, then the session before it. Its kind is decision, unless the note is about
 * a fixed error or about architecture.
 * @param turns the note's turn and some before it
 * @param lineUid the prompt that holds the note; null for a note from elsewhere, which follows the whole session
 * @returns null when the session before it is empty
 */
export function buildNoteChunk(
  note: string,
  lineUid: string | null,
  turns: readonly Turn[],
  options: ChunkOptions,
): DraftChunk | null {
  const units = turns.flatMap((turn) => buildUnits(cutTurnAfter(turn, lineUid), options));
  const kept = takeLastUnits(units, contextTokens * charactersOfToken);
  if (kept.length === 0) return null;
  const keptKind = classifyChunk(kept, nothingAround, options.kinds);
  const kind = keptKind === "conversation" || keptKind === "code-change" ? "decision" : keptKind;
  const { chunk, terms } = buildDraftChunk(kept, "annotated", kind);
  const noted = { ...terms, prompt: terms.prompt === "" ? note : `${note}\n${terms.prompt}` };
  return {
    chunk: { ...chunk, abandoned: false, text: `[NOTE] ${note}${unitJoint}${chunk.text}` },
    terms: noted,
  };
}

/** A turn up to a line of it, this one included; all of it where the line is not in it. */
function cutTurnAfter(turn: Turn, lineUid: string | null): Turn {
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
