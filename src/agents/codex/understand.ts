import type { TranscriptEntry, Usage } from "../agent.ts";
import { boundText } from "../reading/bounds.ts";
import { emptyToNull, parseTime, toTypeName } from "../reading/json.ts";
import { keep, skip, type UnderstoodLine } from "../reading/json-lines.ts";
import { withoutOwnContext } from "../reading/own-output.ts";
import { makeTextEntries, makeTranscriptLine } from "../reading/transcript-lines.ts";
import { type CodexCall, makeCall, parseCall, parseOutcome, patchCall, qualifyToolName } from "./calls.ts";
import {
  closeCall,
  openCall,
  parseAgentText,
  parseItem,
  parseUserText,
  type UnderstoodItem,
} from "./items.ts";
import {
  asEvent,
  asLine,
  asParts,
  asResponseItem,
  asSessionMeta,
  asTokenUsage,
  asTurnContext,
  type CodexEvent,
  type CodexLine,
  type ResponseItem,
} from "./line-schema.ts";
import { makeUid, type RolloutState } from "./state.ts";

/** Parses one line, and updates the state for later ones. */
export function parseLine(value: Record<string, unknown>, state: RolloutState): UnderstoodLine {
  const line = asLine(value);
  if (line === null) return skip("type:?");
  const { entries = [], uid, usage = null, parentUid = null, began } = parsePayload(line, state);
  if (uid === undefined) return skip(`type:${describeLineType(line)}`);
  const at = parseTime(line.timestamp);
  const { cwd, branch, model } = state;
  const around = { parentUid, cwd, branch, ...(model !== null && usage === null && { model }) };
  const parsed = makeTranscriptLine({ uid, at, entries, usage, ...around });
  if (!began) return keep(parsed);
  const start = at === null ? null : computeStart(began.tookMs, at, state);
  return keep(makeTranscriptLine({ uid: began.uid, at: start, entries: began.entries, ...around }), parsed);
}

/** When a call began of which only the end is known, and perhaps how long it took. */
function computeStart(tookMs: number, end: number, { scriptAt }: RolloutState): number {
  if (tookMs > 0) return Math.floor(end - tookMs);
  return scriptAt === null ? end : Math.min(scriptAt, end);
}

function parsePayload(line: CodexLine, state: RolloutState): UnderstoodItem {
  switch (line.type) {
    case "session_meta": {
      const meta = asSessionMeta(line.payload);
      state.hasItems ||= meta?.history_mode === "paginated";
      state.isExec ||= meta?.originator === "codex_exec";
      return {};
    }
    case "turn_context": {
      const context = asTurnContext(line.payload);
      state.cwd = emptyToNull(context?.cwd) ?? state.cwd;
      state.model = emptyToNull(context?.model) ?? state.model;
      return {};
    }
    case "response_item": {
      const item = asResponseItem(line.payload);
      return item ? parseResponse(item, parseTime(line.timestamp), state) : {};
    }
    case "event_msg": {
      const event = asEvent(line.payload);
      return event ? parseEvent(event, state, line) : {};
    }
    case "compacted":
      return parseCompaction(line.payload?.message, state);
    default:
      return {};
  }
}

/** Messages come from the events and items beside them, which identify human text. */
function parseResponse(item: ResponseItem, at: number | null, state: RolloutState): UnderstoodItem {
  const id = emptyToNull(item.call_id);
  switch (item.type) {
    case "function_call":
    case "custom_tool_call":
    case "local_shell_call":
      return id === null ? {} : handleCall(id, item, at, state);
    case "function_call_output":
    case "custom_tool_call_output":
      return id === null ? {} : handleCallOutput(id, item.output, state);
    case "reasoning": {
      const texts = asParts(item.summary).map(({ text }) => text);
      const entries = makeTextEntries("thinking", texts.join("\n\n"));
      return entries.length === 0 ? {} : { uid: makeUid(state, "thinking", entries[0]!.text), entries };
    }
    case "agent_message":
      return parseAgentMessage(item, state);
    default:
      return {};
  }
}

function handleCall(id: string, item: ResponseItem, at: number | null, state: RolloutState): UnderstoodItem {
  if (state.open.has(id) || state.answered.has(id)) return {};
  const call = callIn(item, state);
  if (call === null) {
    state.scripts.add(id);
    state.scriptAt = at;
    return {};
  }
  const isOwn = call.isOwn || state.ownShells.has(String(call.input.session_id));
  return openCall(state, id, { ...call, isOwn });
}

/** null for a script of code mode. */
function callIn(item: ResponseItem, state: RolloutState): CodexCall | null {
  if (item.type === "local_shell_call") return parseCall("local_shell", item.action, state.cwd);
  const name = qualifyToolName(item.name ?? "", item.namespace ?? null);
  if (item.type !== "custom_tool_call") return parseCall(name, item.arguments, state.cwd);
  if (name === "exec") return null;
  const input = item.input ?? "";
  return name === "apply_patch" ? patchCall(input, state.cwd) : makeCall(name, { input });
}

function handleCallOutput(id: string, output: unknown, state: RolloutState): UnderstoodItem {
  if (state.scripts.has(id)) state.scriptAt = null;
  if (state.scripts.has(id) || state.answered.has(id)) return {};
  const { text, isError, running } = parseOutcome(output);
  if (running !== null && state.open.get(id)?.isOwn) state.ownShells.add(running);
  // An item reports its end.
  if (running !== null && state.hasItems) return {};
  const edits = state.open.get(id)?.patch?.map(({ edit }) => edit) ?? null;
  return closeCall(state, id, { text, isError, edits });
}

