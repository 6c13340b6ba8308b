import { createHash } from "node:crypto";
import { statSync } from "node:fs";
import * as z from "zod/mini";
import type { FileEdit, FileTouch, TranscriptEntry, TranscriptFile, TranscriptInfo } from "../../agent.ts";
import { parsePatchEdits } from "../../codex/patch.ts";
import { boundInput, boundText } from "../../reading/bounds.ts";
import { asBlocks, type ContentBlock } from "../../reading/content-blocks.ts";
import { makeHunksEdit, makeReplacementHunk, makeWholeFileEdit } from "../../reading/edits.ts";
import {
  anything,
  asObject,
  emptyToNull,
  makeLenientParser,
  type Parsed,
  text,
  toTypeName,
} from "../../reading/json.ts";
import { createReader, readFirstRecords, skip } from "../../reading/json-lines.ts";
import { withoutOwnContext } from "../../reading/own-output.ts";
import {
  makeToolResult,
  makeToolUse,
  makeTouches,
  toAbsolutePath,
  toTouches,
} from "../../reading/tool-calls.ts";
import {
  makePromptEntries,
  makeTextEntries,
  makeTranscriptLine,
  Occurrences,
} from "../../reading/transcript-lines.ts";
import { findProjectDirectory, parseTranscriptPath } from "./places.ts";

/**
 * Transcripts in JSON Lines. Not from files of our own: as independent readers describe them (docs/sessions.md names them).
 * They have neither ids nor results of calls, and times of prompts only.
 */

const asWritten = makeLenientParser(
  z.object({ role: text, type: text, message: z.optional(z.object({ content: anything })) }),
);
type CursorWritten = Parsed<typeof asWritten>;

export const statFile = (path: string): TranscriptFile | null => {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats?.isFile() ? { path, size: stats.size, mtimeMs: stats.mtimeMs } : null;
};

/** How much of a transcript is read for its identity. Bytes. */
const maxIdentityBytes = 64 * 1024;

export async function describeTranscript(path: string): Promise<TranscriptInfo | null> {
  const place = parseTranscriptPath(path);
  const cwd = place && findProjectDirectory(place);
  if (!place || cwd === null) return null;
  for await (const value of readFirstRecords(path, { bytes: maxIdentityBytes })) {
    const first = asWritten(value);
    if (!first?.role) continue;
    const { written, at: startedAt } = parsePrompt(asBlocks(first.message?.content));
    const { chat, subagent } = place;
    if (subagent === null) return { session: chat, parent: null, cwd, startedAt };
    const parent = {
      session: chat,
      toolUse: null,
      agentType: null,
      task: emptyToNull(written.slice(0, 1000)),
    };
    return { session: `${chat}/${subagent}`, parent, cwd, startedAt };
  }
  return null;
}

interface CursorState {
  session: string;
  cwd: string | null;
  /** How often the same was said. */
  seen: Occurrences;
  /** The last line's. */
  uid: string | null;
  /** The last prompt's time; answers have none. */
  at: number | null;
}

export const readTranscript = createReader<CursorState>({
  begin(path) {
    const place = parseTranscriptPath(path);
    const session = `${place?.chat}/${place?.subagent}`;
    return {
      session,
      cwd: place && findProjectDirectory(place),
      seen: new Occurrences(),
      uid: null,
      at: null,
    };
  },
  understand(value, state) {
    const said = asWritten(value);
    const role = emptyToNull(said?.role);
    if (!said || role === null) return skip(describeSkipReason(said));
    const blocks = asBlocks(said.message?.content);
    const hash = createHash("sha256").update(JSON.stringify([state.session, role, said.message?.content]));
    const uid = state.seen.makeUniqueId(hash.digest("hex").slice(0, 32));
    const { uid: parentUid, cwd } = state;
    const prompt = role === "user" ? parsePrompt(blocks) : null;
    state.at = prompt?.at ?? state.at;
    state.uid = uid;
    const images = blocks.filter(({ type }) => type === "image").length;
    const entries = prompt ? makePromptEntries(prompt.written, images) : parseAgentEntries(blocks, uid, cwd);
    const unknown = blocks.find(({ type }) => !knownBlocks.has(type ?? ""));
    return {
      lines: [makeTranscriptLine({ uid, parentUid, at: state.at, cwd, entries })],
      skipped: unknown ? `type:${toTypeName(unknown.type)}` : null,
    };
  },
});

