import type { TranscriptLine } from "../../agents/agent.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { SessionRecord } from "../../store/memory/memory-records.ts";
import {
  findLastTurnNumber,
  findNextSeq,
  findPlacesOfLines,
} from "../../store/memory/sessions/transcripts.ts";
import { findLastGroupStart, findTurn, listAbandonedTurns } from "../../store/memory/sessions/turns.ts";
import { readStoredTurns, type Turn } from "../turn-content.ts";

/**
 * A session as it is being read: the turns of its last group, which may still grow, and the facts that new lines need
 * about earlier ones.
 */
export interface IngestState {
  sessionId: number;
  /** Where the session was launched. */
  cwd: string;
  /** Of the last group, in order; empty before the first line. */
  turns: Turn[];
  /** The place of the next line. */
  seq: number;
  lastNumber: number;
  /** Numbers of turns on ways that were left. */
  abandoned: Set<number>;
  /** Turns that were changed and are not stored yet. */
  changed: Set<number>;
}

export function loadState(
  memory: Memory,
  { id: sessionId, cwd }: Pick<SessionRecord, "id" | "cwd">,
): IngestState {
  const first = findLastGroupStart(memory, sessionId);
  const turns = first === null ? [] : openTurns(memory, sessionId, { first });
  const lastSeq = Math.max(-1, ...turns.flatMap(({ lines }) => lines.map(({ seq }) => seq)));
  return {
    sessionId,
    cwd,
    turns,
    seq: Math.max(findNextSeq(memory, sessionId), lastSeq + 1),
    lastNumber: findLastTurnNumber(memory, sessionId) ?? 0,
    abandoned: new Set(listAbandonedTurns(memory, sessionId)),
    changed: new Set(),
  };
}

function openTurns(memory: Memory, sessionId: number, range: { first: number; last?: number }): Turn[] {
  return Array.from(readStoredTurns(memory, sessionId, range), ({ record: _, ...turn }) => turn);
}

/** A line that was taken into a session. */
export interface PositionedLine {
  line: TranscriptLine;
  seq: number;
  turn: number;
}

/**
 * Takes lines in, in the order of the file: a prompt begins a turn, all else belongs to the one before. A prompt that
 * follows a line of an earlier turn says that the turns since then were left: the user went back.
 */
export function takeLines(
  memory: Memory,
  state: IngestState,
  lines: readonly TranscriptLine[],
): PositionedLine[] {
  const positioned: PositionedLine[] = [];
  const turnAt = readParentTurns(memory, state, lines);
  for (const line of lines) {
    // Lines outside the conversation take no place, or places would depend on where reading stopped.
    if (line.uid === null && line.entries.length === 0) continue;
    const isPrompt = line.entries.some(({ kind }) => kind === "prompt");
    if (isPrompt) {
      leaveTurnsAfter(memory, state, turnAt.find(line.parentUid));
      state.lastNumber++;
    }
    const number = state.lastNumber;
    const seq = state.seq++;
    positioned.push({ line, seq, turn: number });
    if (line.uid !== null) turnAt.add(line.uid, number);
    if (line.entries.length === 0) continue;
    let turn = state.turns.at(-1);
    if (turn?.number !== number) {
      turn = { number, branch: line.branch, abandoned: false, lines: [] };
      state.turns.push(turn);
    }
    turn.branch = line.branch ?? turn.branch;
    const model = line.usage?.model ?? line.model;
    turn.lines.push({
      uid: line.uid,
      seq,
      at: line.at,
      entries: line.entries,
      ...(model !== undefined && { model }),
      ...(line.cwd !== null && line.cwd !== state.cwd && { cwd: line.cwd }),
    });
    state.changed.add(number);
  }
  return positioned;
}

/** In which turn lines stand that prompts follow; null where it is not known. */
function readParentTurns(memory: Memory, state: IngestState, lines: readonly TranscriptLine[]) {
  const parents = lines.flatMap(({ parentUid, entries }) =>
    parentUid !== null && entries.some(({ kind }) => kind === "prompt") ? [parentUid] : [],
  );
  const known = new Map<string, number>();
  for (const [uid, { sessionId, turn }] of findPlacesOfLines(memory, parents)) {
    if (sessionId === state.sessionId && turn >= 0) known.set(uid, turn);
  }
  return {
    find: (uid: string | null) => (uid === null ? null : (known.get(uid) ?? null)),
    add: (uid: string, turn: number) => void known.set(uid, turn),
  };
}

function leaveTurnsAfter(memory: Memory, state: IngestState, parent: number | null): void {
  if (parent === null) return;
  const left: number[] = [];
  for (let number = Math.max(parent + 1, 1); number <= state.lastNumber; number++) {
    if (!state.abandoned.has(number)) left.push(number);
  }
  const [first] = left;
  if (first === undefined) return;
  takeUpFrom(memory, state, first);
  for (const number of left) state.abandoned.add(number);
  for (const turn of state.turns) turn.abandoned = state.abandoned.has(turn.number);
  state.changed.add(first);
}

/** A chunk holds turns of one branch only, so groups with abandoned turns are cut anew. */
function takeUpFrom(memory: Memory, state: IngestState, number: number): void {
  const known = state.turns[0]?.number ?? state.lastNumber + 1;
  if (number >= known) return;
  const start = findTurn(memory, state.sessionId, number)?.groupStart ?? number;
  state.turns.unshift(...openTurns(memory, state.sessionId, { first: start, last: known - 1 }));
}
