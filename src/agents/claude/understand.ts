import { createHash } from "node:crypto";
import type { TranscriptEntry, TranscriptLine, Usage } from "../agent.ts";
import { boundInput, pictureMark } from "../reading/bounds.ts";
import { asBlocks, type ContentBlock } from "../reading/content-blocks.ts";
import { emptyToNull, parseTime, toTypeName } from "../reading/json.ts";
import { keep, skip, type UnderstoodLine } from "../reading/json-lines.ts";
import { makeToolUse } from "../reading/tool-calls.ts";
import {
  makeTextEntries,
  makeTitleLines,
  makeTranscriptLine,
  parseBranch,
} from "../reading/transcript-lines.ts";
import { type Earlier, isGiven, remember } from "./earlier.ts";
import type { ClaudeLine } from "./line-schema.ts";
import { classifyUserText, makeNotice, withoutReminders } from "./message-text.ts";
import { isProgram } from "./profile.ts";
import { listTouchedFiles, parseToolResult } from "./tools.ts";

export interface ClaudeContext {
  earlier: Earlier;
  /** The transcript's subagent; null for a session's own. */
  agentId: string | null;
  /** For a summary: whether its line is earlier in this file. */
  speaksOfThis: boolean;
}

/** Parses one line. Lines without content stay in the tree, because the next line's `parentUid` refers to them. */
export function parseLine(line: ClaudeLine, around: ClaudeContext): UnderstoodLine {
  // Older clients wrote subagents' lines into the session's transcript.
  const isOfOther = around.agentId === null || line.agentId !== around.agentId;
  if (line.isSidechain && isOfOther) return skip("sidechain");
  const given = remember(around.earlier, line);
  if (given !== null) return keep(makeQueuedLine(line, given));
  switch (line.type) {
    case "user":
      if (line.isMeta) return passOver(line, "meta");
      return keep(convertLine(line, parseUserEntries(line, around.earlier)));
    case "assistant":
      return keep({ ...convertLine(line, parseAssistantEntries(line)), usage: parseUsage(line) });
    case "system":
      return parseSystemLine(line);
    case "summary":
      // Clients also wrote other sessions' titles to the beginning of a new file.
      return around.speaksOfThis ? parseTitle(line.summary) : passOver(line);
    case "ai-title":
      return parseTitle(line.aiTitle);
    case "custom-title":
      return parseTitle(line.customTitle);
    default:
      return passOver(line);
  }
}

/** Counts a line as skipped; it stays a link of the tree. */
function passOver(line: ClaudeLine, reason = `type:${describeLineType(line)}`): UnderstoodLine {
  const uid = emptyToNull(line.uuid);
  const lines = uid === null ? [] : [makeTranscriptLine({ uid, parentUid: findParentUid(line) })];
  return { lines, skipped: reason };
}

function describeLineType(line: ClaudeLine): string {
  const second =
    line.type === "attachment" ? line.attachment?.type : line.type === "system" ? line.subtype : null;
  return toTypeName(`${line.type ?? "?"}${second ? `/${second}` : ""}`);
}

const convertLine = (line: ClaudeLine, entries: TranscriptEntry[]): TranscriptLine =>
  makeTranscriptLine({
    uid: emptyToNull(line.uuid),
    parentUid: findParentUid(line),
    at: parseTime(line.timestamp),
    cwd: emptyToNull(line.cwd),
    branch: parseBranch(line.gitBranch),
    entries,
  });

/** After a compaction a new tree names the line it continues. */
function findParentUid(line: ClaudeLine): string | null {
  return emptyToNull(line.parentUuid) ?? emptyToNull(line.logicalParentUuid);
}

/** Queued prompts have no uuid; equal text at the same time is the same prompt. */
function makeQueuedLine(line: ClaudeLine, text: string): TranscriptLine {
  const by = classifyUserText(text);
  const hash = createHash("sha256").update(`${line.timestamp}\n${text}`).digest("hex").slice(0, 32);
  return {
    ...convertLine(line, by ? [markProgramPrompt(line, by)] : []),
    uid: emptyToNull(line.uuid) ?? `queued-${hash}`,
  };
}

function parseTitle(name: string | null | undefined): UnderstoodLine {
  const lines = makeTitleLines(name);
  return lines.length === 0 ? skip("type:title") : keep(...lines);
}

function parseSystemLine(line: ClaudeLine): UnderstoodLine {
  if (line.subtype === "compact_boundary") {
    const { trigger = null, preTokens = null } = line.compactMetadata ?? {};
    return keep(convertLine(line, [{ kind: "compaction", trigger, preTokens }]));
  }
  if (line.subtype === "local_command" && typeof line.content === "string") {
    const by = classifyUserText(line.content);
    return keep(convertLine(line, by ? [makeNotice(by.text)] : []));
  }
  return passOver(line);
}

function parseUserEntries(line: ClaudeLine, earlier: Earlier): TranscriptEntry[] {
  const blocks = asBlocks(line.message?.content);
  const texts = blocks.filter((block) => block.type === "text").map((block) => block.text ?? "");
  if (line.isCompactSummary) return makeTextEntries("summary", withoutReminders(texts.join("\n")));
  const results = blocks.filter((block) => block.type === "tool_result" && block.tool_use_id);
  const beside = results.length === 1 ? line.toolUseResult : null;
  const entries: TranscriptEntry[] = results.map((block) => ({
    ...parseToolResult(block, beside, earlier.ownUses.has(block.tool_use_id!)),
    ...(line.toolEndsTurn && { endsTurn: true as const }),
  }));
  if (isOwnShell(line, earlier) || isGiven(earlier, line, texts)) return entries;
  const byHuman = results.length === 0 && line.promptSource !== "system";
  const images = byHuman ? blocks.filter((block) => block.type === "image").length : 0;
  return [
    ...entries,
    ...classifyTexts(texts, byHuman, images).map((entry) => markProgramPrompt(line, entry)),
  ];
}