/** Messages between agents: a subagent's task, possibly encrypted, and its answer. */
function parseAgentMessage(item: ResponseItem, state: RolloutState): UnderstoodItem {
  const parts = asParts(item.content);
  const joined = parts.map(({ text }) => text).join("");
  const payload = /\nPayload:\n([\s\S]*)$/.exec(joined);
  const text = boundText((payload?.[1] ?? joined).trim());
  if (!joined.startsWith("Message Type: NEW_TASK")) {
    if (text === "") return {};
    const notice = { kind: "notice" as const, text: `${item.author ?? "subagent"}: ${text}` };
    return { uid: makeUid(state, "message", joined), entries: [notice] };
  }
  const task = /^Task name: (.+)$/m.exec(joined)?.[1] ?? "";
  return parseUserText(state, "item", text || `[encrypted task ${task}]`, 0);
}

function parseEvent(event: CodexEvent, state: RolloutState, line: CodexLine): UnderstoodItem {
  switch (event.type) {
    case "task_started":
      state.messageCounts.clear();
      return {};
    case "item_completed":
      return event.item ? parseItem(event.item, state) : {};
    case "user_message": {
      // Some clients also wrote other kinds of user messages.
      if (emptyToNull(event.kind) !== null && event.kind !== "plain") return {};
      const images = countItems(event.images) + countItems(event.local_images);
      return parseUserText(state, "event", event.message ?? "", images);
    }
    case "agent_message":
      return parseAgentText(state, "event", event.message ?? "");
    case "token_count":
      return parseTokenEvent(event, state);
    case "turn_aborted": {
      const isByUser = event.reason === "interrupted";
      const text = isByUser ? "[Request interrupted by user]" : `[Turn aborted: ${toTypeName(event.reason)}]`;
      const uid = makeUid(state, "aborted", event.reason ?? "");
      return { uid, entries: [{ kind: "notice", text: boundText(text, 200) }] };
    }
    case "thread_rolled_back":
      return applyRollback(event.num_turns ?? 0, state);
    default:
      return parseEndEvent(event, line, state);
  }
}

/** Before items, some clients wrote the ends of calls as events. */
function parseEndEvent(event: CodexEvent, line: CodexLine, state: RolloutState): UnderstoodItem {
  const type = endings[event.type ?? ""];
  if (type === undefined || !emptyToNull(event.call_id)) return {};
  const { invocation } = event;
  const status = event.success === false ? "failed" : "completed";
  return parseItem({ status, ...line.payload, ...invocation, type, id: event.call_id }, state);
}

const endings: Readonly<Record<string, string>> = {
  exec_command_end: "CommandExecution",
  patch_apply_end: "FileChange",
  mcp_tool_call_end: "McpToolCall",
};

/** Counts are repeated; a new one has a new total. */
function parseTokenEvent(event: CodexEvent, state: RolloutState): UnderstoodItem {
  const total = asTokenUsage(event.info?.total_token_usage);
  const last = asTokenUsage(event.info?.last_token_usage);
  const sum = total?.total_tokens ?? null;
  if (!last || sum === null || sum === state.total || !last.total_tokens) return {};
  state.total = sum;
  state.context = Math.max(state.context ?? 0, last.input_tokens ?? 0);
  const uid = makeUid(state, "tokens", String(sum));
  if (state.model === null) return { uid };
  const cacheRead = last.cached_input_tokens ?? 0;
  const cacheWrite = last.cache_write_input_tokens ?? 0;
  const usage: Usage = {
    messageId: uid,
    model: state.model,
    // Input includes cached tokens here.
    input: Math.max(0, (last.input_tokens ?? 0) - cacheRead - cacheWrite),
    output: last.output_tokens ?? 0,
    cacheRead,
    cacheWrite,
  };
  return { uid, usage };
}

/** The client's preface to a summary. */
const preface =
  /^\s*Another language model started to solve this problem and produced a summary[\s\S]*?to assist with your own analysis:\s*/;

/** OpenAI's own service does not return the summary's text. */
function parseCompaction(message: unknown, state: RolloutState): UnderstoodItem {
  const joined = typeof message === "string" ? message.replace(preface, "") : "";
  const summary = makeTextEntries("summary", withoutOwnContext(joined));
  const compaction: TranscriptEntry = { kind: "compaction", trigger: null, preTokens: state.context };
  state.context = null;
  return { uid: makeUid(state, "compacted", summary[0]?.text ?? ""), entries: [compaction, ...summary] };
}

/** The human rolled back some prompts; the next one follows the last remaining. */
function applyRollback(turns: number, state: RolloutState): UnderstoodItem {
  if (!(turns > 0)) return {};
  state.prompts.splice(Math.max(0, state.prompts.length - turns));
  state.follows = state.prompts.at(-1) ?? null;
  return {};
}

function countItems(value: unknown): number {
  return Array.isArray(value) ? value.length : 0;
}

function describeLineType({ type, payload }: CodexLine): string {
  const inner = type === "event_msg" || type === "response_item" ? payload?.type : null;
  const item = inner === "item_completed" ? asEvent(payload)?.item?.type : null;
  return toTypeName([type ?? "?", inner, item].filter((part) => typeof part === "string").join("/"));
}
