import { LRUCache } from "lru-cache";
import type { Agent, Cursor, DamagedLine, ReadBatch, TranscriptLine } from "../agent.ts";
import { isBlank, isWholeJson, type LineDamage, parseRecordsOnLine } from "./json.ts";
import { type RawLine, type ReadLinesOptions, readLines } from "./read-lines.ts";
import { countReason } from "./transcript-lines.ts";

/** Transcripts in JSON Lines, as most agents write them. */

/** What a line in a file comes to; `skipped` as in `ReadBatch`. */
export interface UnderstoodLine {
  lines: readonly TranscriptLine[];
  skipped: string | null;
  /** Of a line that is not one record. */
  damage?: LineDamage;
}

export const keep = (...lines: TranscriptLine[]): UnderstoodLine => ({ lines, skipped: null });
export const skip = (reason: string): UnderstoodLine => ({ lines: [], skipped: reason });

export type UnderstandLine = (line: RawLine) => UnderstoodLine | Promise<UnderstoodLine>;

/** A transcript's lines, from a cursor on. Errors as `readLines`. */
export async function* readBatches(
  path: string,
  cursor: Cursor | null,
  signal: AbortSignal | undefined,
  understand: UnderstandLine,
  source?: ReadLinesOptions["source"],
): AsyncGenerator<ReadBatch, void, undefined> {
  for await (const batch of readLines(path, cursor, { signal, isWhole: isWholeJson, source })) {
    const lines: TranscriptLine[] = [];
    const skipped: Record<string, number> = batch.tooLong > 0 ? { too_long: batch.tooLong } : {};
    const damaged: DamagedLine[] = [];
    for (const line of batch.lines) {
      const understood = await understand(line);
      lines.push(...understood.lines);
      if (understood.damage) damaged.push({ at: line.start, ...understood.damage });
      if (understood.skipped !== null) countReason(skipped, understood.skipped);
    }
    yield { lines, cursor: batch.cursor, skipped, damaged };
  }
}

/** How much of a transcript is read for its identity. Bytes. */
const maxIdentityBytes = 1024 * 1024;

/** The objects at the beginning of a transcript, in which its identity is. */
export async function* readFirstRecords(
  file: string,
  { bytes: end = maxIdentityBytes, signal, source }: FirstRecordsOptions = {},
): AsyncGenerator<Record<string, unknown>, void, undefined> {
  const options = { batch: 64 * 1024, longest: end, end, isWhole: isWholeJson, signal, source };
  for await (const { lines } of readLines(file, null, options)) {
    for (const { bytes } of lines) yield* parseRecordsOnLine(bytes).records;
  }
}

interface FirstRecordsOptions extends Pick<ReadLinesOptions, "signal" | "source"> {
  bytes?: number;
}

/** How an agent's lines are understood, where what they say depends on those before. */
interface Understanding<State> {
  /** The state before a transcript's first line. */
  begin: (file: string, signal?: AbortSignal) => State | Promise<State>;
  /** What a line says; may change the state. */
  understand: (value: Record<string, unknown>, state: State) => UnderstoodLine;
  /** Why a line needs no parsing; null for those that do. */
  noise?: (bytes: Buffer) => string | null;
  /** Whether the state at a transcript's end may be cached; default: always. */
  isKept?: (state: State) => boolean;
}

/** Understands lines of JSON from this state on. */
export const makeLineParser =
  <State>({ understand, noise }: Understanding<State>, state: State): UnderstandLine =>
  ({ bytes }) => {
    const reason = noise?.(bytes) ?? null;
    if (reason !== null) return skip(reason);
    return parseLineRecords(bytes, (value) => understand(value, state));
  };

/**
 * What the records on a line say.
 * @param understand "malformed": it is no record. `isPart`: it was found in a damaged line, and may be what is left of one
 */
export function parseLineRecords(
  bytes: Buffer,
  understand: (value: Record<string, unknown>, isPart: boolean) => UnderstoodLine,
): UnderstoodLine {
  if (isBlank(bytes)) return keep();
  const { records, damage } = parseRecordsOnLine(bytes);
  if (damage === null) return understand(records[0]!, false);
  const understood = records
    .map((value) => understand(value, true))
    .filter(({ skipped }) => skipped !== "malformed");
  const isLost = damage.isLost || understood.length < records.length;
  return {
    lines: understood.flatMap(({ lines }) => lines),
    skipped: isLost ? "malformed" : null,
    damage: { saved: understood.length, isLost },
  };
}

/** Reads transcripts that grow. The state at a cursor is that of the last reading, or made by reading all before again. */
export function createReader<State>(understanding: Understanding<State>): Agent["read"] {
  const { begin, isKept = () => true } = understanding;
  const kept = new KeptStates<State>();

  async function recall(file: string, end: number, signal?: AbortSignal): Promise<State> {
    const state = await begin(file, signal);
    if (end === 0) return state;
    const understandNext = makeLineParser(understanding, state);
    for await (const { lines } of readLines(file, null, { end, signal, isWhole: isWholeJson })) {
      for (const line of lines) understandNext(line);
    }
    return state;
  }

  return async function* read(file: string, cursor: Cursor | null, signal?: AbortSignal) {
    const state = kept.take(file, cursor) ?? (await recall(file, cursor?.offset ?? 0, signal));
    let end = cursor;
    for await (const batch of readBatches(file, cursor, signal, makeLineParser(understanding, state))) {
      end = batch.cursor;
      yield batch;
    }
    if (end !== null && isKept(state)) kept.put(file, end, state);
  };
}

const maxGrowingTranscripts = 4;

/**
 * Caches the states at the ends of recently read transcripts, so that a growing one is not read from its start each
 * time. A state is valid only for its exact cursor.
 */
export class KeptStates<State> {
  private readonly kept = new LRUCache<string, { cursor: Cursor; state: State }>({
    max: maxGrowingTranscripts,
  });

  /** Removes and returns the state at a cursor; null when not cached. */
  take(file: string, cursor: Cursor | null): State | null {
    const found = this.kept.get(file);
    if (!found) return null;
    this.kept.delete(file);
    const isIt = found.cursor.offset === cursor?.offset && found.cursor.lineHash === cursor?.lineHash;
    return isIt ? found.state : null;
  }

  put(file: string, cursor: Cursor, state: State): void {
    this.kept.set(file, { cursor, state });
  }
}
