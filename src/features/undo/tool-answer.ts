import { ask, type CallContext } from "../../tools/tool.ts";
import { previewUndo } from "./operation.ts";
import { wordUndoForAgent } from "./words.ts";

/** Whoever reads a session waits no longer for this. Milliseconds. */
const timeoutMs = 1000;

/** What of a session, or a turn of it, still stands, and how it is taken back; nothing where that is not known in time. */
export async function tellWhatStands(
  context: CallContext,
  read: { session: string; turn: number | null },
): Promise<string[]> {
  const inTime = AbortSignal.timeout(timeoutMs);
  const signal = context.signal === undefined ? inTime : AbortSignal.any([context.signal, inTime]);
  const request = { id: read.session, ...(read.turn !== null && { turn: read.turn }) };
  try {
    return wordUndoForAgent(await ask({ project: context.project, signal }, previewUndo, request));
  } catch {
    return [];
  }
}
