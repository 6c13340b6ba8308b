import type { Entry, TranscriptLine } from "../agent.ts";
import { boundedInput } from "../reading/bounds.ts";
import { each, known, timeOf, typeName } from "../reading/json.ts";
import { keep, skip, type Understood } from "../reading/json-lines.ts";
import { toolUse } from "../reading/tool-calls.ts";
import { lineOf, textEntry, titleLines } from "../reading/transcript-lines.ts";
import { isMetadata } from "./describe.ts";
import { hashOf, Message, type Replay } from "./message.ts";
import { clientText, textOf, userText } from "./message-text.ts";
import {
  asCall,
  asParts,
  asRecord,
  asThought,
  type Call,
  type ChatRecord,
  noCall,
  type Part,
} from "./record-schema.ts";
import { filesOf, hasEnded, isOwnCall, responseText, resultOf } from "./tools.ts";

/** Parses the next record of a chat. */
export function take(replay: Replay, record: ChatRecord): Understood {
  if (record.$rewindTo) {
    // The next line follows that message's predecessor.
    const to = replay.messages.get(record.$rewindTo);
    if (to) replay.leaf = to.before;
    return skip("type:$rewindTo");
  }
  if (record.$set) return takeChange(replay, record.$set);
  if (isMetadata(record)) return takeMetadata(replay, record);
  return takeMessage(new Message(replay, record, false));
}

/** The first prompt follows the first metadata, so that a rewind to the start is visible. */
function takeMetadata(replay: Replay, record: ChatRecord): Understood {
  const title = titleIn(record);
  if (replay.session !== null) return { lines: title, skipped: "type:metadata" };
  replay.session = record.sessionId!;
  replay.leaf = `${replay.session}:start`;
  return { lines: [lineOf({ uid: replay.leaf }), ...title], skipped: "type:metadata" };
}

function takeChange(replay: Replay, change: NonNullable<ChatRecord["$set"]>): Understood {
  const again = each(asRecord, change.messages).flatMap(
    (record) => takeMessage(new Message(replay, record, true)).lines,
  );
  const lines = [...again, ...titleIn(change)];
  return { lines, skipped: lines.length === 0 ? "type:$set" : null };
}

function titleIn({ summary, kind }: Partial<Pick<ChatRecord, "summary" | "kind">>): TranscriptLine[] {
  // For subagents this is the answer.
  return kind === "subagent" || summary?.trim().startsWith("{") ? [] : titleLines(summary);
}

function takeMessage(message: Message): Understood {
  switch (message.record.type) {
    case "user":
      return byUser(message);
    case "gemini":
      return byAgent(message);
    case "info":
    case "warning":
    case "error":
      return byClient(message);
    default:
      return skip(`type:${typeName(message.record.type)}`);
  }
}

const repeated = skip("repeated");

function byClient(message: Message): Understood {
  const entries = clientText(message.record);
  const text = textIn(entries);
  if (!message.isNew || message.isRepeated(text)) return repeated;
  message.remember(text);
  if (entries.length === 0) return skip(`type:${typeName(message.record.type)}`);
  return keep(message.line(message.uid, entries));
}

function byUser(message: Message): Understood {
  const entries = userText(message.record);
  const lines = answers(message);
  if (message.isNew && !message.isRepeated(textIn(entries))) {
    message.remember(textIn(entries));
    if (entries.length > 0) lines.push(message.line(message.uid, entries));
  }
  if (lines.length > 0) return keep(...lines);
  return entries.length === 0 ? skip("context") : repeated;
}

const textIn = (entries: readonly Entry[]) =>
  entries.map((entry) => ("text" in entry ? entry.text : "")).join("\n");

/** Results sent to the agent; usually its own message has them already. */
function answers(message: Message): TranscriptLine[] {
  const { replay, record } = message;
  return asParts(record.content).flatMap(({ functionResponse }) => {
    const id = known(functionResponse?.id);
    const call = id === null ? undefined : replay.calls.get(id);
    if (id === null || call?.ended) return [];
    const { isError } = responseText([{ functionResponse }]);
    const made = { ...noCall, id, result: [{ functionResponse }], status: isError ? "error" : "success" };
    const { own = false, isShell = false } = call ?? {};
    replay.calls.set(id, { own, isShell, ended: true });
    const result = resultOf(made, isShell ? { command: "" } : {}, { own, cwd: replay.cwd });
    return [message.line(message.uidOfCall(id, "result"), [result])];
  });
}

/** The client's own reply to a summary that replaced the history. */
const acknowledged = "Got it. Thanks for the additional context!";

function byAgent(message: Message): Understood {
  const { record, seen } = message;
  const parts = asParts(record.content);
  const text = textOf(parts);
  const calls = callsOf(record, parts);
  const lines: TranscriptLine[] = [];
  if (message.isNew) {
    const isKnown = message.isRepeated(text) || (message.isAgain && text === "") || text === acknowledged;
    if (!isKnown) {
      message.remember(text);
      lines.push(
        message.line(message.uid, [...thoughts(record, parts), ...textEntry("text", text)], { usage: true }),
      );
    }
  } else if (seen && text.length > seen.length && hashOf(text.slice(0, seen.length)) === seen.hash) {
    const rest = textEntry("text", text.slice(seen.length));
    if (rest.length > 0) lines.push(message.line(`${message.uid}+${seen.length}`, rest, { usage: true }));
    Object.assign(seen, { length: text.length, hash: hashOf(text) });
  } else if (seen && !seen.hasUsage && message.usage) {
    lines.push(message.line(`${message.uid}+usage`, [], { usage: true }));
  }
  for (const call of calls) lines.push(...callLines(message, call));
  return lines.length > 0 ? keep(...lines) : repeated;
}

function thoughts({ thoughts: written }: ChatRecord, parts: readonly Part[]): Entry[] {
  const texts = each(asThought, written).map(({ subject, description }) =>
    [subject, description].filter(Boolean).join(": "),
  );
  const found = texts.length > 0 ? texts : parts.flatMap((part) => (part.thought && part.text) || []);
  return textEntry("thinking", found.filter((text) => text !== "").join("\n"));
}

/** A message's calls; in a repeated history they may only be in its content, without results. */
function callsOf(record: ChatRecord, parts: readonly Part[]): Call[] {
  const calls = each(asCall, record.toolCalls);
  const others = parts.flatMap(({ functionCall }) => functionCall ?? []);
  return [...calls, ...others.map(({ id, name, args }) => ({ ...noCall, id, name, args }))];
}

function callLines(message: Message, call: Call): TranscriptLine[] {
  const { replay } = message;
  const [id, tool] = [known(call.id), known(call.name)];
  if (id === null || tool === null) return [];
  const lines: TranscriptLine[] = [];
  const args = boundedInput(call.args);
  let state = replay.calls.get(id);
  if (!state) {
    state = { own: isOwnCall(call, args), isShell: typeof args.command === "string", ended: false };
    replay.calls.set(id, state);
    const use = toolUse(id, tool, { input: args, files: filesOf(call, args, replay.cwd) });
    lines.push(message.line(message.uidOfCall(id, "call"), [use], { usage: true }));
  }
  if (!state.ended && hasEnded(call)) {
    state.ended = true;
    const at = timeOf(call.timestamp);
    const result = resultOf(call, args, { own: state.own, cwd: replay.cwd });
    lines.push(message.line(message.uidOfCall(id, "result"), [result], at === null ? {} : { at }));
  }
  return lines;
}
