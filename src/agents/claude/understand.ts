import { createHash } from "node:crypto";
import type { Entry, TranscriptLine, Usage } from "../agent.ts";
import { bounded, boundedInput, pictureMark } from "../reading/bounded.ts";
import { known, timeOf } from "../reading/fields.ts";
import { actionByInput } from "../reading/tool-action.ts";
import { type Earlier, remember } from "./earlier.ts";
import { asBlocks, type Block, type Line } from "./line-schema.ts";
import { notice, said } from "./message-text.ts";
import { withoutReminders } from "./reminders.ts";
import { filesOf, toolResult } from "./tools.ts";

/** What a line came to: something to keep, a reason to count it as skipped, or both. */
export interface Understood {
  line: TranscriptLine | null;
  skipped: string | null;
}

export interface Surroundings {
  earlier: Earlier;
  /** Whose subagent's transcript it is; null for a session's own. */
  agentId: string | null;
  /** Of a summary: whether the line that it speaks of stands before it in the file. */
  speaksOfThis: boolean;
}

/**
 * Understands one line. Lines that say nothing keep their place in the tree, without entries: the next line's
 * `parentUid` leads through them.
 */
export function understand(line: Line, around: Surroundings): Understood {
  // Older clients wrote their subagents' lines into the session's own transcript.
  const isOfOther = around.agentId === null || line.agentId !== around.agentId;
  if (line.isSidechain && isOfOther) return skip("sidechain");
  const given = remember(around.earlier, line);
  if (given !== null) return keep(queued(line, given));
  switch (line.type) {
    case "user":
      if (line.isMeta) return passOver(line, "meta");
      return keep(whole(line, userEntries(line, around.earlier)));
    case "assistant":
      return keep({ ...whole(line, assistantEntries(line)), usage: usageOf(line) });
    case "system":
      return system(line);
    case "summary":
      // A client also wrote other sessions' names to the beginning of a new file.
      return around.speaksOfThis ? title(line.summary) : passOver(line);
    case "ai-title":
      return title(line.aiTitle);
    case "custom-title":
      return title(line.customTitle);
    default:
      return passOver(line);
  }
}

const keep = (line: TranscriptLine): Understood => ({ line, skipped: null });
const skip = (reason: string): Understood => ({ line: null, skipped: reason });

/** Counts a line as skipped; it stays as a link of the tree, where it is one. */
function passOver(line: Line, reason = `type:${typeOf(line)}`): Understood {
  const uid = known(line.uuid);
  return { line: uid === null ? null : link(uid, parentOf(line)), skipped: reason };
}

/** A line of the tree that says nothing. */
export function link(uid: string, parentUid: string | null): TranscriptLine {
  return { uid, parentUid, at: null, cwd: null, branch: null, entries: [], usage: null };
}

function typeOf(line: Line): string {
  const second =
    line.type === "attachment" ? line.attachment?.type : line.type === "system" ? line.subtype : null;
  const name = `${line.type ?? "?"}${second ? `/${second}` : ""}`;
  // It becomes a key of what is counted, so it is no place for whatever stands in the file.
  return /^[\w./?-]{1,60}$/.test(name) ? name : "?";
}

function whole(line: Line, entries: Entry[]): TranscriptLine {
  // Outside of git, and where no branch is checked out, it is "HEAD".
  const branch = known(line.gitBranch);
  return {
    uid: known(line.uuid),
    parentUid: parentOf(line),
    at: timeOf(line.timestamp),
    cwd: known(line.cwd),
    branch: branch === "HEAD" ? null : branch,
    entries,
    usage: null,
  };
}

/** After a compaction the tree begins anew, and says what it goes on from. */
function parentOf(line: Line): string | null {
  return known(line.parentUuid) ?? known(line.logicalParentUuid);
}

/** What was typed while the agent worked has no uuid; the same words at the same time are the same prompt. */
function queued(line: Line, text: string): TranscriptLine {
  const by = said(text);
  const hash = createHash("sha256").update(`${line.timestamp}\n${text}`).digest("hex").slice(0, 32);
  return { ...whole(line, by ? [by] : []), uid: known(line.uuid) ?? `queued-${hash}` };
}

