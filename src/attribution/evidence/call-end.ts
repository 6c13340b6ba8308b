import type { FileEdit } from "../../agents/agent.ts";
import type { StoredLine } from "../../sessions/turn-content.ts";

/** A call whose result is not where it would be: right after it, in its own turn. */
interface OpenCall {
  id: string;
  /** Milliseconds since the epoch; null if unknown. */
  at: number | null;
  input: Record<string, unknown>;
}

/** How a call ended. */
export interface CallEnd {
  /** Milliseconds since the epoch; 0 if unknown. */
  at: number;
  /** It ended for all that is known, but said nothing: the session was killed, or it still runs. */
  isSilent: boolean;
  said: string;
  isError: boolean;
  edits: readonly FileEdit[] | null;
}

/** Agents end a command themselves after this time, unless the call says another one. Milliseconds. */
const longestCall = 10 * 60_000;

/**
 * The end of a call without a result in its turn. The result may stand in a later turn, where a person typed something
 * in between. Without any, the call ended when the session went on without it, and at most after the agent's own time
 * limit: a transcript that ends with a call (a crash, a closed terminal) is no call that runs for ever.
 * @param after lines of its turn after the call
 * @param later lines of the session's later turns, turn by turn; read only as far as needed
 */
export function endOfCall(
  call: OpenCall,
  after: readonly StoredLine[],
  later: Iterable<readonly StoredLine[]>,
): CallEnd {
  let wentOnAt = wentOn(after);
  for (const lines of later) {
    wentOnAt ??= lines.find(({ at }) => at !== null)?.at ?? null;
    for (const { at, entries } of lines) {
      for (const entry of entries) {
        if (entry.kind !== "tool_result" || entry.id !== call.id) continue;
        const { text: said, isError, edits } = entry;
        return { at: at ?? call.at ?? 0, isSilent: false, said, isError, edits };
      }
    }
  }
  const started = call.at;
  const limit = Math.max(longestCall, timeoutOf(call.input));
  const at =
    started === null ? 0 : Math.min(Math.max(wentOnAt ?? Number.POSITIVE_INFINITY, started), started + limit);
  return { at, isSilent: true, said: "", isError: false, edits: null };
}

/** When the agent or its user went on: calls and results beside it may be of the same message. */
function wentOn(after: readonly StoredLine[]): number | null {
  let wasAnswered = false;
  for (const { at, entries } of after) {
    for (const { kind } of entries) {
      const isOn = kind === "tool_use" ? wasAnswered : kind !== "tool_result";
      if (isOn && at !== null) return at;
      if (kind === "tool_result") wasAnswered = true;
    }
  }
  return null;
}

const timeoutOf = (input: Record<string, unknown>): number =>
  typeof input.timeout === "number" && Number.isFinite(input.timeout) ? input.timeout : 0;
