import { createHash } from "node:crypto";
import * as z from "zod/mini";
import type { Entry, ReadBatch, TranscriptLine, Usage } from "../../agent.ts";
import { bounded } from "../../reading/bounds.ts";
import { asBlocks, type Block, blocksText } from "../../reading/content-blocks.ts";
import {
  anything,
  asObject,
  count,
  known,
  moment,
  orNothing,
  orNull,
  text,
  time,
} from "../../reading/json.ts";
import { withoutOwnContext } from "../../reading/own-output.ts";
import { callEntry, resultEntry, type TaskCall } from "./tools.ts";
import { partsOf } from "./written-calls.ts";

const message = z.object({
  role: text,
  content: anything,
  /** Milliseconds since the epoch. Of newer clients, like the next two. */
  ts: time,
  modelInfo: orNull(z.object({ modelId: text })),
  metrics: orNull(
    z.object({ tokens: orNull(z.object({ prompt: count, completion: count, cached: count })) }),
  ),
});
type Message = z.infer<typeof message>;

interface Task {
  task: string;
  cwd: string | null;
  /** `ui_messages.json`, by which the messages of older clients have times. */
  shown: unknown;
}

/** The lines of a task: one for each message. */
export function understandTask(
  messages: readonly unknown[],
  { task, cwd, shown }: Task,
): Pick<ReadBatch, "lines" | "skipped"> {
  const skipped: Record<string, number> = {};
  const seen = new Map<string, number>();
  const times = timesOf(shown, messages.length);
  const lines: TranscriptLine[] = [];
  let waiting: TaskCall[] = [];
  messages.forEach((value, index) => {
    const one = orNothing(message, value);
    if (one === null || known(one.role) === null) {
      skipped.malformed = (skipped.malformed ?? 0) + 1;
      return;
    }
    const hash = createHash("sha256").update(JSON.stringify([task, one.role, one.content]) ?? "");
    const base = hash.digest("hex").slice(0, 32);
    const before = seen.get(base) ?? 0;
    seen.set(base, before + 1);
    const uid = before === 0 ? base : `${base}/${before}`;
    const blocks = asBlocks(one.content);
    let entries: Entry[];
    if (one.role === "user") entries = userEntries(blocks, waiting, cwd);
    else ({ entries, calls: waiting } = agentEntries(blocks, uid, cwd));
    const at = one.ts ?? times[index] ?? null;
    const parentUid = lines.at(-1)?.uid ?? null;
    lines.push({ uid, parentUid, at, cwd, branch: null, entries, usage: usageOf(one, uid) });
  });
  return { lines, skipped };
}

/** What the model says and calls; some models' calls are tags in their text. */
function agentEntries(blocks: readonly Block[], uid: string, cwd: string | null) {
  const entries: Entry[] = [];
  const calls: TaskCall[] = [];
  const say = (kind: "text" | "thinking", written: string) => {
    const said = withoutOwnContext(bounded(written)).trim();
    if (said !== "") entries.push({ kind, text: said });
  };
  const call = (tool: string, input: Record<string, unknown>, id: string | null) => {
    const made = { tool, input, id: id ?? `${uid}/${calls.length}` };
    calls.push(made);
    const entry = callEntry(made, cwd);
    if (entry !== null) entries.push(entry);
  };
  for (const block of blocks) {
    if (block.type === "thinking") say("thinking", block.thinking ?? "");
    if (block.type === "tool_use" && known(block.name) !== null)
      call(block.name!, asObject(block.input), known(block.id));
    if (block.type !== "text") continue;
    for (const part of partsOf(block.text ?? "")) {
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
function userEntries(blocks: readonly Block[], waiting: readonly TaskCall[], cwd: string | null): Entry[] {
  const results: Entry[] = [];
  const written: string[] = [];
  const open = [...waiting];
  const answer = (at: number, said: string) => {
    const [call] = at === -1 ? [] : open.splice(at, 1);
    const entry = call && resultEntry(call, said, cwd);
    if (entry) results.push(entry);
    // What a tool answers may have the same tags.
    if (!entry || said.startsWith("The user denied")) written.push(...humansTexts(said));
  };
  let headed: string | null = null;
  for (const block of blocks) {
    const isResult = block.type === "tool_result";
    if (!isResult && block.type !== "text") continue;
    const text = isResult ? blocksText(block.content) : (block.text ?? "");
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
  const text = bounded(withoutOwnContext(written.join("\n"))).trim();
  return text === "" ? results : [...results, { kind: "prompt", text, images }];
}

function humansTexts(said: string): string[] {
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

const shownMessage = z.object({ ts: moment, conversationHistoryIndex: z.int() });

/** The times of messages: each was there when the first thing that followed it was shown. */
function timesOf(shown: unknown, length: number): (number | null)[] {
  const times: (number | null)[] = Array.from({ length }, () => null);
  const all = Array.isArray(shown) ? shown.flatMap((value) => orNothing(shownMessage, value) ?? []) : [];
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
function usageOf({ metrics, modelInfo }: Message, messageId: string): Usage | null {
  const model = known(modelInfo?.modelId);
  const tokens = metrics?.tokens;
  if (!tokens || model === null) return null;
  const { prompt, completion, cached } = tokens;
  const input = Math.max(0, (prompt ?? 0) - (cached ?? 0));
  return { messageId, model, input, output: completion ?? 0, cacheRead: cached ?? 0, cacheWrite: 0 };
}
