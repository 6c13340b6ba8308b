import type { Agent, Cursor } from "../agent.ts";
import { isBlank, isWholeJson, parseJsonLine } from "./json.ts";
import { KeptStates } from "./kept-states.ts";
import { readBatches, type UnderstandLine, type Understood } from "./read-batches.ts";
import { readLines } from "./read-lines.ts";

/** How an agent's lines are understood, where what they say depends on those before. */
interface Understanding<State> {
  /** The state before a transcript's first line. */
  begin: (file: string, signal?: AbortSignal) => State | Promise<State>;
  /** What a line says; may change the state. */
  understand: (value: Record<string, unknown>, state: State) => Understood;
  /** Whether the state at a transcript's end may be cached; default: always. */
  isKept?: (state: State) => boolean;
}

/** Understands lines of JSON from this state on. */
export const understandFrom =
  <State>({ understand }: Pick<Understanding<State>, "understand">, state: State): UnderstandLine =>
  ({ bytes }) => {
    if (isBlank(bytes)) return { lines: [], skipped: null };
    const value = parseJsonLine(bytes);
    return value ? understand(value, state) : { lines: [], skipped: "malformed" };
  };

/** Reads transcripts that grow. The state at a cursor is that of the last reading, or made by reading all before again. */
export function createReader<State>(understanding: Understanding<State>): Agent["read"] {
  const { begin, isKept = () => true } = understanding;
  const kept = new KeptStates<State>();

  async function recall(file: string, end: number, signal?: AbortSignal): Promise<State> {
    const state = await begin(file, signal);
    if (end === 0) return state;
    const understandLine = understandFrom(understanding, state);
    for await (const { lines } of readLines(file, null, { end, signal, isWhole: isWholeJson })) {
      for (const line of lines) understandLine(line);
    }
    return state;
  }

  return async function* read(file: string, cursor: Cursor | null, signal?: AbortSignal) {
    const state = kept.take(file, cursor) ?? (await recall(file, cursor?.offset ?? 0, signal));
    let end = cursor;
    for await (const batch of readBatches(file, cursor, signal, understandFrom(understanding, state))) {
      end = batch.cursor;
      yield batch;
    }
    if (end !== null && isKept(state)) kept.put(file, end, state);
  };
}
