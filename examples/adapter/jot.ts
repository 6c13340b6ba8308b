import { createHash } from "node:crypto";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import * as z from "zod/mini";
import type { Agent, FileTouch, TranscriptEntry, TranscriptInfo } from "../../src/agents/agent.ts";
import { boundInput } from "../../src/agents/reading/bounds.ts";
import {
  anything,
  makeLenientParser,
  type Parsed,
  parseTime,
  text,
  toTypeName,
} from "../../src/agents/reading/json.ts";
import { createReader, keep, readFirstRecords, skip } from "../../src/agents/reading/json-lines.ts";
import { listFiles } from "../../src/agents/reading/list-files.ts";
import { isOwnCommand, isOwnTool } from "../../src/agents/reading/own-output.ts";
import { makeToolResult, makeToolUse } from "../../src/agents/reading/tool-calls.ts";
import {
  makePromptEntries,
  makeTextEntries,
  makeTranscriptLine,
} from "../../src/agents/reading/transcript-lines.ts";
import { jotProfile } from "./profile.ts";
import { jotSetup } from "./setup.ts";

// A field that is missing or of another type is null: other versions write other lines.
const asRecord = makeLenientParser(
  z.object({
    session: text,
    cwd: text,
    time: text,
    role: text,
    text: text,
    name: text,
    output: text,
    images: anything,
    input: anything,
    failed: anything,
  }),
);
type JotRecord = Parsed<typeof asRecord>;

export const jot: Agent = {
  ...jotProfile,
  setup: jotSetup,
  listRoots: (env = process.env) => [resolve(env.JOT_HOME || join(env.HOME || homedir(), ".jot"), "logs")],
  sortsByPlace: false,
  isTranscript: (path) => path.endsWith(".jsonl"),
  findDirectoryToWatch: () => null,
  list: (path) => listFiles(path, { isWanted: jot.isTranscript }),
  describe,
  read: createReader<TranscriptInfo | null>({
    begin: describe,
    understand(value, info) {
      const said = asRecord(value);
      const entries = said ? entriesOf(said) : "malformed";
      if (!said || typeof entries === "string") return skip(String(entries));
      const cwd = info?.cwd ?? null;
      return keep(makeTranscriptLine({ uid: uidOf(said, info), at: parseTime(said.time), cwd, entries }));
    },
  }),
};

async function describe(file: string): Promise<TranscriptInfo | null> {
  for await (const record of readFirstRecords(file)) {
    const { session, cwd, time } = asRecord(record) ?? {};
    if (session && cwd) return { session, parent: null, cwd, startedAt: parseTime(time) };
  }
  return null;
}

/** The same line has the same uid whenever and wherever it is read. */
const uidOf = (said: JotRecord, info: TranscriptInfo | null) =>
  createHash("sha256")
    .update(JSON.stringify([info?.session, said]))
    .digest("hex")
    .slice(0, 32);

/** What a line says, or why it says nothing. */
function entriesOf(said: JotRecord): TranscriptEntry[] | string {
  if (said.role === "user")
    return makePromptEntries(said.text ?? "", Array.isArray(said.images) ? said.images.length : 0);
  if (said.role === "agent") return makeTextEntries("text", said.text);
  if (said.role === "tool" && said.name) return toolEntries(said, said.name);
  return said.session ? "meta" : `type:${toTypeName(said.role)}`;
}

function toolEntries(said: JotRecord, tool: string): TranscriptEntry[] {
  const input = boundInput(said.input);
  const { path, text: content, command } = input;
  const isWrite = tool === "write" && typeof path === "string" && typeof content === "string";
  const files: FileTouch[] = isWrite ? [{ path, how: "write" }] : [];
  const edits = isWrite ? [{ path, hunks: [], content }] : null;
  // What Pommel itself answered is never remembered.
  const isOwn = isOwnTool(tool) || (typeof command === "string" && isOwnCommand(command));
  const outcome = { text: said.output ?? "", isError: said.failed === true, isOwn, edits };
  const id = uidOf(said, null);
  return [makeToolUse(id, tool, { input, files }), makeToolResult(id, outcome)];
}
