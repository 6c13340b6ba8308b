import type {
  ChunkDecision,
  ChunkTerms,
  EventType,
  SessionChunk,
} from "../../store/memory/memory-records.ts";
import { DecisionReader } from "../decisions/find.ts";
import type { Turn } from "../turn-content.ts";
import { describeAroundChunks, nothingAround } from "./error-fix.ts";
import { classifyChunk, isErrorReport, type KindRules } from "./kinds.ts";
import { type ChunkSizes, packUnits, unitJoint } from "./pack.ts";
import { buildUnits, type ChunkUnit, formatUnit, type UnitOptions } from "./units/units.ts";

/** A chunk without the fields that only its session knows: its position, and the note it belongs to. */
export type ChunkDraft = Omit<SessionChunk, "uid" | "position" | "annotationId">;

export interface DraftChunk {
  chunk: ChunkDraft;
  terms: ChunkTerms;
  /** The decisions in it; left out for chunks of notes and summaries, which are not conversation. */
  decisions?: ChunkDecision[];
}

export interface ChunkOptions extends ChunkSizes, UnitOptions {
  kinds: KindRules;
}

/** Cuts a group of turns (`groups.ts`) into searchable chunks, in order. */
export function chunkGroup(turns: readonly Turn[], options: ChunkOptions): DraftChunk[] {
  const units = turns.flatMap((turn) => buildUnits(turn, options));
  const packed = packUnits(units, options);
  const around = describeAroundChunks(packed, (unit) => isErrorReport(unit, options.kinds));
  const reader = new DecisionReader(options.kinds.ownDecision);
  const decided = turns
    .flatMap((turn) => reader.read(turn))
    .map(({ seq, ...decision }) => ({
      decision,
      chunk: chunkWith(packed, decision, seq),
    }));
  return packed.map((chunk, i) => ({
    ...buildDraftChunk(chunk, "raw", classifyChunk(chunk, around[i] ?? nothingAround, options.kinds)),
    decisions: decided.filter((one) => one.chunk === chunk).map(({ decision }) => decision),
  }));
}

/** The chunk that holds a line of a turn; where the line was split, the one with what was said. */
function chunkWith(
  packed: readonly ChunkUnit[][],
  { turn, text }: ChunkDecision,
  seq: number,
): ChunkUnit[] | undefined {
  const isPiece = (piece: ChunkUnit) =>
    piece.turn.number === turn && piece.prose !== null && piece.firstSeq <= seq && piece.lastSeq >= seq;
  const holding = packed.filter((chunk) => chunk.some(isPiece));
  const start = keepLettersAndDigits(text).slice(0, 40);
  const saying = holding.find((chunk) =>
    chunk.some((piece) => isPiece(piece) && keepLettersAndDigits(piece.body).includes(start)),
  );
  return saying ?? holding[0];
}

const keepLettersAndDigits = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");

/** A chunk of units; its streams and its text in their order. */
export function buildDraftChunk(
  units: readonly ChunkUnit[],
  type: SessionChunk["type"],
  kind: SessionChunk["kind"],
): DraftChunk {
  const first = units[0];
  const last = units.at(-1);
  if (first === undefined || last === undefined) throw new Error("a chunk needs a unit");
  const stream = (name: keyof ChunkTerms): string =>
    units
      .map(({ terms }) => terms[name])
      .filter((text) => text !== "")
      .join("\n");
  const starts = units.map(({ startedAt }) => startedAt).filter((at) => at !== null);
  const ends = units.map(({ endedAt }) => endedAt).filter((at) => at !== null);
  const terms = {
    prompt: stream("prompt"),
    answer: stream("answer"),
    actions: stream("actions"),
    errors: stream("errors"),
  };
  return {
    chunk: {
      firstTurn: Math.min(...units.map(({ turn }) => turn.number)),
      lastTurn: Math.max(...units.map(({ turn }) => turn.number)),
      firstSeq: Math.min(...units.map(({ firstSeq }) => firstSeq)),
      lastSeq: Math.max(...units.map(({ lastSeq }) => lastSeq)),
      type,
      kind,
      eventType: chooseEventType(units),
      abandoned: first.turn.abandoned,
      branch: units.find(({ turn }) => turn.branch !== null)?.turn.branch ?? null,
      startedAt: starts.length === 0 ? null : Math.min(...starts),
      endedAt: ends.length === 0 ? null : Math.max(...ends),
      text: units.map(formatUnit).join(unitJoint),
      files: [...new Set(units.flatMap(({ files }) => files))],
    },
    terms,
  };
}

const eventTypes = { user: "user_prompt", assistant: "assistant", tool: "tool_use" } as const;

function chooseEventType(units: readonly ChunkUnit[]): EventType {
  const types = new Set(units.map(({ speaker }) => eventTypes[speaker]));
  const [type] = types;
  return types.size === 1 && type !== undefined ? type : "mixed";
}
