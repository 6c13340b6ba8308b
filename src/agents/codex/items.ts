import { fileURLToPath } from "node:url";
import type { Entry, Usage } from "../agent.ts";
import { known } from "../reading/json.ts";
import { withoutOwnContext } from "../reading/own-output.ts";
import { type Outcome, toolResult, toolUse, touched } from "../reading/tool-calls.ts";
import { promptEntry, textEntry } from "../reading/transcript-lines.ts";
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
      return endOf(state, id, other("web_search", { query: item.query ?? "" }), { text: "" });
    case "SubAgentActivity":
      return subagentStarted(id, item, state);
    default:
      return {};
  }
}

function commandEnded(id: string, item: Item, state: State): Understood {
  const cwd = pathOf(known(item.cwd)) ?? state.cwd;
  const call = commandCall(commandOf(item.command), cwd === state.cwd ? null : cwd, state.cwd);
  const files = readPaths(item.parsed_cmd).flatMap((path) => touched(path, "read", cwd));
  const output = item.aggregated_output ?? [item.stdout, item.stderr].filter(Boolean).join("\n");
  const isError = hasFailed(item) || (item.exit_code ?? 0) !== 0;
  const result = { text: resultText(output), isError };
  const tookMs = (item.duration?.secs ?? 0) * 1000 + (item.duration?.nanos ?? 0) / 1e6;
  return endOf(state, id, call.patch === null ? { ...call, files } : call, result, tookMs);
}

function filesChanged(id: string, item: Item, state: State): Understood {
  const patch = filesOfChanges(item.changes ?? {}, state.cwd);
  const call: Call = { ...other("apply_patch", {}), files: touchesOf(patch), patch };
  const text = resultText([item.stdout, item.stderr].filter(Boolean).join("\n"));
  const edits = patch.map(({ edit }) => edit);
  return endOf(state, id, call, { text, isError: hasFailed(item), edits });
}

/** The result of a spawn call is the thread's id, which is the session's. */
function subagentStarted(id: string, item: Item, state: State): Understood {
  const subagent = known(item.agent_thread_id);
  if (item.kind !== "started" || subagent === null) return {};
  const task = item.agent_path ?? "";
  return endOf(state, id, other("spawn_agent", { title: task }), { text: task, subagent });
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

/** A call's line; the result is another line. */
export function useOf(state: State, id: string, call: Call): { uid: string; entries: Entry[] } {
  state.open.set(id, { patch: call.patch, isOwn: call.isOwn });
  return { uid: uidOf(state, "call", id), entries: [toolUse(id, call.tool, call)] };
}

/** A call's result; Pommel's own is not stored. */
export function resultOf(state: State, id: string, result: Outcome): Understood {
  const isOwn = state.open.get(id)?.isOwn ?? false;
  state.open.delete(id);
  state.answered.add(id);
  return { uid: uidOf(state, "result", id), entries: [toolResult(id, { ...result, isOwn })] };
}

/** The end of a call: its result, or, for an unseen call (from a code-mode script), the call with its result. */
function endOf(state: State, id: string, call: Call, result: Outcome, tookMs = 0): Understood {
  if (state.answered.has(id)) return {};
  if (state.open.has(id)) return resultOf(state, id, result);
  const { uid, entries } = useOf(state, id, call);
  return { began: { uid, entries, tookMs }, ...resultOf(state, id, result) };
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
  const entries = promptEntry(withoutOwnContext(human), images).map((entry) =>
    state.isExec ? { ...entry, by: "tool" as const } : entry,
  );
  const text = entries[0]?.text ?? "";
  if (entries.length === 0 || notHuman.test(text)) return {};
  if (!isFirstOccurrence(state, form, `user\0${text}`)) return {};
  const uid = uidOf(state, "prompt", text);
  const parentUid = state.follows;
  state.follows = null;
  state.prompts.push(uid);
  return { uid, parentUid, entries };
}

export function agentText(state: State, form: "event" | "item", written: string): Understood {
  const entries = textEntry("text", written);
  const text = entries[0]?.text;
  if (text === undefined || !isFirstOccurrence(state, form, `agent\0${text}`)) return {};
  return { uid: uidOf(state, "text", text), entries };
}
