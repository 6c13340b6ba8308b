import type { Entry, ToolResult } from "../agent.ts";
import { actionByInput } from "../reading/tool-action.ts";
import type { Call } from "./calls.ts";
import type { Understood } from "./message-text.ts";
import { type State, uidOf } from "./state.ts";

type Result = Pick<ToolResult, "text" | "isError"> & Partial<Pick<ToolResult, "edits" | "subagent">>;

/** A call, as its line; the answer comes with another one. */
export function useOf(state: State, id: string, call: Call): { uid: string; entries: Entry[] } {
  state.open.set(id, { patch: call.patch, isOwn: call.isOwn });
  return { uid: uidOf(state, "call", id), entries: [useEntry(id, call)] };
}

/** The answer to a call. What Pommel itself answered is not kept. */
export function resultOf(state: State, id: string, result: Result): Understood {
  const isOwn = state.open.get(id)?.isOwn ?? false;
  state.open.delete(id);
  state.answered.add(id);
  return { uid: uidOf(state, "result", id), entries: [resultEntry(id, result, isOwn)] };
}

/**
 * How a call ended: the answer to it, or, where no call of this id was seen (a script of code mode made it), the call
 * with its answer.
 */
export function endOf(state: State, id: string, call: Call, result: Result, tookMs = 0): Understood {
  if (state.answered.has(id)) return {};
  if (state.open.has(id)) return resultOf(state, id, result);
  const { uid, entries } = useOf(state, id, call);
  return { began: { uid, entries, tookMs }, ...resultOf(state, id, result) };
}

function useEntry(id: string, { tool, input, files }: Call): Entry {
  return { kind: "tool_use", id, tool, input, files, action: actionByInput({ input, files }) };
}

function resultEntry(
  id: string,
  { text, isError, edits = null, subagent = null }: Result,
  isOwn: boolean,
): Entry {
  return { kind: "tool_result", id, text: isOwn ? "" : text, isError, edits, subagent };
}
