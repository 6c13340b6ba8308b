import { fileURLToPath } from "node:url";
import type { TranscriptEntry, Usage } from "../agent.ts";
import { emptyToNull } from "../reading/json.ts";
import { withoutOwnContext } from "../reading/own-output.ts";
import { type CallOutcome, makeToolResult, makeToolUse, makeTouches } from "../reading/tool-calls.ts";
import { makePromptEntries, makeTextEntries } from "../reading/transcript-lines.ts";
import {
  asRecord,
  boundResult,
  type CodexCall,
  extractText,
  formatCommandLine,
  formatMcpName,
  makeCall,
  makeCommandCall,
} from "./calls.ts";
import { asItem, asParts, type CodexItem, readPaths } from "./line-schema.ts";
import { listTouches, parseChanges } from "./patch.ts";
import { isFirstOccurrence, makeUid, type RolloutState } from "./state.ts";

/** Parses an item, which describes a completed event. */
export function parseItem(value: unknown, state: RolloutState): UnderstoodItem {
  const item = asItem(value);
  if (item === null) return {};
  state.hasItems = true;
  switch (item.type) {
    case "UserMessage": {
      const parts = asParts(item.content);
      const texts = parts.filter(({ type }) => type === "text").map(({ text }) => text);
      const images = parts.filter(({ type }) => type.includes("image")).length;
      return parseUserText(state, "item", texts.join("\n"), images);
    }
    case "AgentMessage": {
      const texts = asParts(item.content).map(({ text }) => text);
      return parseAgentText(state, "item", texts.join("\n") || (item.text ?? ""));
    }
    default: {
      const id = emptyToNull(item.id);
      return id === null ? {} : parseToolItem(id, item, state);
    }
  }
}

function parseToolItem(id: string, item: CodexItem, state: RolloutState): UnderstoodItem {
  switch (item.type) {
    case "CommandExecution":
      return parseCommandEnd(id, item, state);
    case "FileChange":
      return parseFileChange(id, item, state);
    case "McpToolCall": {
      const call = makeCall(formatMcpName(item.server ?? "?", item.tool ?? "?"), asRecord(item.arguments));
      const result = asRecord(asRecord(item.result).Ok ?? item.result);
      const failure = asRecord(item.error).message ?? asRecord(item.result).Err;
      const text = typeof failure === "string" ? failure : extractText(result.content);
      const isError = hasFailed(item) || typeof failure === "string" || result.isError === true;
      return completeCall(state, id, call, { text: boundResult(text), isError });
    }
    case "WebSearch":
      return completeCall(state, id, makeCall("web_search", { query: item.query ?? "" }), { text: "" });
    case "SubAgentActivity":
      return parseSubagentStart(id, item, state);
    default:
      return {};
  }
}

function parseCommandEnd(id: string, item: CodexItem, state: RolloutState): UnderstoodItem {
  const cwd = parsePathOrUrl(emptyToNull(item.cwd)) ?? state.cwd;
  const call = makeCommandCall(formatCommandLine(item.command), cwd === state.cwd ? null : cwd, state.cwd);
  const files = readPaths(item.parsed_cmd).flatMap((path) => makeTouches(path, "read", cwd));
  const output = item.aggregated_output ?? [item.stdout, item.stderr].filter(Boolean).join("\n");
  const isError = hasFailed(item) || (item.exit_code ?? 0) !== 0;
  const result = { text: boundResult(output), isError };
  const tookMs = (item.duration?.secs ?? 0) * 1000 + (item.duration?.nanos ?? 0) / 1e6;
  return completeCall(state, id, call.patch === null ? { ...call, files } : call, result, tookMs);
}

function parseFileChange(id: string, item: CodexItem, state: RolloutState): UnderstoodItem {
  const patch = parseChanges(item.changes ?? {}, state.cwd);
  const call: CodexCall = { ...makeCall("apply_patch", {}), files: listTouches(patch), patch };
  const text = boundResult([item.stdout, item.stderr].filter(Boolean).join("\n"));
  const edits = patch.map(({ edit }) => edit);
  return completeCall(state, id, call, { text, isError: hasFailed(item), edits });
}

