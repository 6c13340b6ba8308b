import type { Entry, TranscriptLine } from "../agent.ts";
import { bounded, boundedInput } from "../reading/bounded.ts";
import { known, timeOf } from "../reading/fields.ts";
import { actionByInput } from "../reading/tool-action.ts";
import { isMetadata } from "./head.ts";
import { hashOf, line, Message, type Replay } from "./message.ts";
import { clientText, textOf, userText } from "./message-text.ts";
import {
  asCalls,
  asParts,
  asRecord,
  asThought,
  type Call,
  type ChatRecord,
  type Part,
} from "./record-schema.ts";
import { filesOf, hasEnded, isOwnCall, responseText, toolResult } from "./tools.ts";

/** What a record came to: lines to keep, a reason to count it as skipped, or both. */
export interface Taken {
  lines: TranscriptLine[];
  skipped: string | null;
}

/** Takes the next record of a chat. @param cwd where the client was launched */
export function take(replay: Replay, record: ChatRecord, cwd: string | null): Taken {
  if (record.$rewindTo) {
    // What comes next follows what was before that message.
    const to = replay.messages.get(record.$rewindTo);
    if (to) replay.leaf = to.before;
    return { lines: [], skipped: "type:$rewindTo" };
  }
  if (record.$set) return takeChange(replay, record.$set, cwd);
  if (isMetadata(record)) return takeMetadata(replay, record);
  return takeMessage(new Message(replay, record, cwd, false));
}

/** The first metadata is what the first prompt follows, so that going back to before it can be told. */
function takeMetadata(replay: Replay, record: ChatRecord): Taken {
  const title = titleIn(record);
  if (replay.session !== null) return { lines: title, skipped: "type:metadata" };
  replay.session = record.sessionId!;
  replay.leaf = `${replay.session}:start`;
  return { lines: [line(replay.leaf, null, []), ...title], skipped: "type:metadata" };
}

function takeChange(replay: Replay, change: NonNullable<ChatRecord["$set"]>, cwd: string | null): Taken {
  const again = Array.isArray(change.messages) ? change.messages.map(asRecord) : [];
  const lines = again.flatMap((record) =>
    record ? takeMessage(new Message(replay, record, cwd, true)).lines : [],
  );
  lines.push(...titleIn(change));
  return { lines, skipped: lines.length === 0 ? "type:$set" : null };
}

function titleIn({
  summary,
  kind,
}: {
  summary?: string | null | undefined;
  kind?: string | null | undefined;
}) {
  const text = bounded((summary ?? "").trim(), 500);
  // Subagents have their answer there.
  if (text === "" || kind === "subagent" || text.startsWith("{")) return [];
  return [line(null, null, [{ kind: "title", text }])];
}

function takeMessage(message: Message): Taken {
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
      return { lines: [], skipped: `type:${nameOf(message.record)}` };
  }
}

const repeated: Taken = { lines: [], skipped: "repeated" };

function nameOf({ type }: ChatRecord): string {
  // It becomes a key of what is counted, so it is no place for whatever stands in the file.
  return type && /^[\w./-]{1,60}$/.test(type) ? type : "?";
}

function byClient(message: Message): Taken {
  const entries = clientText(message.record);
  const text = textIn(entries);
  if (!message.isNew || message.isRepeated(text)) return repeated;
  message.remember(text);
  if (entries.length === 0) return { lines: [], skipped: `type:${nameOf(message.record)}` };
  return { lines: [message.line(message.uid, entries)], skipped: null };
}

function byUser(message: Message): Taken {
  const entries = userText(message.record);
  const lines = answers(message);
  if (message.isNew && !message.isRepeated(textIn(entries))) {
    message.remember(textIn(entries));
    if (entries.length > 0) lines.push(message.line(message.uid, entries));
  }
  if (lines.length > 0) return { lines, skipped: null };
  return entries.length === 0 ? { lines, skipped: "context" } : repeated;
}

const textIn = (entries: readonly Entry[]) =>
  entries.map((entry) => ("text" in entry ? entry.text : "")).join("\n");

