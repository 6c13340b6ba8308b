import { createHash } from "node:crypto";
import * as z from "zod/mini";
import type { ReadBatch, TranscriptEntry, TranscriptLine, Usage } from "../agent.ts";
import { bounds } from "../reading/bounds.ts";
import { asBlocks, type ContentBlock } from "../reading/content-blocks.ts";
import {
  anything,
  count,
  emptyToNull,
  makeLenientParser,
  orNull,
  type Parsed,
  parseTime,
  text,
  time,
  toTypeName,
} from "../reading/json.ts";
import { withoutOwnContext } from "../reading/own-output.ts";
import {
  countReason,
  makePromptEntries,
  makeTextEntries,
  makeTitleLines,
  makeTranscriptLine,
  Occurrences,
} from "../reading/transcript-lines.ts";
import { stripPromptTags } from "./profile.ts";
import { callEntries, type PendingCall, parseToolResults } from "./tools.ts";

export const asMessage = makeLenientParser(
  z.object({
    id: text,
    role: text,
    content: anything,
    /** Milliseconds since the epoch. */
    ts: time,
    modelInfo: orNull(z.object({ id: text })),
    metrics: orNull(
      z.object({ inputTokens: count, outputTokens: count, cacheReadTokens: count, cacheWriteTokens: count }),
    ),
    metadata: orNull(
      z.object({
        /** "system": shown as the client's, not the human's. */
        displayRole: text,
        kind: text,
        summary: text,
        tokensBefore: count,
        generatedAt: time,
      }),
    ),
  }),
);
type ClineMessage = Parsed<typeof asMessage>;

/** `<session>.json` */
export const asManifest = makeLenientParser(
  z.object({
    session_id: z.string(),
    cwd: z.string(),
    started_at: text,
    metadata: orNull(z.object({ title: text, git: orNull(z.object({ branch: text })) })),
  }),
);
type ClineManifest = Parsed<typeof asManifest>;

/** `<session>.compaction.json`: what the model is given instead of the first messages. */
export const asCompaction = makeLenientParser(
  z.object({ source_message_count: z.int(), updated_at: text, messages: anything }),
);
type Compaction = Parsed<typeof asCompaction>;

/** What lies beside a session's messages; null where it is missing. */
interface Beside {
  manifest: ClineManifest | null;
  compaction: Compaction | null;
  /** Whether it is a subagent's, whose first message is its task. */
  isSubagent: boolean;
}

/** The lines of a session: one for each message. */
export function parseMessages(
  messages: readonly unknown[],
  { manifest, compaction, isSubagent }: Beside,
): Pick<ReadBatch, "lines" | "skipped"> {
  const skipped: Record<string, number> = {};
  const skip = (reason: string) => countReason(skipped, reason);
  const cwd = manifest?.cwd ?? null;
  const branch = emptyToNull(manifest?.metadata?.git?.branch);
  const calls = new Map<string, PendingCall>();
  const seen = new Occurrences();
  const lines: TranscriptLine[] = [];
  let before: string | null = null;
  const add = (line: Partial<TranscriptLine>) =>
    lines.push(makeTranscriptLine({ parentUid: before, cwd, branch, ...line }));
  messages.forEach((value, at) => {
    const message = asMessage(value);
    if (message === null || emptyToNull(message.role) === null) skip("malformed");
    else {
      const blocks = asBlocks(message.content);
      const said = message.role === "user" ? parseUserEntries(message, blocks) : [];
      const entries = blocks.flatMap((block) => parseBlock(block, message, { calls, cwd, skip }));
      const uid = makeMessageUid(message, seen);
      add({ uid, at: message.ts ?? null, entries: [...said, ...entries], usage: parseUsage(message, uid) });
      before = uid;
    }
    if (at + 1 === compaction?.source_message_count) add(makeCompactionLine(compaction));
  });
  const title = isSubagent ? null : findTitle(manifest, lines);
  lines.unshift(...makeTitleLines(title).map((line) => ({ ...line, cwd, branch })));
  return { lines, skipped };
}

