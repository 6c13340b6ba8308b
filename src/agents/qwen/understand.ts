import type { Entry, TranscriptLine, Usage } from "../agent.ts";
import { textOf, userText } from "../gemini/message-text.ts";
import { asParts, type Call, type Part } from "../gemini/record-schema.ts";
import { filesOf, isOwnCall, toolResult } from "../gemini/tools.ts";
import { bounded, boundedInput, bounds } from "../reading/bounds.ts";
import { known, timeOf } from "../reading/json.ts";
import { withoutOwnContext } from "../reading/own-output.ts";
import { actionByInput } from "../reading/tool-calls.ts";
import { asContent, type Line } from "./line-schema.ts";

/** What the calls of a chat leave for their results. */
export type Calls = Map<string, { tool: string; args: Record<string, unknown>; own: boolean }>;

/** A parsed line: itself, a reason to count it as skipped, or both. */
interface Understood {
  line: TranscriptLine | null;
  skipped: string | null;
}

/** Parses the next line of a chat. */
export function understand(line: Line, calls: Calls): Understood {
  const entries = entriesOf(line, calls);
  const isSilent = typeof entries === "string";
  const uid = known(line.uuid);
  // Lines without content are links of the tree.
  if (isSilent && uid === null) return { line: null, skipped: entries };
  const branch = known(line.gitBranch);
  return {
    line: {
      uid,
      parentUid: known(line.parentUuid),
      at: timeOf(line.timestamp),
      cwd: known(line.cwd),
      branch: branch === "HEAD" ? null : branch,
      entries: isSilent ? [] : entries,
      usage: usageOf(line),
    },
    skipped: isSilent ? entries : null,
  };
}

/** A line's content, or why it has none. */
function entriesOf(line: Line, calls: Calls): Entry[] | string {
  const parts = asParts(line.message?.parts);
  switch (line.type) {
    case "user":
      return userEntries(line, parts);
    case "assistant":
      return agentEntries(line, parts, calls);
    case "tool_result":
      return resultEntries(line, parts, calls);
    case "system":
      return systemEntries(line);
    default:
      return `type:${nameOf(line)}`;
  }
}

function nameOf({ type, subtype }: Line): string {
  const name = `${type ?? "?"}${subtype ? `/${subtype}` : ""}`;
  // This becomes a key, so restrict what the file can put there.
  return /^[\w./?-]{1,60}$/.test(name) ? name : "?";
}

/** What the client puts before and after the human's text, in parts of their own. */
const aside = /^\s*<(?:qwen:[\w-]+|system-reminder)>/;

function userEntries(line: Line, parts: readonly Part[]): Entry[] | string {
  const content = parts.filter((part) => !aside.test(part.text ?? ""));
  const isHuman = (line.provenance ?? "real_user") === "real_user" && line.subtype !== "notification";
  if (!isHuman) {
    const text = bounded(withoutOwnContext(textOf(content)), bounds.result).trim();
    return text === "" ? "context" : [{ kind: "notice", text }];
  }
  const entries = userText({ content, displayContent: line.systemPayload?.displayText });
  return entries.length === 0 ? "context" : entries;
}

function agentEntries(line: Line, parts: readonly Part[], calls: Calls): Entry[] {
  return parts.flatMap(({ text: written, thought, functionCall }): Entry[] => {
    const text = bounded(written ?? "").trim();
    const said: Entry[] = text === "" ? [] : [{ kind: thought ? "thinking" : "text", text }];
    const [id, tool] = [known(functionCall?.id), known(functionCall?.name)];
    if (id === null || tool === null) return said;
    const args = boundedInput(functionCall?.args);
    const call = { ...noCall, id, name: tool, args };
    calls.set(id, { tool, args, own: isOwnCall(call, args) });
    const files = filesOf(call, args, known(line.cwd));
    return [
      ...said,
      { kind: "tool_use", id, tool, input: args, files, action: actionByInput({ input: args, files }) },
    ];
  });
}

const noCall: Call = {
  ...{ id: null, name: null, displayName: null, args: null, result: null },
  ...{ status: null, timestamp: null, resultDisplay: null, agentId: null },
};

function resultEntries(line: Line, parts: readonly Part[], calls: Calls): Entry[] | string {
  const id = known(line.toolCallResult?.callId) ?? known(parts[0]?.functionResponse?.id);
  if (id === null) return "malformed";
  const { tool, args, own } = calls.get(id) ?? { tool: null, args: {}, own: false };
  const { status = null, resultDisplay } = line.toolCallResult ?? {};
  const result = line.message?.parts;
  const call = {
    ...noCall,
    id,
    name: tool,
    args,
    result,
    status,
    resultDisplay,
    agentId: subagentOf(id, tool, args),
  };
  return [toolResult(call, args, { own, cwd: known(line.cwd) })];
}

/** The id that the client makes for a subagent. */
function subagentOf(id: string, tool: string | null, { subagent_type: type }: Record<string, unknown>) {
  return tool === "agent" && typeof type === "string" ? `${type}-${id}` : null;
}

function systemEntries(line: Line): Entry[] | string {
  const { info, compressedHistory, customTitle } = line.systemPayload ?? {};
  if (line.subtype === "chat_compression") {
    const preTokens = info?.originalTokenCount ?? null;
    return [{ kind: "compaction", trigger: null, preTokens }, ...summaryIn(compressedHistory)];
  }
  const title = bounded((customTitle ?? "").trim(), 500);
  return line.subtype === "custom_title" && title !== ""
    ? [{ kind: "title", text: title }]
    : `type:${nameOf(line)}`;
}

/** The history that is left begins with the summary. */
function summaryIn(history: unknown): Entry[] {
  const [first] = Array.isArray(history) ? history : [];
  const text = bounded(withoutOwnContext(textOf(asParts(asContent(first)?.parts)))).trim();
  return text === "" ? [] : [{ kind: "summary", text }];
}

/** The client's input includes cached tokens, and its output excludes thoughts. */
function usageOf({ usageMetadata, uuid, model }: Line): Usage | null {
  if (!usageMetadata || !known(uuid) || !known(model)) return null;
  const { promptTokenCount, cachedContentTokenCount, candidatesTokenCount, thoughtsTokenCount } =
    usageMetadata;
  return {
    messageId: uuid!,
    model: model!,
    input: Math.max(0, (promptTokenCount ?? 0) - (cachedContentTokenCount ?? 0)),
    output: (candidatesTokenCount ?? 0) + (thoughtsTokenCount ?? 0),
    cacheRead: cachedContentTokenCount ?? 0,
    cacheWrite: 0,
  };
}