/** Results that the agent was sent; mostly they stand in its own message already. */
function answers(message: Message): TranscriptLine[] {
  const { replay, cwd, record } = message;
  return asParts(record.content).flatMap(({ functionResponse }) => {
    const id = known(functionResponse?.id);
    const call = id === null ? undefined : replay.calls.get(id);
    if (id === null || call?.ended) return [];
    const { isError } = responseText([{ functionResponse }]);
    const made = { ...noCall, id, result: [{ functionResponse }], status: isError ? "error" : "success" };
    const { own = false, isShell = false } = call ?? {};
    replay.calls.set(id, { own, isShell, ended: true });
    const result = toolResult(made, isShell ? { command: "" } : {}, { own, cwd });
    return [message.line(message.uidOfCall(id, "result"), [result])];
  });
}

const noCall: Call = {
  id: null,
  name: null,
  displayName: null,
  args: null,
  result: null,
  status: null,
  timestamp: null,
  resultDisplay: null,
  agentId: null,
};

/** The client's own answer to a summary that it put in place of the history. */
const acknowledged = "Got it. Thanks for the additional context!";

function byAgent(message: Message): Taken {
  const { record, seen } = message;
  const parts = asParts(record.content);
  const text = textOf(parts);
  const calls = callsOf(record, parts);
  const lines: TranscriptLine[] = [];
  if (message.isNew) {
    const isKnown = message.isRepeated(text) || (message.isAgain && text === "") || text === acknowledged;
    if (!isKnown) {
      message.remember(text);
      lines.push(message.line(message.uid, [...thoughts(record, parts), ...entryOf(text)], { usage: true }));
    }
  } else if (seen && text.length > seen.length && hashOf(text.slice(0, seen.length)) === seen.hash) {
    const rest = text.slice(seen.length);
    if (rest.trim() !== "")
      lines.push(message.line(`${message.uid}+${seen.length}`, entryOf(rest), { usage: true }));
    Object.assign(seen, { length: text.length, hash: hashOf(text) });
  } else if (seen && !seen.hasUsage && message.usage) {
    lines.push(message.line(`${message.uid}+usage`, [], { usage: true }));
  }
  for (const call of calls) lines.push(...callLines(message, call));
  return lines.length > 0 ? { lines, skipped: null } : repeated;
}

const entryOf = (text: string): Entry[] =>
  text.trim() === "" ? [] : [{ kind: "text", text: bounded(text).trim() }];

function thoughts({ thoughts: written }: ChatRecord, parts: readonly Part[]): Entry[] {
  const listed = (Array.isArray(written) ? written : []).flatMap((each) => asThought(each) ?? []);
  const texts = listed.map(({ subject, description }) => [subject, description].filter(Boolean).join(": "));
  const found = texts.length > 0 ? texts : parts.flatMap((part) => (part.thought && part.text) || []);
  const text = bounded(found.filter((each) => each !== "").join("\n")).trim();
  return text === "" ? [] : [{ kind: "thinking", text }];
}

/** A message's calls; where a history is repeated, they may stand in its content only, without what came of them. */
function callsOf(record: ChatRecord, parts: readonly Part[]): Call[] {
  const calls = asCalls(record.toolCalls);
  const others = parts.flatMap(({ functionCall }) => functionCall ?? []);
  return [...calls, ...others.map(({ id, name, args }) => ({ ...noCall, id, name, args }))];
}

function callLines(message: Message, call: Call): TranscriptLine[] {
  const { replay, cwd } = message;
  const [id, tool] = [known(call.id), known(call.name)];
  if (id === null || tool === null) return [];
  const lines: TranscriptLine[] = [];
  const args = boundedInput(call.args);
  let state = replay.calls.get(id);
  if (!state) {
    state = { own: isOwnCall(call, args), isShell: typeof args.command === "string", ended: false };
    replay.calls.set(id, state);
    const files = filesOf(call, args, cwd);
    const action = actionByInput({ input: args, files });
    const use: Entry = { kind: "tool_use", id, tool, input: args, files, action };
    lines.push(message.line(message.uidOfCall(id, "call"), [use], { usage: true }));
  }
  if (!state.ended && hasEnded(call)) {
    state.ended = true;
    const at = timeOf(call.timestamp);
    const result = toolResult(call, args, { own: state.own, cwd });
    lines.push(message.line(message.uidOfCall(id, "result"), [result], at === null ? {} : { at }));
  }
  return lines;
}