/** Who gives a program its prompts is not known. */
const markProgramPrompt = ({ entrypoint }: ClaudeLine, entry: TranscriptEntry): TranscriptEntry =>
  entry.kind === "prompt" && isProgram(entrypoint ?? "") ? { ...entry, by: "tool" } : entry;

/** "! pm search x" is Pommel's own, with its output in the same line or the next. */
function isOwnShell(line: ClaudeLine, earlier: Earlier): boolean {
  const [parent, uuid] = [line.parentUuid ?? "", line.uuid ?? ""];
  if (earlier.ownShells.has(uuid)) return true;
  const [first] = asBlocks(line.message?.content);
  return earlier.ownShells.has(parent) && /^\s*<bash-std(?:out|err)>/.test(first?.text ?? "");
}

/** The entries of one line's texts; a human's texts form one prompt. */
function classifyTexts(texts: string[], byHuman: boolean, images: number): TranscriptEntry[] {
  const parts = texts.map(classifyUserText).filter((part) => part !== null);
  const notices = parts
    .filter((part) => part.kind === "notice" || !byHuman)
    .map((part) => makeNotice(part.text));
  const prompts = parts.filter((part) => part.kind === "prompt" && byHuman);
  if (prompts.length === 0 && images === 0) return notices;
  return [...notices, { kind: "prompt", text: prompts.map((part) => part.text).join("\n"), images }];
}

const synthetic = "<synthetic>";

function parseAssistantEntries(line: ClaudeLine): TranscriptEntry[] {
  const isSynthetic = line.message?.model === synthetic;
  return asBlocks(line.message?.content).flatMap((block) => parseAssistantBlock(block, line, isSynthetic));
}

function parseAssistantBlock(block: ContentBlock, line: ClaudeLine, isSynthetic: boolean): TranscriptEntry[] {
  switch (block.type) {
    case "text": {
      const said = makeTextEntries("text", block.text);
      return isSynthetic ? said.map(({ text }) => makeNotice(text)) : said;
    }
    case "thinking":
      return makeTextEntries("thinking", block.thinking);
    case "image":
      return [{ kind: "text", text: pictureMark }];
    case "tool_use":
    case "server_tool_use":
    case "mcp_tool_use": {
      if (!block.id || !block.name) return [];
      const input = boundInput(block.input);
      return [
        makeToolUse(block.id, block.name, {
          input,
          files: listTouchedFiles(block.name, input, emptyToNull(line.cwd)),
        }),
      ];
    }
    default:
      return [];
  }
}

function parseUsage({ message }: ClaudeLine): Usage | null {
  if (!message?.id || !message.usage || !message.model || message.model === synthetic) return null;
  const {
    input_tokens,
    output_tokens,
    cache_read_input_tokens,
    cache_creation_input_tokens,
    cache_creation,
  } = message.usage;
  return {
    messageId: message.id,
    model: message.model,
    input: input_tokens ?? 0,
    output: output_tokens ?? 0,
    cacheRead: cache_read_input_tokens ?? 0,
    cacheWrite: cache_creation_input_tokens ?? 0,
    cacheWriteHour: cache_creation?.ephemeral_1h_input_tokens ?? 0,
  };
}

/*
 * A fifth of a transcript's bytes are lines that report a tool's progress, each with everything it printed so far, and
 * snapshots of files. They are recognised without parsing them: in JSON, a quote within a string is escaped, so what
 * stands before the first nested value can be read as it is.
 */

const snapshots = ["file-history-snapshot", "file-history-delta"].map(
  (type) => [type, Buffer.from(`{"type":"${type}",`)] as const,
);
const scalar = String.raw`(?:"(?:[^"\\]|\\.)*"|null|true|false|-?[\d.]+)`;
const progressStart = new RegExp(
  String.raw`^\{(?:"parentUuid":(?:null|"([\w-]{1,64})"),)(?:"isSidechain":false,)(?:"\w+":${scalar},)*"type":"progress",`,
);
const progressEnd = new RegExp(String.raw`"uuid":"([\w-]{1,64})"(?:,"\w+":${scalar})*\}\s*$`);
/** How lines begin that matter, and nothing within others. */
const nextLines = ["parentUuid", "queue-operation", "summary", "ai-title", "custom-title"].map((name) =>
  Buffer.from(name === "parentUuid" ? `{"${name}"` : `{"type":"${name}"`),
);

/** With two clients writing at once, one line may begin within another. */
const hasNestedLine = (line: Buffer) => nextLines.some((start) => line.indexOf(start, 1) !== -1);

/** Recognises noise by the line's beginning and end; null if it must be parsed. */
export function matchNoise(line: Buffer): UnderstoodLine | null {
  for (const [type, start] of snapshots) {
    if (line.subarray(0, start.length).equals(start))
      return hasNestedLine(line) ? null : skip(`type:${type}`);
  }
  // Nearly all other lines have their type near the beginning.
  const head = line.toString("latin1", 0, 2048);
  const at = head.indexOf('"type":"');
  if (at === -1 || !head.startsWith("progress", at + 8)) return null;
  const start = progressStart.exec(head);
  const end = start && progressEnd.exec(line.toString("latin1", Math.max(0, line.length - 512)));
  if (!end || hasNestedLine(line)) return null;
  return {
    lines: [makeTranscriptLine({ uid: end[1]!, parentUid: start[1] ?? null })],
    skipped: "type:progress",
  };
}
