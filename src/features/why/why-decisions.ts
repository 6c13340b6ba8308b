import { dayMs } from "../../base/text/day.ts";
import { listStoredDecisions } from "../../sessions/decisions/stored.ts";
import { convertNoteToDecision, toDecision } from "../../sessions/decisions/to-decision.ts";
import { allChunks, readChunkIdsByFile } from "../../store/memory/chunks/chunk-filter.ts";
import { readChunksByIds } from "../../store/memory/chunks/chunks.ts";
import { listStoredNotes, readNotesByIds } from "../../store/memory/chunks/notes.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { NoteRecord, SessionRecord } from "../../store/memory/memory-records.ts";
import { findSessionByUid } from "../../store/memory/sessions/sessions.ts";
import type { NearDecision } from "./operation.ts";

/** Where and when lines were written. */
interface WritingPlace {
  /** The turns that led to them: an agent's own, and those of the session that a subagent worked for. */
  turns: readonly { session: string; turn: number }[];
  /** Milliseconds since the epoch; null: unknown. */
  at: number | null;
  /** The file's names, current and former. */
  files: readonly string[];
  /** What it is about: the prompt. */
  about: string;
}

/** Turns away that a decision may be, before and after. */
const maxTurnsAway = { before: 12, after: 4 } as const;
/** What another turn, another session counts. */
const step = 0.88;
const afterwards = 0.6;
const elsewhereFactor = 0.5;
/** Days in which what was decided elsewhere counts half. */
const halfLife = 45;
const note = 1.2;
const aboutFile = 1.25;

/** What was decided and noted near lines, or about their file; the nearest first, the score 0 to 1. */
export function findNearDecisions(memory: Memory, place: WritingPlace): NearDecision[] {
  const sessions = place.turns.flatMap(({ session, turn }) => {
    const record = findSessionByUid(memory, session);
    return record ? [{ record, turn }] : [];
  });
  const found = [...listNearDecisions(memory, place, sessions), ...listNearNotes(memory, place, sessions)];
  const texts = new Set<string>();
  return found
    .filter(({ score }) => (score ?? 0) > 0.05)
    .sort((a, b) => b.score! - a.score!)
    .filter(({ text }) => text !== "" && !texts.has(text) && texts.add(text));
}

type DecisionHere = { record: SessionRecord; turn: number };

function listNearDecisions(
  memory: Memory,
  place: WritingPlace,
  here: readonly DecisionHere[],
): NearDecision[] {
  const sessions = new Set(here.map(({ record }) => record.id));
  return listStoredDecisions(memory).flatMap((decision) => {
    const { sessionId, turn, at, files } = decision;
    const isAboutFile = files.some((file) => place.files.includes(file));
    if (!isAboutFile && !sessions.has(sessionId)) return [];
    const where = { sessionId, turns: { first: turn, last: turn }, at, isAboutFile };
    return [{ ...toDecision(decision), ...rank(where, place, here) }];
  });
}

function listNearNotes(memory: Memory, place: WritingPlace, here: readonly DecisionHere[]): NearDecision[] {
  const inSessions = here.flatMap(({ record }) => listStoredNotes(memory, { sessionUid: record.uid }));
  const byFile = readChunkIdsByFile(memory, { ...allChunks, types: ["annotated"] });
  const chunkIds = [...new Set(place.files.flatMap((file) => byFile.get(file) ?? []))];
  const filesOf = new Map<number, string[]>();
  for (const { annotationId, files } of readChunksByIds(memory, chunkIds).values()) {
    if (annotationId !== null) filesOf.set(annotationId, files);
  }
  const notes = new Map<number, NoteRecord>(readNotesByIds(memory, [...filesOf.keys()]));
  for (const known of inSessions) notes.set(known.id, known);
  return [...notes.values()].map((one) => {
    const session = one.sessionUid === null ? null : findSessionByUid(memory, one.sessionUid);
    const files = filesOf.get(one.id) ?? [];
    const turns = one.turn === null ? null : { first: one.turn, last: one.turn };
    const isAboutFile = files.some((file) => place.files.includes(file));
    const at = { sessionId: session?.id ?? null, turns, at: one.at, isAboutFile };
    const { score, ...ranking } = rank(at, place, here);
    const near = roundToFourDigits(Math.min(score * note, 1));
    return { ...convertNoteToDecision(one, session, { files, score: near }), ...ranking };
  });
}

interface DecisionPlace {
  sessionId: number | null;
  turns: { first: number; last: number } | null;
  at: number | null;
  isAboutFile: boolean;
}

/** How near a decision is: by turns within the session, by days elsewhere, where it has to be about the file. */
function rank(
  decision: DecisionPlace,
  place: WritingPlace,
  here: readonly DecisionHere[],
): Pick<NearDecision, "near" | "is_before"> & { score: number } {
  const { isAboutFile } = decision;
  const session = here.find(({ record }) => record.id === decision.sessionId);
  const isBefore =
    session && decision.turns
      ? decision.turns.first <= session.turn
      : place.at === null || decision.at === null || decision.at <= place.at;
  if (session && decision.turns) {
    const away = isBefore
      ? Math.max(session.turn - decision.turns.last, 0)
      : decision.turns.first - session.turn;
    const isNear = away <= (isBefore ? maxTurnsAway.before : maxTurnsAway.after);
    const counted = step ** away * (isBefore ? 1 : afterwards) * (isAboutFile ? aboutFile : 1);
    if (isNear)
      return { near: "session", is_before: isBefore, score: roundToFourDigits(Math.min(counted * 0.8, 1)) };
  }
  if (!isAboutFile) return { near: "file", is_before: isBefore, score: 0 };
  const days =
    place.at === null || decision.at === null ? halfLife : Math.abs(place.at - decision.at) / dayMs;
  return {
    near: "file",
    is_before: isBefore,
    score: roundToFourDigits(elsewhereFactor * 0.5 ** (days / halfLife)),
  };
}

const roundToFourDigits = (score: number) => Math.round(score * 1e4) / 1e4;
