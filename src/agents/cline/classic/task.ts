import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import * as z from "zod/mini";
import type { ReadBatch, TranscriptEntry, TranscriptInfo, TranscriptLine, Usage } from "../../agent.ts";
import { asBlocks, type ContentBlock, joinBlockTexts } from "../../reading/content-blocks.ts";
import { locateEditorUserDir } from "../../reading/editors.ts";
import {
  anything,
  asObject,
  count,
  emptyToNull,
  makeLenientParser,
  moment,
  orNull,
  type Parsed,
  parseEach,
  readJsonFile,
  text,
  time,
} from "../../reading/json.ts";
import { withoutOwnContext } from "../../reading/own-output.ts";
import {
  countReason,
  makePromptEntries,
  makeTextEntries,
  makeTranscriptLine,
  Occurrences,
} from "../../reading/transcript-lines.ts";
import { locateClineDataDir } from "../profile.ts";
import { callEntry, makeResultEntry, splitMessage, type TaskCall } from "./tools.ts";

/**
 * Where tasks are: Cline's extensions for editors keep each in a directory of its own, and so did its command line before
 * version 3, in the form of 2.18.0. The messages are in `api_conversation_history.json`, which is rewritten with each one;
 * `state/taskHistory.json` beside `tasks` lists them all.
 */

const historyName = "api_conversation_history.json";

export function isTask(path: string): boolean {
  return basename(path) === historyName && basename(dirname(dirname(path))) === "tasks";
}

/** Editors that the extension is installed in, by their directories of user data. */
const editors = ["Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf"];

/** The directories of tasks that there are. */
export function listTaskDirectories(env: NodeJS.ProcessEnv): string[] {
  const storages = editors.map((editor) =>
    join(locateEditorUserDir(editor, env), "globalStorage", "saoudrizwan.claude-dev"),
  );
  return [locateClineDataDir(env), ...storages]
    .map((dir) => resolve(dir, "tasks"))
    .filter((dir) => existsSync(dir));
}

const parseTaskId = (path: string) => basename(dirname(path));

export async function describeTask(path: string): Promise<TranscriptInfo | null> {
  const messages = await readJsonFile(path);
  if (!Array.isArray(messages)) return null;
  const session = parseTaskId(path);
  const cwd = (await findListedDirectory(path)) ?? findNamedDirectory(messages);
  // Its name is the time of its beginning.
  const startedAt = /^\d{13}$/.test(session) ? Number(session) : null;
  return cwd === null ? null : { session, parent: null, cwd, startedAt };
}

/** The lines of a task's messages. */
export async function readTask(path: string, messages: readonly unknown[]) {
  const cwd = (await describeTask(path))?.cwd ?? null;
  const shown = await readJsonFile(join(dirname(path), "ui_messages.json"));
  return parseTask(messages, { task: parseTaskId(path), cwd, shown });
}

const asListed = makeLenientParser(z.object({ id: z.string(), cwdOnTaskInitialization: text }));

/** The directory that the list of tasks gives; older clients keep the list in the editor's database. */
async function findListedDirectory(path: string): Promise<string | null> {
  const list = await readJsonFile(join(dirname(dirname(dirname(path))), "state", "taskHistory.json"));
  if (!Array.isArray(list)) return null;
  const own = list.find((item) => asObject(item).id === parseTaskId(path));
  return emptyToNull(asListed(own)?.cwdOnTaskInitialization);
}

const namedDirectory = /^# Current Working Directory \((?!Primary: )(.+)\) Files$/m;

/** The directory that the client names to its model. */
function findNamedDirectory(messages: readonly unknown[]): string | null {
  for (const message of messages.slice(0, 20)) {
    for (const { text } of asBlocks(asObject(message).content)) {
      const [, directory] = namedDirectory.exec(text ?? "") ?? [];
      if (directory !== undefined) return directory;
    }
  }
  return null;
}

const asMessage = makeLenientParser(
  z.object({
    role: text,
    content: anything,
    /** Milliseconds since the epoch. Of newer clients, like the next two. */
    ts: time,
    modelInfo: orNull(z.object({ modelId: text })),
    metrics: orNull(
      z.object({ tokens: orNull(z.object({ prompt: count, completion: count, cached: count })) }),
    ),
  }),
);
type ClassicMessage = Parsed<typeof asMessage>;

interface ClassicTask {
  task: string;
  cwd: string | null;
  /** `ui_messages.json`, by which the messages of older clients have times. */
  shown: unknown;
}

/** The lines of a task: one for each message. */
function parseTask(
  messages: readonly unknown[],
  { task, cwd, shown }: ClassicTask,
): Pick<ReadBatch, "lines" | "skipped"> {
  const skipped: Record<string, number> = {};
  const seen = new Occurrences();
  const times = computeMessageTimes(shown, messages.length);
  const lines: TranscriptLine[] = [];
  let waiting: TaskCall[] = [];
  messages.forEach((value, index) => {
    const one = asMessage(value);
    if (one === null || emptyToNull(one.role) === null) {
      countReason(skipped, "malformed");
      return;
    }
    const hash = createHash("sha256").update(JSON.stringify([task, one.role, one.content]) ?? "");
    const uid = seen.makeUniqueId(hash.digest("hex").slice(0, 32));
    const blocks = asBlocks(one.content);
    let entries: TranscriptEntry[];
    if (one.role === "user") entries = parseUserEntries(blocks, waiting, cwd);
    else ({ entries, calls: waiting } = parseAgentEntries(blocks, uid, cwd));
    const at = one.ts ?? times[index] ?? null;
    const parentUid = lines.at(-1)?.uid ?? null;
    lines.push(makeTranscriptLine({ uid, parentUid, at, cwd, entries, usage: parseUsage(one, uid) }));
  });
  return { lines, skipped };
}

