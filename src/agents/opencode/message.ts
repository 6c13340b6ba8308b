import { createHash } from "node:crypto";
import type { TranscriptEntry, TranscriptLine, Usage } from "../agent.ts";
import { bounds } from "../reading/bounds.ts";
import { asObject, emptyToNull, toTypeName } from "../reading/json.ts";
import { isOwnCommand, withoutOwnContext } from "../reading/own-output.ts";
import { makePromptEntries, makeTextEntries, makeTranscriptLine } from "../reading/transcript-lines.ts";
import type { MessageData, PartData } from "./database.ts";
import { unquotePrompt } from "./profile.ts";
import { parseToolEntries } from "./tools.ts";

/** A message with its parts, parsed. */
export interface OpencodeMessage {
  data: MessageData;
  /** null for one that cannot be read. */
  parts: (PartData | null)[];
  /** The message that it answers. */
  asked: OpencodeMessage | null;
}

/** Lines of a message, linked to each other and to `before`; and counts of parts without content, by reason. */
export function makeMessageLines(
  message: OpencodeMessage,
  before: string | null,
  directory: string,
): { lines: TranscriptLine[]; skipped: string[] } {
  const { data } = message;
  const usage = parseUsage(data);
  const lines: TranscriptLine[] = [];
  const skipped: string[] = [];
  const cwd = emptyToNull(data.path?.cwd) ?? directory;
  const add = (key: unknown, at: number | null, entries: TranscriptEntry[]) => {
    const parentUid = lines.at(-1)?.uid ?? before;
    lines.push(makeTranscriptLine({ uid: makeUid(data, key), parentUid, at, cwd, entries, usage }));
  };
  const createdAt = data.time?.created ?? null;
  if (data.role === "user") {
    // Without content it still shows where the conversation went on.
    add(
      message.parts.map((part) => part?.text ?? part?.prompt),
      createdAt,
      parseUserEntries(message.parts),
    );
    return { lines, skipped };
  }
  message.parts.forEach((part, index) => {
    const read = part === null ? "malformed" : parseAgentEntries(part, message, cwd);
    if (typeof read === "string") skipped.push(read);
    else if (read.length > 0)
      add([index, part!.callID ?? part!.text], findStartTime(part!) ?? createdAt, read);
  });
  const failure = makeFailureNotice(data);
  if (failure.length > 0) add("error", createdAt, failure);
  return { lines, skipped };
}

const findStartTime = ({ time, state }: PartData) => state?.time?.start ?? time?.start ?? null;

/** The same in a fork, which copies messages and parts under other ids, but with their times and content. */
function makeUid(data: MessageData, key: unknown): string {
  const identity = [data.role, data.time?.created, data.path?.cwd, key];
  return createHash("sha256").update(JSON.stringify(identity)).digest("hex").slice(0, 32);
}

function parseUsage(data: MessageData): Usage | null {
  const model = emptyToNull(data.modelID);
  if (!data.tokens || model === null || data.role !== "assistant") return null;
  const { input, output, reasoning, cache } = data.tokens;
  return {
    messageId: makeUid(data, "usage"),
    model,
    input: input ?? 0,
    output: (output ?? 0) + (reasoning ?? 0),
    cacheRead: cache?.read ?? 0,
    cacheWrite: cache?.write ?? 0,
  };
}

const makeFailureNotice = ({ error }: MessageData) =>
  makeTextEntries("notice", [error?.name, error?.data?.message].filter(Boolean).join(": "), bounds.result);

function parseUserEntries(parts: OpencodeMessage["parts"]): TranscriptEntry[] {
  const entries: TranscriptEntry[] = [];
  const texts: string[] = [];
  let images = 0;
  for (const part of parts) {
    if (part?.type === "compaction")
      entries.push({ kind: "compaction", trigger: part.auto ? "auto" : "manual", preTokens: null });
    // A command that runs as a subagent.
    else if (part?.type === "subtask")
      texts.push([part.command && `/${part.command}`, part.prompt].filter(Boolean).join(" "));
    else if (part?.type === "file" && part.mime?.startsWith("image/")) images++;
    else if (part?.type === "text" && !part.synthetic && !part.ignored)
      texts.push(unquotePrompt(part.text ?? ""));
  }
  return [...entries, ...makePromptEntries(withoutOwnContext(texts.join("\n")), images)];
}

/** Parts that say nothing. */
const ignored = new Set("step-start step-finish snapshot patch file agent retry compaction".split(" "));

/** What a part of an assistant's message says, or why it says nothing. */
function parseAgentEntries(
  part: PartData,
  message: OpencodeMessage,
  cwd: string,
): TranscriptEntry[] | string {
  switch (part.type) {
    case "text":
      return makeTextEntries(
        message.data.summary === true ? "summary" : "text",
        withoutOwnContext(part.text ?? ""),
      );
    case "reasoning":
      return makeTextEntries("thinking", part.text);
    case "tool":
      return isShellMode(message) ? makeShellNotice(part) : parseToolEntries(part, cwd);
    default:
      return ignored.has(part.type ?? "") ? [] : `type:${toTypeName(part.type)}`;
  }
}

const shellMode = "The following tool was executed by the user";

/** Whether the human ran it, with "!". */
function isShellMode({ asked }: OpencodeMessage): boolean {
  return asked?.parts.some((part) => part?.synthetic === true && part.text === shellMode) ?? false;
}

function makeShellNotice({ state }: PartData): TranscriptEntry[] {
  const command = String(asObject(state?.input).command ?? "");
  const printed = isOwnCommand(command) ? "" : (state?.output ?? "");
  return makeTextEntries("notice", `! ${command}\n${printed}`, bounds.result);
}
