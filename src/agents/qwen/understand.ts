import * as z from "zod/mini";
import type { TranscriptEntry, Usage } from "../agent.ts";
import { joinPartTexts, parseUserMessage } from "../gemini/message-text.ts";
import { asParts, type GeminiPart, noCall } from "../gemini/record-schema.ts";
import { isOwnCall, listTouchedFiles, parseToolResult } from "../gemini/tools.ts";
import { boundInput, bounds } from "../reading/bounds.ts";
import {
  anything,
  count,
  emptyToNull,
  flag,
  makeLenientParser,
  orNull,
  type Parsed,
  parseTime,
  text,
  toTypeName,
} from "../reading/json.ts";
import { skip, type UnderstoodLine } from "../reading/json-lines.ts";
import { withoutOwnContext } from "../reading/own-output.ts";
import { makeToolUse } from "../reading/tool-calls.ts";
import { makeTextEntries, makeTranscriptLine, parseBranch } from "../reading/transcript-lines.ts";

/** The parsed fields of a chat's lines: Claude Code's tree, with Gemini CLI's messages. */

const usage = z.object({
  promptTokenCount: count,
  cachedContentTokenCount: count,
  candidatesTokenCount: count,
  thoughtsTokenCount: count,
});

/** Of system lines, and of prompts. */
const payload = z.object({
  /** What the human typed. */
  displayText: text,
  customTitle: text,
  info: orNull(z.object({ originalTokenCount: count })),
  compressedHistory: anything,
});

export const asLine = makeLenientParser(
  z.object({
    type: text,
    subtype: text,
    uuid: text,
    parentUuid: text,
    sessionId: text,
    agentId: text,
    agentName: text,
    cwd: text,
    gitBranch: text,
    timestamp: text,
    /** Who wrote it: "real_user", or the client; missing in older chats. */
    provenance: text,
    isSidechain: flag,
    model: text,
    message: orNull(z.object({ parts: anything })),
    usageMetadata: orNull(usage),
    toolCallResult: orNull(z.object({ callId: text, status: text, resultDisplay: anything })),
    systemPayload: orNull(payload),
  }),
);
export type QwenLine = Parsed<typeof asLine>;

const asContent = makeLenientParser(z.object({ role: text, parts: anything }));

/** What the calls of a chat leave for their results. */
export type Calls = Map<string, { tool: string; args: Record<string, unknown>; own: boolean }>;

/** Parses the next line of a chat. */
export function parseLine(value: Record<string, unknown>, calls: Calls): UnderstoodLine {
  const line = asLine(value);
  if (!line) return skip("malformed");
  const entries = parseEntries(line, calls);
  const isSilent = typeof entries === "string";
  const uid = emptyToNull(line.uuid);
  // Lines without content are links of the tree.
  if (isSilent && uid === null) return skip(entries);
  const parsed = makeTranscriptLine({
    uid,
    parentUid: emptyToNull(line.parentUuid),
    at: parseTime(line.timestamp),
    cwd: emptyToNull(line.cwd),
    branch: parseBranch(line.gitBranch),
    entries: isSilent ? [] : entries,
    usage: parseUsage(line),
  });
  return { lines: [parsed], skipped: isSilent ? entries : null };
}

/** A line's content, or why it has none. */
function parseEntries(line: QwenLine, calls: Calls): TranscriptEntry[] | string {
  const parts = asParts(line.message?.parts);
  switch (line.type) {
    case "user":
      return parseUserEntries(line, parts);
    case "assistant":
      return parseAgentEntries(line, parts, calls);
    case "tool_result":
      return parseResultEntries(line, parts, calls);
    case "system":
      return parseSystemEntries(line);
    default:
      return `type:${describeLineType(line)}`;
  }
}

const describeLineType = ({ type, subtype }: QwenLine) =>
  toTypeName(`${type ?? "?"}${subtype ? `/${subtype}` : ""}`);