/** What the model says and calls; some models' calls are tags in their text. */
function parseAgentEntries(blocks: readonly ContentBlock[], uid: string, cwd: string | null) {
  const entries: TranscriptEntry[] = [];
  const calls: TaskCall[] = [];
  const say = (kind: "text" | "thinking", written: string) =>
    entries.push(...makeTextEntries(kind, withoutOwnContext(written)));
  const call = (tool: string, input: Record<string, unknown>, id: string | null) => {
    const made = { tool, input, id: id ?? `${uid}/${calls.length}` };
    calls.push(made);
    entries.push(...callEntry(made, cwd));
  };
  for (const block of blocks) {
    if (block.type === "thinking") say("thinking", block.thinking ?? "");
    if (block.type === "tool_use" && emptyToNull(block.name) !== null)
      call(block.name!, asObject(block.input), emptyToNull(block.id));
    if (block.type !== "text") continue;
    for (const part of splitMessage(block.text ?? "")) {
      if (typeof part !== "string") call(part.tool, part.input, null);
      else {
        const [, thought, rest] = /^\s*<thinking>([\s\S]*?)<\/thinking>([\s\S]*)$/.exec(part) ?? [];
        if (thought !== undefined) say("thinking", thought);
        say("text", rest ?? part);
      }
    }
  }
  return { entries, calls };
}

/** The client puts what a human wrote between these. */
const opening = /<(task|feedback|answer|user_message)>\n?/g;
/** The headline of a result: "[read_file for 'a.ts'] Result:". */
const headline = /^\[(\w+)[^\n]*\] Result:\s*/;

/** The results of the calls before, and what the human wrote. All else is the client's, for the model alone. */
function parseUserEntries(
  blocks: readonly ContentBlock[],
  waiting: readonly TaskCall[],
  cwd: string | null,
): TranscriptEntry[] {
  const results: TranscriptEntry[] = [];
  const written: string[] = [];
  const open = [...waiting];
  const answer = (at: number, said: string) => {
    const [call] = at === -1 ? [] : open.splice(at, 1);
    const result = call ? makeResultEntry(call, said, cwd) : null;
    if (result) results.push(result);
    // What a tool answers may have the same tags.
    if (!result || said.startsWith("The user denied")) written.push(...extractHumanTexts(said));
  };
  let headed: string | null = null;
  for (const block of blocks) {
    const isResult = block.type === "tool_result";
    if (!isResult && block.type !== "text") continue;
    const text = isResult ? joinBlockTexts(block.content) : (block.text ?? "");
    const [head, named = null] = headline.exec(text) ?? [];
    const said = text.slice(head?.length ?? 0).trim();
    const tool = named ?? headed;
    // Older clients put the result into the next block.
    headed = !isResult && named !== null && said === "" ? named : null;
    if (isResult)
      answer(
        open.findIndex(({ id }) => id === block.tool_use_id),
        said,
      );
    else if (headed === null) answer(tool === null ? -1 : open.findIndex((call) => call.tool === tool), said);
  }
  const images = blocks.filter(({ type }) => type === "image").length;
  const text = withoutOwnContext(written.join("\n"));
  return text.trim() === "" ? results : [...results, ...makePromptEntries(text, images)];
}

function extractHumanTexts(said: string): string[] {
  const texts: string[] = [];
  opening.lastIndex = 0;
  for (let found = opening.exec(said); found !== null; found = opening.exec(said)) {
    const end = said.indexOf(`</${found[1]}>`, opening.lastIndex);
    if (end === -1) break;
    texts.push(said.slice(opening.lastIndex, end));
    opening.lastIndex = end;
  }
  return texts;
}

const asShown = makeLenientParser(z.object({ ts: moment, conversationHistoryIndex: z.int() }));

/** The times of messages: each was there when the first thing that followed it was shown. */
function computeMessageTimes(shown: unknown, length: number): (number | null)[] {
  const times: (number | null)[] = Array.from({ length }, () => null);
  const all = parseEach(asShown, shown);
  const last = all.at(-1)?.ts ?? null;
  for (const { ts, conversationHistoryIndex: index } of all) {
    if (index >= 0 && index < length) times[index] = Math.min(times[index] ?? ts, ts);
  }
  for (let at = length - 1, next = last; at >= 0; at--) {
    next = times[at] ?? next;
    times[at] = next;
  }
  return times;
}

/** The client's tokens of a prompt include those that were cached. */
function parseUsage({ metrics, modelInfo }: ClassicMessage, messageId: string): Usage | null {
  const model = emptyToNull(modelInfo?.modelId);
  const tokens = metrics?.tokens;
  if (!tokens || model === null) return null;
  const { prompt, completion, cached } = tokens;
  const input = Math.max(0, (prompt ?? 0) - (cached ?? 0));
  return { messageId, model, input, output: completion ?? 0, cacheRead: cached ?? 0, cacheWrite: 0 };
}