/** The result of a spawn call is the thread's id, which is the session's. */
function parseSubagentStart(id: string, item: CodexItem, state: RolloutState): UnderstoodItem {
  const subagent = emptyToNull(item.agent_thread_id);
  if (item.kind !== "started" || subagent === null) return {};
  const task = item.agent_path ?? "";
  return completeCall(state, id, makeCall("spawn_agent", { title: task }), { text: task, subagent });
}

function hasFailed({ status }: CodexItem): boolean {
  return status === "failed" || status === "declined";
}

/** Newer clients write directories as URLs. */
function parsePathOrUrl(place: string | null): string | null {
  if (!place?.startsWith("file:")) return place;
  try {
    return fileURLToPath(place);
  } catch {
    return null;
  }
}

/** A call's line; the result is another line. */
export function openCall(
  state: RolloutState,
  id: string,
  call: CodexCall,
): { uid: string; entries: TranscriptEntry[] } {
  state.open.set(id, { patch: call.patch, isOwn: call.isOwn });
  return { uid: makeUid(state, "call", id), entries: [makeToolUse(id, call.tool, call)] };
}

/** A call's result; Pommel's own is not stored. */
export function closeCall(state: RolloutState, id: string, result: CallOutcome): UnderstoodItem {
  const isOwn = state.open.get(id)?.isOwn ?? false;
  state.open.delete(id);
  state.answered.add(id);
  return { uid: makeUid(state, "result", id), entries: [makeToolResult(id, { ...result, isOwn })] };
}

/** The end of a call: its result, or, for an unseen call (from a code-mode script), the call with its result. */
function completeCall(
  state: RolloutState,
  id: string,
  call: CodexCall,
  result: CallOutcome,
  tookMs = 0,
): UnderstoodItem {
  if (state.answered.has(id)) return {};
  if (state.open.has(id)) return closeCall(state, id, result);
  const { uid, entries } = openCall(state, id, call);
  return { began: { uid, entries, tookMs }, ...closeCall(state, id, result) };
}

/** The stored part of a line; nothing without a uid. */
export interface UnderstoodItem {
  uid?: string;
  entries?: TranscriptEntry[];
  usage?: Usage;
  parentUid?: string | null;
  /** For a call with only an end: its own line, at its start time. */
  began?: { uid: string; entries: TranscriptEntry[]; tookMs: number };
}

/** Added before the human's text by an editor extension. */
const requestMark = "## My request for Codex:";
/** Written into user messages by older clients. */
const notHuman =
  /^(?:<environment_context>|<user_instructions>|<turn_aborted>|# AGENTS\.md instructions for )/;

/** A human's prompt, which begins a turn. */
export function parseUserText(
  state: RolloutState,
  form: "event" | "item",
  written: string,
  images: number,
): UnderstoodItem {
  const at = written.indexOf(requestMark);
  const human = at === -1 ? written : written.slice(at + requestMark.length);
  const entries = makePromptEntries(withoutOwnContext(human), images).map((entry) =>
    state.isExec ? { ...entry, by: "tool" as const } : entry,
  );
  const text = entries[0]?.text ?? "";
  if (entries.length === 0 || notHuman.test(text)) return {};
  if (!isFirstOccurrence(state, form, `user\0${text}`)) return {};
  const uid = makeUid(state, "prompt", text);
  const parentUid = state.follows;
  state.follows = null;
  state.prompts.push(uid);
  return { uid, parentUid, entries };
}

export function parseAgentText(state: RolloutState, form: "event" | "item", written: string): UnderstoodItem {
  const entries = makeTextEntries("text", written);
  const text = entries[0]?.text;
  if (text === undefined || !isFirstOccurrence(state, form, `agent\0${text}`)) return {};
  return { uid: makeUid(state, "text", text), entries };
}