/** What the client puts before and after the human's text, in parts of their own. */
const aside = /^\s*<(?:qwen:[\w-]+|system-reminder)>/;

function parseUserEntries(line: QwenLine, parts: readonly GeminiPart[]): TranscriptEntry[] | string {
  const content = parts.filter((part) => !aside.test(part.text ?? ""));
  const isHuman = (line.provenance ?? "real_user") === "real_user" && line.subtype !== "notification";
  const entries = isHuman
    ? parseUserMessage({ content, displayContent: line.systemPayload?.displayText })
    : makeTextEntries("notice", withoutOwnContext(joinPartTexts(content)), bounds.result);
  return entries.length === 0 ? "context" : entries;
}

function parseAgentEntries(line: QwenLine, parts: readonly GeminiPart[], calls: Calls): TranscriptEntry[] {
  return parts.flatMap(({ text, thought, functionCall }): TranscriptEntry[] => {
    const said = makeTextEntries(thought ? "thinking" : "text", text);
    const [id, tool] = [emptyToNull(functionCall?.id), emptyToNull(functionCall?.name)];
    if (id === null || tool === null) return said;
    const input = boundInput(functionCall?.args);
    const call = { ...noCall, id, name: tool, args: input };
    calls.set(id, { tool, args: input, own: isOwnCall(call, input) });
    return [
      ...said,
      makeToolUse(id, tool, { input, files: listTouchedFiles(call, input, emptyToNull(line.cwd)) }),
    ];
  });
}

function parseResultEntries(
  line: QwenLine,
  parts: readonly GeminiPart[],
  calls: Calls,
): TranscriptEntry[] | string {
  const id = emptyToNull(line.toolCallResult?.callId) ?? emptyToNull(parts[0]?.functionResponse?.id);
  if (id === null) return "malformed";
  const { tool, args, own } = calls.get(id) ?? { tool: null, args: {}, own: false };
  const { status = null, resultDisplay } = line.toolCallResult ?? {};
  const agentId = makeSubagentId(id, tool, args);
  const call = {
    ...noCall,
    id,
    name: tool,
    args,
    result: line.message?.parts,
    status,
    resultDisplay,
    agentId,
  };
  return [parseToolResult(call, args, { own, cwd: emptyToNull(line.cwd) })];
}

/** The id that the client makes for a subagent. */
function makeSubagentId(id: string, tool: string | null, { subagent_type: type }: Record<string, unknown>) {
  return tool === "agent" && typeof type === "string" ? `${type}-${id}` : null;
}

function parseSystemEntries(line: QwenLine): TranscriptEntry[] | string {
  const { info, compressedHistory, customTitle } = line.systemPayload ?? {};
  if (line.subtype === "chat_compression") {
    const preTokens = info?.originalTokenCount ?? null;
    return [{ kind: "compaction", trigger: null, preTokens }, ...parseSummary(compressedHistory)];
  }
  const title = line.subtype === "custom_title" ? makeTextEntries("title", customTitle, 500) : [];
  return title.length > 0 ? title : `type:${describeLineType(line)}`;
}

/** The history that is left begins with the summary. */
function parseSummary(history: unknown): TranscriptEntry[] {
  const [first] = Array.isArray(history) ? history : [];
  return makeTextEntries("summary", withoutOwnContext(joinPartTexts(asParts(asContent(first)?.parts))));
}

/** The client's input includes cached tokens, and its output excludes thoughts. */
function parseUsage({ usageMetadata, uuid, model }: QwenLine): Usage | null {
  if (!usageMetadata || !emptyToNull(uuid) || !emptyToNull(model)) return null;
  const cacheRead = usageMetadata.cachedContentTokenCount ?? 0;
  return {
    messageId: uuid!,
    model: model!,
    input: Math.max(0, (usageMetadata.promptTokenCount ?? 0) - cacheRead),
    output: (usageMetadata.candidatesTokenCount ?? 0) + (usageMetadata.thoughtsTokenCount ?? 0),
    cacheRead,
    cacheWrite: 0,
  };
}