function title(name: string | null | undefined): Understood {
  const text = bounded((name ?? "").trim(), 500);
  return text === ""
    ? skip("type:title")
    : keep({ ...link("", null), uid: null, entries: [{ kind: "title", text }] });
}

function system(line: Line): Understood {
  if (line.subtype === "compact_boundary") {
    const { trigger = null, preTokens = null } = line.compactMetadata ?? {};
    return keep(whole(line, [{ kind: "compaction", trigger, preTokens }]));
  }
  if (line.subtype === "local_command" && typeof line.content === "string") {
    const by = said(line.content);
    return keep(whole(line, by ? [notice(by.text)] : []));
  }
  return passOver(line);
}

function userEntries(line: Line, earlier: Earlier): Entry[] {
  const blocks = asBlocks(line.message?.content);
  const texts = blocks.filter((block) => block.type === "text").map((block) => block.text ?? "");
  if (line.isCompactSummary) {
    const text = bounded(withoutReminders(texts.join("\n")));
    return text === "" ? [] : [{ kind: "summary", text }];
  }
  const results = blocks.filter((block) => block.type === "tool_result" && block.tool_use_id);
  const entries: Entry[] = results.map((block) =>
    toolResult(
      block,
      results.length === 1 ? line.toolUseResult : null,
      earlier.ownUses.has(block.tool_use_id!),
    ),
  );
  if (isOwnShell(line, earlier)) return entries;
  const byHuman = results.length === 0 && line.promptSource !== "system";
  const images = byHuman ? blocks.filter((block) => block.type === "image").length : 0;
  return [...entries, ...textIn(texts, byHuman, images)];
}

/** "! pm search x" is Pommel's own, and so is what it printed, in the same line or the next one. */
function isOwnShell(line: Line, earlier: Earlier): boolean {
  const [parent, uuid] = [line.parentUuid ?? "", line.uuid ?? ""];
  if (earlier.ownShells.has(uuid)) return true;
  const [first] = asBlocks(line.message?.content);
  return earlier.ownShells.has(parent) && /^\s*<bash-std(?:out|err)>/.test(first?.text ?? "");
}

/** What was said in the texts of one line; a human's texts in it are one prompt. */
function textIn(texts: string[], byHuman: boolean, images: number): Entry[] {
  const parts = texts.map(said).filter((part) => part !== null);
  const notices = parts.filter((part) => part.kind === "notice" || !byHuman).map((part) => notice(part.text));
  const prompts = parts.filter((part) => part.kind === "prompt" && byHuman);
  if (prompts.length === 0 && images === 0) return notices;
  return [...notices, { kind: "prompt", text: prompts.map((part) => part.text).join("\n"), images }];
}

const synthetic = "<synthetic>";

function assistantEntries(line: Line): Entry[] {
  const isSynthetic = line.message?.model === synthetic;
  return asBlocks(line.message?.content).flatMap((block) => assistantEntry(block, line, isSynthetic));
}

function assistantEntry(block: Block, line: Line, isSynthetic: boolean): Entry[] {
  const text = bounded((block.type === "thinking" ? block.thinking : block.text) ?? "").trim();
  switch (block.type) {
    case "text":
      if (text === "") return [];
      return [isSynthetic ? notice(text) : { kind: "text", text }];
    case "thinking":
      return text === "" ? [] : [{ kind: "thinking", text }];
    case "image":
      return [{ kind: "text", text: pictureMark }];
    case "tool_use":
    case "server_tool_use":
    case "mcp_tool_use": {
      if (!block.id || !block.name) return [];
      const input = boundedInput(block.input);
      const files = filesOf(block.name, input, known(line.cwd));
      const action = actionByInput({ input, files });
      return [{ kind: "tool_use", id: block.id, tool: block.name, input, files, action }];
    }
    default:
      return [];
  }
}

function usageOf({ message }: Line): Usage | null {
  if (!message?.id || !message.usage || !message.model || message.model === synthetic) return null;
  const { input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens } = message.usage;
  return {
    messageId: message.id,
    model: message.model,
    input: input_tokens ?? 0,
    output: output_tokens ?? 0,
    cacheRead: cache_read_input_tokens ?? 0,
    cacheWrite: cache_creation_input_tokens ?? 0,
  };
}
