import type { TranscriptEntry, TranscriptLine } from "../agent.ts";
import { boundInput } from "../reading/bounds.ts";
import { emptyToNull, parseEach, parseTime, toTypeName } from "../reading/json.ts";
import { keep, skip, type UnderstoodLine } from "../reading/json-lines.ts";
import { makeToolUse } from "../reading/tool-calls.ts";
import { makeTextEntries, makeTitleLines, makeTranscriptLine } from "../reading/transcript-lines.ts";
import { isMetadata } from "./describe.ts";
import { GeminiMessage, hashText, type Replay } from "./message.ts";
import { joinPartTexts, parseClientMessage, parseUserMessage } from "./message-text.ts";
import {
  asCall,
  asParts,
  asRecord,
  asThought,
  type ChatRecord,
  type GeminiCall,
  type GeminiPart,
  noCall,
} from "./record-schema.ts";
import { extractResponse, hasEnded, isOwnCall, listTouchedFiles, parseToolResult } from "./tools.ts";

/** Parses the next record of a chat. */
export function take(replay: Replay, record: ChatRecord): UnderstoodLine {
  if (record.$rewindTo) {
    // The next line follows that message's predecessor.
    const to = replay.messages.get(record.$rewindTo);
    if (to) replay.leaf = to.before;
    return skip("type:$rewindTo");
  }
  if (record.$set) return takeChange(replay, record.$set);
  if (isMetadata(record)) return takeMetadata(replay, record);
  return takeMessage(new GeminiMessage(replay, record, false));
}

/** The first prompt follows the first metadata, so that a rewind to the start is visible. */
function takeMetadata(replay: Replay, record: ChatRecord): UnderstoodLine {
  const title = parseTitle(record);
  if (replay.session !== null) return { lines: title, skipped: "type:metadata" };
  replay.session = record.sessionId!;
  replay.leaf = `${replay.session}:start`;
  return { lines: [makeTranscriptLine({ uid: replay.leaf }), ...title], skipped: "type:metadata" };
}

function takeChange(replay: Replay, change: NonNullable<ChatRecord["$set"]>): UnderstoodLine {
  const again = parseEach(asRecord, change.messages).flatMap(
    (record) => takeMessage(new GeminiMessage(replay, record, true)).lines,
  );
  const lines = [...again, ...parseTitle(change)];
  return { lines, skipped: lines.length === 0 ? "type:$set" : null };
}

function parseTitle({ summary, kind }: Partial<Pick<ChatRecord, "summary" | "kind">>): TranscriptLine[] {
  // For subagents this is the answer.
  return kind === "subagent" || summary?.trim().startsWith("{") ? [] : makeTitleLines(summary);
}

function takeMessage(message: GeminiMessage): UnderstoodLine {
  switch (message.record.type) {
    case "user":
      return replayUserMessage(message);
    case "gemini":
      return replayAgentMessage(message);
    case "info":
    case "warning":
    case "error":
      return replayClientMessage(message);
    default:
      return skip(`type:${toTypeName(message.record.type)}`);
  }
}

const repeated = skip("repeated");

function replayClientMessage(message: GeminiMessage): UnderstoodLine {
  const entries = parseClientMessage(message.record);
  const text = joinEntryTexts(entries);
  if (!message.isNew || message.isRepeated(text)) return repeated;
  message.remember(text);
  if (entries.length === 0) return skip(`type:${toTypeName(message.record.type)}`);
  return keep(message.appendLine(message.uid, entries));
}

function replayUserMessage(message: GeminiMessage): UnderstoodLine {
  const entries = parseUserMessage(message.record);
  const lines = makeAnswerLines(message);
  if (message.isNew && !message.isRepeated(joinEntryTexts(entries))) {
    message.remember(joinEntryTexts(entries));
    if (entries.length > 0) lines.push(message.appendLine(message.uid, entries));
  }
  if (lines.length > 0) return keep(...lines);
  return entries.length === 0 ? skip("context") : repeated;
}

const joinEntryTexts = (entries: readonly TranscriptEntry[]) =>
  entries.map((entry) => ("text" in entry ? entry.text : "")).join("\n");

