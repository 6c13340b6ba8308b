import { fileURLToPath } from "node:url";
import { known } from "../reading/fields.ts";
import { asRecord, type Call, commandCall, commandOf, mcpName, other } from "./calls.ts";
import { asItem, asParts, type Item, readPaths } from "./line-schema.ts";
import { agentText, type Understood, userText } from "./message-text.ts";
import { resultText, textOf } from "./outcome.ts";
import { absolute, filesOfChanges, touchesOf } from "./patch.ts";
import type { State } from "./state.ts";
import { endOf } from "./uses.ts";

/** Understands an item: what happened, told when it was over. */
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

/** The call that started a subagent is answered by its thread's id, which is that of its session. */
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
