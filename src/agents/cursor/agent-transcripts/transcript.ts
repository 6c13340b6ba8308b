import { createHash } from "node:crypto";
import { statSync } from "node:fs";
import * as z from "zod/mini";
import type { Entry, FileEdit, FileTouch, TranscriptFile, TranscriptInfo } from "../../agent.ts";
import { patchedFiles } from "../../codex/patch.ts";
import { bounded, boundedInput } from "../../reading/bounds.ts";
import { asBlocks, type Block } from "../../reading/content-blocks.ts";
import { changedFile, replacement, wholeFile } from "../../reading/edits.ts";
import { anything, asObject, known, lenient, type Parsed, text, typeName } from "../../reading/json.ts";
import { createReader, firstRecords, skip } from "../../reading/json-lines.ts";
import { withoutOwnContext } from "../../reading/own-output.ts";
import { absolute, toolResult, toolUse, touched, touchedBy } from "../../reading/tool-calls.ts";
import { lineOf, Occurrences, promptEntry, textEntry } from "../../reading/transcript-lines.ts";
import { directoryAt, transcriptPlace } from "./places.ts";

/**
 * Transcripts in JSON Lines. Not from files of our own: as independent readers describe them (docs/sessions.md names them).
 * They have neither ids nor results of calls, and times of prompts only.
 */

const asWritten = lenient(
  z.object({ role: text, type: text, message: z.optional(z.object({ content: anything })) }),
);
type Written = Parsed<typeof asWritten>;

export const statFile = (path: string): TranscriptFile | null => {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats?.isFile() ? { path, size: stats.size, mtimeMs: stats.mtimeMs } : null;
};

/** How much of a transcript is read for its identity. Bytes. */
const beginning = 64 * 1024;

export async function describeTranscript(path: string): Promise<TranscriptInfo | null> {
  const place = transcriptPlace(path);
  const cwd = place && directoryAt(place);
  if (!place || cwd === null) return null;
  for await (const value of firstRecords(path, { bytes: beginning })) {
    const first = asWritten(value);
    if (!first?.role) continue;
    const { written, at: startedAt } = promptIn(asBlocks(first.message?.content));
    const { chat, subagent } = place;
    if (subagent === null) return { session: chat, parent: null, cwd, startedAt };
    const parent = { session: chat, toolUse: null, agentType: null, task: known(written.slice(0, 1000)) };
    return { session: `${chat}/${subagent}`, parent, cwd, startedAt };
  }
  return null;
}

interface State {
  session: string;
  cwd: string | null;
  /** How often the same was said. */
  seen: Occurrences;
  /** The last line's. */
  uid: string | null;
  /** The last prompt's time; answers have none. */
  at: number | null;
}

export const readTranscript = createReader<State>({
  begin(path) {
    const place = transcriptPlace(path);
    const session = `${place?.chat}/${place?.subagent}`;
    return { session, cwd: place && directoryAt(place), seen: new Occurrences(), uid: null, at: null };
  },
  understand(value, state) {
    const said = asWritten(value);
    const role = known(said?.role);
    if (!said || role === null) return skip(reasonOf(said));
    const blocks = asBlocks(said.message?.content);
    const hash = createHash("sha256").update(JSON.stringify([state.session, role, said.message?.content]));
    const uid = state.seen.idOf(hash.digest("hex").slice(0, 32));
    const { uid: parentUid, cwd } = state;
    const prompt = role === "user" ? promptIn(blocks) : null;
    state.at = prompt?.at ?? state.at;
    state.uid = uid;
    const images = blocks.filter(({ type }) => type === "image").length;
    const entries = prompt ? promptEntry(prompt.written, images) : agentEntries(blocks, uid, cwd);
    const unknown = blocks.find(({ type }) => !knownBlocks.has(type ?? ""));
    return {
      lines: [lineOf({ uid, parentUid, at: state.at, cwd, entries })],
      skipped: unknown ? `type:${typeName(unknown.type)}` : null,
    };
  },
});

const knownBlocks = new Set(["text", "thinking", "tool_use", "tool_result", "turn_ended", "image"]);

/** Lines without a role mark the end of a turn. */
function reasonOf(said: Written | null): string {
  const type = known(said?.type);
  return type === null ? "malformed" : `type:${typeName(type)}`;
}

/** What the human wrote, between the client's tags, and when: "Wednesday, Sep 16, 2026, 3:37 PM (UTC-4)". */
function promptIn(blocks: readonly Block[]): { written: string; at: number | null } {
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
  return { written: bounded(withoutOwnContext(inside)).trim(), at: Number.isNaN(at) ? null : at };
}

function agentEntries(blocks: readonly Block[], uid: string, cwd: string | null): Entry[] {
  return blocks.flatMap((block, index): Entry[] => {
    const { type } = block;
    // Thoughts that are not shown leave a mark.
    if (type === "thinking" || type === "text")
      return textEntry(type, withoutOwnContext(block[type] ?? "").replace(/(?:\s*\[REDACTED\])+\s*$/, ""));
    const tool = type === "tool_use" ? known(block.name) : null;
    return tool === null ? [] : callEntries(tool, block, `${uid}/${index}`, cwd);
  });
}

/** A call. What an edit wrote counts as written, as there are no results. */
function callEntries(tool: string, { input: given, id }: Block, ownId: string, cwd: string | null): Entry[] {
  const input = boundedInput(typeof given === "string" ? { input: given } : asObject(given));
  const edits = editsOf(tool, input, cwd);
  const how = hows[tool];
  const files =
    tool === "ApplyPatch" ? touchedBy(edits) : how === undefined ? [] : touched(input.path, how, cwd);
  const call = known(id) ?? ownId;
  const use = toolUse(call, tool, { input, files });
  return edits.length === 0 ? [use] : [use, toolResult(call, { text: "", edits })];
}

const hows: Readonly<Partial<Record<string, FileTouch["how"]>>> = {
  Read: "read",
  Write: "write",
  StrReplace: "edit",
  Delete: "edit",
};

function editsOf(tool: string, input: Record<string, unknown>, cwd: string | null): FileEdit[] {
  const { path: written, contents, old_string: old, new_string: now, input: patch } = input;
  if (tool === "ApplyPatch") return patchedFiles(patch, cwd);
  if (typeof written !== "string" || written === "") return [];
  const path = absolute(written, cwd);
  if (tool === "Write" && typeof contents === "string") return [wholeFile(path, contents)];
  const isReplaced = tool === "StrReplace" && typeof old === "string" && typeof now === "string";
  return isReplaced ? [changedFile(path, [replacement(old, now)])] : [];
}