/** Results sent to the agent; usually its own message has them already. */
function makeAnswerLines(message: GeminiMessage): TranscriptLine[] {
  const { replay, record } = message;
  return asParts(record.content).flatMap(({ functionResponse }) => {
    const id = emptyToNull(functionResponse?.id);
    const call = id === null ? undefined : replay.calls.get(id);
    if (id === null || call?.ended) return [];
    const { isError } = extractResponse([{ functionResponse }]);
    const made = { ...noCall, id, result: [{ functionResponse }], status: isError ? "error" : "success" };
    const { own = false, isShell = false } = call ?? {};
    replay.calls.set(id, { own, isShell, ended: true });
    const result = parseToolResult(made, isShell ? { command: "" } : {}, { own, cwd: replay.cwd });
    return [message.appendLine(message.makeCallUid(id, "result"), [result])];
  });
}

/** The client's own reply to a summary that replaced the history. */
const acknowledged = "Got it. Thanks for the additional context!";

function replayAgentMessage(message: GeminiMessage): UnderstoodLine {
  const { record, seen } = message;
  const parts = asParts(record.content);
  const text = joinPartTexts(parts);
  const calls = listCalls(record, parts);
  const lines: TranscriptLine[] = [];
  if (message.isNew) {
    const isKnown = message.isRepeated(text) || (message.isAgain && text === "") || text === acknowledged;
    if (!isKnown) {
      message.remember(text);
      lines.push(
        message.appendLine(message.uid, [...parseThoughts(record, parts), ...makeTextEntries("text", text)], {
          usage: true,
        }),
      );
    }
  } else if (seen && text.length > seen.length && hashText(text.slice(0, seen.length)) === seen.hash) {
    const rest = makeTextEntries("text", text.slice(seen.length));
    if (rest.length > 0)
      lines.push(message.appendLine(`${message.uid}+${seen.length}`, rest, { usage: true }));
    Object.assign(seen, { length: text.length, hash: hashText(text) });
  } else if (seen && !seen.hasUsage && message.usage) {
    lines.push(message.appendLine(`${message.uid}+usage`, [], { usage: true }));
  }
  for (const call of calls) lines.push(...callLines(message, call));
  return lines.length > 0 ? keep(...lines) : repeated;
}

function parseThoughts({ thoughts: written }: ChatRecord, parts: readonly GeminiPart[]): TranscriptEntry[] {
  const texts = parseEach(asThought, written).map(({ subject, description }) =>
    [subject, description].filter(Boolean).join(": "),
  );
  const found = texts.length > 0 ? texts : parts.flatMap((part) => (part.thought && part.text) || []);
  return makeTextEntries("thinking", found.filter((text) => text !== "").join("\n"));
}

/** A message's calls; in a repeated history they may only be in its content, without results. */
function listCalls(record: ChatRecord, parts: readonly GeminiPart[]): GeminiCall[] {
  const calls = parseEach(asCall, record.toolCalls);
  const others = parts.flatMap(({ functionCall }) => functionCall ?? []);
  return [...calls, ...others.map(({ id, name, args }) => ({ ...noCall, id, name, args }))];
}

function callLines(message: GeminiMessage, call: GeminiCall): TranscriptLine[] {
  const { replay } = message;
  const [id, tool] = [emptyToNull(call.id), emptyToNull(call.name)];
  if (id === null || tool === null) return [];
  const lines: TranscriptLine[] = [];
  const args = boundInput(call.args);
  let state = replay.calls.get(id);
  if (!state) {
    state = { own: isOwnCall(call, args), isShell: typeof args.command === "string", ended: false };
    replay.calls.set(id, state);
    const use = makeToolUse(id, tool, { input: args, files: listTouchedFiles(call, args, replay.cwd) });
    lines.push(message.appendLine(message.makeCallUid(id, "call"), [use], { usage: true }));
  }
  if (!state.ended && hasEnded(call)) {
    state.ended = true;
    const at = parseTime(call.timestamp);
    const result = parseToolResult(call, args, { own: state.own, cwd: replay.cwd });
    lines.push(message.appendLine(message.makeCallUid(id, "result"), [result], at === null ? {} : { at }));
  }
  return lines;
}
