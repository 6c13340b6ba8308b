import { createHash } from "node:crypto";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import * as z from "zod/mini";
import type {
  Agent,
  Entry,
  FileTouch,
  ReadBatch,
  TranscriptInfo,
  TranscriptLine,
} from "../../src/agents/agent.ts";
import { bounded, boundedInput, bounds } from "../../src/agents/reading/bounds.ts";
import { isBlank, isWholeJson, parseJsonLine } from "../../src/agents/reading/json.ts";
import { listFiles } from "../../src/agents/reading/list-files.ts";
import { isOwnCommand, isOwnTool } from "../../src/agents/reading/own-output.ts";
import { readLines } from "../../src/agents/reading/read-lines.ts";
import { actionByInput } from "../../src/agents/reading/tool-calls.ts";
import { jotProfile } from "./profile.ts";
import { jotSetup } from "./setup.ts";

// A field that is missing or of another type is null: other versions write other lines.
const text = z.catch(z.nullable(z.optional(z.string())), null);
const anything = z.optional(z.unknown());
const record = z.object({
  ...{ session: text, cwd: text, time: text, role: text, text: text, name: text, output: text },
  ...{ images: anything, input: anything, failed: anything },
});
type JotRecord = z.infer<typeof record>;

const parse = (bytes: Buffer): JotRecord | null => z.safeParse(record, parseJsonLine(bytes)).data ?? null;

export const jot: Agent = {
  ...jotProfile,
  setup: jotSetup,
  roots: (env = process.env) => [resolve(env.JOT_HOME || join(env.HOME || homedir(), ".jot"), "logs")],
  sortsByPlace: false,
  isTranscript: (path) => path.endsWith(".jsonl"),
  directoryOf: () => null,
  list: (path) => listFiles(path, { isWanted: jot.isTranscript }),
  describe,
  async *read(file, cursor, signal): AsyncGenerator<ReadBatch, void, undefined> {
    const info = await describe(file);
    for await (const batch of readLines(file, cursor, { signal, isWhole: isWholeJson })) {
      const lines: TranscriptLine[] = [];
      const skipped: Record<string, number> = batch.tooLong > 0 ? { too_long: batch.tooLong } : {};
      for (const { bytes } of batch.lines) {
        if (isBlank(bytes)) continue;
        const said = parse(bytes);
        const entries = said ? entriesOf(said) : "malformed";
        if (typeof entries === "string") skipped[entries] = (skipped[entries] ?? 0) + 1;
        else if (said) lines.push(lineOf(said, entries, info));
      }
      yield { lines, cursor: batch.cursor, skipped };
    }
  },
};

async function describe(file: string): Promise<TranscriptInfo | null> {
  const beginning = 64 * 1024;
  const options = { batch: beginning, longest: beginning, end: beginning, isWhole: isWholeJson };
  for await (const { lines } of readLines(file, null, options)) {
    for (const said of lines.map(({ bytes }) => parse(bytes))) {
      if (said?.session && said.cwd)
        return { session: said.session, parent: null, cwd: said.cwd, startedAt: timeOf(said) };
    }
  }
  return null;
}

const timeOf = ({ time }: JotRecord) => Date.parse(time ?? "") || null;

/** The same line has the same uid whenever and wherever it is read. */
const uidOf = (said: JotRecord, info: TranscriptInfo | null) =>
  createHash("sha256")
    .update(JSON.stringify([info?.session, said]))
    .digest("hex")
    .slice(0, 32);

function lineOf(said: JotRecord, entries: Entry[], info: TranscriptInfo | null): TranscriptLine {
  const where = { parentUid: null, cwd: info?.cwd ?? null, branch: null };
  return { uid: uidOf(said, info), at: timeOf(said), ...where, entries, usage: null };
}

/** What a line says, or why it says nothing. */
function entriesOf(said: JotRecord): Entry[] | string {
  const words = bounded(said.text ?? "").trim();
  const images = Array.isArray(said.images) ? said.images.length : 0;
  if (said.role === "user") return [{ kind: "prompt", text: words, images }];
  if (said.role === "agent") return [{ kind: "text", text: words }];
  if (said.role === "tool" && said.name) return toolEntries(said, said.name);
  return said.session ? "meta" : `type:${/^\w{1,30}$/.test(said.role ?? "") ? said.role : "?"}`;
}

function toolEntries(said: JotRecord, tool: string): Entry[] {
  const input = boundedInput(said.input);
  const { path, text: content, command } = input;
  const isWrite = tool === "write" && typeof path === "string" && typeof content === "string";
  const files: FileTouch[] = isWrite ? [{ path, how: "write" }] : [];
  const edits = isWrite && said.failed !== true ? [{ path, hunks: [], content }] : null;
  // What Pommel itself answered is never remembered.
  const isOwn = isOwnTool(tool) || (typeof command === "string" && isOwnCommand(command));
  const output = isOwn ? "" : bounded(said.output ?? "", bounds.result);
  const id = uidOf(said, null);
  return [
    { kind: "tool_use", id, tool, input, files, action: actionByInput({ input, files }) },
    { kind: "tool_result", id, text: output, isError: said.failed === true, edits, subagent: null },
  ];
}