/** The same in a fork or a resumed session, which copies messages with their ids. */
function makeMessageUid({ id, role, ts, content }: ClineMessage, seen: Occurrences): string {
  const hash = createHash("sha256").update(JSON.stringify([role, ts, content]) ?? "");
  return seen.makeUniqueId(emptyToNull(id) ?? hash.digest("hex").slice(0, 32));
}

interface ClineContext {
  calls: Map<string, PendingCall>;
  cwd: string | null;
  skip: (reason: string) => void;
}

/** Known blocks that say nothing, or that `parseUserEntries` reads. */
const silent = new Set(["file", "image", "media", "redacted_thinking"]);

/** What a block says, without the human's text. */
function parseBlock(
  block: ContentBlock,
  { role }: ClineMessage,
  { calls, cwd, skip }: ClineContext,
): TranscriptEntry[] {
  switch (block.type) {
    case "thinking":
      return makeTextEntries("thinking", block.thinking);
    case "tool_use": {
      const entries = callEntries(block, cwd);
      if (entries.length === 0) skip("malformed");
      for (const { id, tool, input } of entries) calls.set(id, { tool, input });
      return entries;
    }
    case "tool_result":
      return parseToolResults(block, calls.get(block.tool_use_id ?? ""), cwd);
    case "text":
      return role === "user" ? [] : makeTextEntries("text", withoutOwnContext(block.text ?? ""));
    default:
      if (!silent.has(block.type ?? "")) skip(`type:${toTypeName(block.type)}`);
      return [];
  }
}

/** The human's text, or what the client wrote in their place. */
function parseUserEntries({ metadata }: ClineMessage, blocks: readonly ContentBlock[]): TranscriptEntry[] {
  const images = blocks.filter(({ type }) => type === "image").length;
  const written = blocks.flatMap(({ type, text }) => (type === "text" ? (text ?? "") : [])).join("\n");
  if (metadata?.displayRole === "system" || hookContext.test(written))
    return makeTextEntries("notice", withoutOwnContext(written.replace(hookTags, "")), bounds.result);
  return makePromptEntries(withoutOwnContext(stripPromptTags(written)), images);
}

const hookContext = /^\s*<hook_context\b/;
const hookTags = /<\/?hook_context\b[^>]*>/g;

/** The client's input includes what was cached. */
function parseUsage({ metrics, modelInfo }: ClineMessage, messageId: string): Usage | null {
  const model = emptyToNull(modelInfo?.id);
  if (!metrics || model === null) return null;
  const [cacheRead, cacheWrite] = [metrics.cacheReadTokens ?? 0, metrics.cacheWriteTokens ?? 0];
  const input = Math.max(0, (metrics.inputTokens ?? 0) - cacheRead - cacheWrite);
  return { messageId, model, input, output: metrics.outputTokens ?? 0, cacheRead, cacheWrite };
}

/** Of several compactions the client keeps only the last one. */
function makeCompactionLine({ messages, updated_at }: Compaction): Partial<TranscriptLine> {
  const all = Array.isArray(messages) ? messages.slice(0, 10) : [];
  const summary = all.map(asMessage).find((message) => message?.metadata?.kind === "compaction_summary");
  const { summary: written, tokensBefore, generatedAt } = summary?.metadata ?? {};
  const at = generatedAt ?? parseTime(updated_at);
  return {
    uid: `compaction ${at}`,
    at,
    entries: [
      { kind: "compaction", trigger: null, preTokens: tokensBefore ?? null },
      ...makeTextEntries("summary", withoutOwnContext(written ?? "")),
    ],
  };
}

/** A title that somebody gave; by default it is the beginning of a prompt. */
function findTitle(manifest: ClineManifest | null, lines: readonly TranscriptLine[]): string | null {
  const title = (manifest?.metadata?.title ?? "").replace(/ \(fork\)$/, "").trim();
  const prompts = lines.flatMap(({ entries }) => entries.filter((entry) => entry.kind === "prompt"));
  return prompts.length === 0 || prompts.some(({ text }) => text.includes(title)) ? null : title;
}