const knownBlocks = new Set(["text", "thinking", "tool_use", "tool_result", "turn_ended", "image"]);

/** Lines without a role mark the end of a turn. */
function describeSkipReason(said: CursorWritten | null): string {
  const type = emptyToNull(said?.type);
  return type === null ? "malformed" : `type:${toTypeName(type)}`;
}

/** What the human wrote, between the client's tags, and when: "Wednesday, Sep 16, 2026, 3:37 PM (UTC-4)". */
function parsePrompt(blocks: readonly ContentBlock[]): { written: string; at: number | null } {
  const all = blocks.flatMap(({ type, text }) => (type === "text" ? (text ?? "") : [])).join("\n");
  const [, time = ""] = /<timestamp>([^<]{1,80})<\/timestamp>/.exec(all) ?? [];
  const [, day, sign, hours, minutes = "00"] =
    /^(?:\w+, )?(.+?) \(UTC(?:([+-])(\d{1,2})(?::(\d\d))?)?\)$/.exec(time.trim()) ?? [];
  const zone = sign === undefined ? "GMT" : `GMT${sign}${hours!.padStart(2, "0")}${minutes}`;
  const at = day === undefined ? Number.NaN : Date.parse(`${day} ${zone}`);
  const start = all.indexOf("<user_query>");
  const end = all.lastIndexOf("</user_query>");
  const inside =
    start === -1
      ? all.replace(/<timestamp>[^<]*<\/timestamp>/, "")
      : all.slice(start + 12, end === -1 ? undefined : end);
  return { written: boundText(withoutOwnContext(inside)).trim(), at: Number.isNaN(at) ? null : at };
}

function parseAgentEntries(
  blocks: readonly ContentBlock[],
  uid: string,
  cwd: string | null,
): TranscriptEntry[] {
  return blocks.flatMap((block, index): TranscriptEntry[] => {
    const { type } = block;
    // Thoughts that are not shown leave a mark.
    if (type === "thinking" || type === "text")
      return makeTextEntries(
        type,
        withoutOwnContext(block[type] ?? "").replace(/(?:\s*\[REDACTED\])+\s*$/, ""),
      );
    const tool = type === "tool_use" ? emptyToNull(block.name) : null;
    return tool === null ? [] : callEntries(tool, block, `${uid}/${index}`, cwd);
  });
}

/** A call. What an edit wrote counts as written, as there are no results. */
function callEntries(
  tool: string,
  { input: given, id }: ContentBlock,
  ownId: string,
  cwd: string | null,
): TranscriptEntry[] {
  const input = boundInput(typeof given === "string" ? { input: given } : asObject(given));
  const edits = findEdits(tool, input, cwd);
  const how = hows[tool];
  const files =
    tool === "ApplyPatch" ? toTouches(edits) : how === undefined ? [] : makeTouches(input.path, how, cwd);
  const call = emptyToNull(id) ?? ownId;
  const use = makeToolUse(call, tool, { input, files });
  return edits.length === 0 ? [use] : [use, makeToolResult(call, { text: "", edits })];
}

const hows: Readonly<Partial<Record<string, FileTouch["how"]>>> = {
  Read: "read",
  Write: "write",
  StrReplace: "edit",
  Delete: "edit",
};

function findEdits(tool: string, input: Record<string, unknown>, cwd: string | null): FileEdit[] {
  const { path: written, contents, old_string: old, new_string: now, input: patch } = input;
  if (tool === "ApplyPatch") return parsePatchEdits(patch, cwd);
  if (typeof written !== "string" || written === "") return [];
  const path = toAbsolutePath(written, cwd);
  if (tool === "Write" && typeof contents === "string") return [makeWholeFileEdit(path, contents)];
  const isReplaced = tool === "StrReplace" && typeof old === "string" && typeof now === "string";
  return isReplaced ? [makeHunksEdit(path, [makeReplacementHunk(old, now)])] : [];
}
