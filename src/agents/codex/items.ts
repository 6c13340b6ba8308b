import { fileURLToPath } from "node:url";
import type { Entry, ToolResult, Usage } from "../agent.ts";
import { bounded } from "../reading/bounds.ts";
import { known } from "../reading/json.ts";
import { withoutOwnContext } from "../reading/own-output.ts";
import { absolute, actionByInput } from "../reading/tool-calls.ts";
import { asRecord, type Call, commandCall, commandOf, mcpName, other, resultText, textOf } from "./calls.ts";
import { asItem, asParts, type Item, readPaths } from "./line-schema.ts";
import { filesOfChanges, touchesOf } from "./patch.ts";
import { isFirstOccurrence, type State, uidOf } from "./state.ts";

/** Parses an item, which describes a completed event. */
export function understandItem(value: unknown, state: State): Understood {
  const item = asItem(value);
  if (item === null) return {};
  state.hasItems = true;
  switch (item.type) {
    case "UserMessage": {
      const parts = asParts(item.content);
      const texts = parts.filter(({ type }) => type === "text").map(({ text }) => text);
      const images = parts.filter(({ type }) => type.includes("image")).length;
      return userText(state, "item", texts.join("\n"), images);
    }
    case "AgentMessage": {
      const texts = asParts(item.content).map(({ text }) => text);
      return agentText(state, "item", texts.join("\n") || (item.text ?? ""));
    }
    default: {
      const id = known(item.id);
      return id === null ? {} : toolItem(id, item, state);
    }
  }
}

function toolItem(id: string, item: Item, state: State): Understood {
  switch (item.type) {
    case "CommandExecution":
      return commandEnded(id, item, state);
    case "FileChange":
      return filesChanged(id, item, state);
    case "McpToolCall": {
      const call = other(mcpName(item.server ?? "?", item.tool ?? "?"), asRecord(item.arguments));
      const result = asRecord(asRecord(item.result).Ok ?? item.result);
      const failure = asRecord(item.error).message ?? asRecord(item.result).Err;
      const text = typeof failure === "string" ? failure : textOf(result.content);
      const isError = hasFailed(item) || typeof failure === "string" || result.isError === true;
      return endOf(state, id, call, { text: resultText(text), isError });
    }
    case "WebSearch":
      return endOf(state, id, other("web_search", { query: item.query ?? "" }), { text: "", isError: false });
    case "SubAgentActivity":
      return subagentStarted(id, item, state);
    default:
      return {};
  }
}

function commandEnded(id: string, item: Item, state: State): Understood {
  const cwd = pathOf(known(item.cwd)) ?? state.cwd;
  const call = commandCall(commandOf(item.command), cwd === state.cwd ? null : cwd, state.cwd);
  const files = readPaths(item.parsed_cmd).map((path) => ({
    path: absolute(path, cwd),
    how: "read" as const,
  }));
  const output = item.aggregated_output ?? [item.stdout, item.stderr].filter(Boolean).join("\n");
  const isError = hasFailed(item) || (item.exit_code ?? 0) !== 0;
  const result = { text: resultText(output), isError };
  const tookMs = (item.duration?.secs ?? 0) * 1000 + (item.duration?.nanos ?? 0) / 1e6;
  return endOf(state, id, call.patch === null ? { ...call, files } : call, result, tookMs);
}

function filesChanged(id: string, item: Item, state: State): Understood {
  const patch = filesOfChanges(item.changes ?? {}, state.cwd);
  const call: Call = { ...other("apply_patch", {}), files: touchesOf(patch), patch };
  const isError = hasFailed(item);
  const text = resultText([item.stdout, item.stderr].filter(Boolean).join("\n"));
  return endOf(state, id, call, { text, isError, edits: isError ? null : patch.map(({ edit }) => edit) });
}

/** The result of a spawn call is the thread's id, which is the session's. */
function subagentStarted(id: string, item: Item, state: State): Understood {
  const subagent = known(item.agent_thread_id);
  if (item.kind !== "started" || subagent === null) return {};
  const task = item.agent_path ?? "";
  return endOf(state, id, other("spawn_agent", { title: task }), { text: task, isError: false, subagent });
}

function hasFailed({ status }: Item): boolean {
  return status === "failed" || status === "declined";
}

/** Newer clients write directories as URLs. */
function pathOf(place: string | null): string | null {
  if (!place?.startsWith("file:")) return place;
  try {
    return fileURLToPath(place);
  } catch {
    return null;
  }
}

type Result = Pick<ToolResult, "text" | "isError"> & Partial<Pick<ToolResult, "edits" | "subagent">>;

/** A call's line; the result is another line. */
export function useOf(state: State, id: string, call: Call): { uid: string; entries: Entry[] } {
  state.open.set(id, { patch: call.patch, isOwn: call.isOwn });
  return { uid: uidOf(state, "call", id), entries: [useEntry(id, call)] };
}

/** A call's result; Pommel's own is not stored. */
export function resultOf(state: State, id: string, result: Result): Understood {
  const isOwn = state.open.get(id)?.isOwn ?? false;
  state.open.delete(id);
  state.answered.add(id);
  return { uid: uidOf(state, "result", id), entries: [resultEntry(id, result, isOwn)] };
}

/** The end of a call: its result, or, for an unseen call (from a code-mode script), the call with its result. */
function endOf(state: State, id: string, call: Call, result: Result, tookMs = 0): Understood {
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

/** The stored part of a line; nothing without a uid. */
export interface Understood {
  uid?: string;
  entries?: Entry[];
  usage?: Usage;
  parentUid?: string | null;
  /** For a call with only an end: its own line, at its start time. */
  began?: { uid: string; entries: Entry[]; tookMs: number };
}

/** Added before the human's text by an editor extension. */
const requestMark = "## My request for Codex:";
/** Written into user messages by older clients. */
const notHuman =
  /^(?:<environment_context>|<user_instructions>|<turn_aborted>|# AGENTS\.md instructions for )/;

/** A human's prompt, which begins a turn. */
export function userText(state: State, form: "event" | "item", written: string, images: number): Understood {
  const at = written.indexOf(requestMark);
  const human = at === -1 ? written : written.slice(at + requestMark.length);
  const text = bounded(withoutOwnContext(human).trim());
  if ((text === "" && images === 0) || notHuman.test(text)) return {};
  if (!isFirstOccurrence(state, form, `user\0${text}`)) return {};
  const uid = uidOf(state, "prompt", text);
  const parentUid = state.follows;
  state.follows = null;
  state.prompts.push(uid);
  return { uid, parentUid, entries: [{ kind: "prompt", text, images }] };
}

export function agentText(state: State, form: "event" | "item", written: string): Understood {
  const text = bounded(written).trim();
  if (text === "" || !isFirstOccurrence(state, form, `agent\0${text}`)) return {};
  return { uid: uidOf(state, "text", text), entries: [{ kind: "text", text }] };
}
