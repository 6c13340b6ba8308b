import type { Agent, Cursor, ReadBatch, TranscriptLine } from "../agent.ts";
import { isBlank, isWholeJson, parseJsonLine } from "../reading/json-lines.ts";
import { KeptStates } from "../reading/kept-states.ts";
import { readLines } from "../reading/read-lines.ts";
import { identify } from "./describe.ts";
import { isOneObject } from "./head.ts";
import { directoryOf, isTranscript, list, roots } from "./list.ts";
import { newReplay, type Replay } from "./message.ts";
import { geminiProfile } from "./profile.ts";
import { readObject } from "./read-object.ts";
import { asRecord } from "./record-schema.ts";
import { type Taken, take } from "./replay.ts";
import { retention } from "./retention.ts";
import { geminiSetup } from "./setup.ts";

/** Gemini CLI; its chats as clients from 0.20 to 0.61 write them. */
export const gemini: Agent = {
  ...geminiProfile,
  setup: geminiSetup,
  roots,
  sortsByPlace: true,
  isTranscript,
  directoryOf,
  lacksBranch: true,
  ignoredLineTypes: new Set(["$rewindTo", "$set", "info", "metadata"]),
  list,
  retention,
  describe: (file) => identify(file),
  read: (file, cursor, signal) =>
    isOneObject(file) ? readObject(file, cursor, signal) : readLog(file, cursor, signal),
};

/** Of chats that grow, what the next reading needs to know of what was read; else it is read again. */
const kept = new KeptStates<Replay>();

/** A chat that is a log: it grows by lines. */
async function* readLog(
  file: string,
  cursor: Cursor | null,
  signal?: AbortSignal,
): AsyncGenerator<ReadBatch, void, undefined> {
  const cwd = (await identify(file, signal))?.cwd ?? null;
  const replay = kept.take(file, cursor) ?? (await recall(file, cursor, signal));
  let end = cursor;
  try {
    for await (const batch of readLines(file, cursor, { signal, isWhole: isWholeJson })) {
      end = null;
      const lines: TranscriptLine[] = [];
      const skipped: Record<string, number> = batch.tooLong > 0 ? { too_long: batch.tooLong } : {};
      for (const { bytes } of batch.lines) {
        const taken = takeBytes(replay, bytes, cwd);
        lines.push(...taken.lines);
        if (taken.skipped) skipped[taken.skipped] = (skipped[taken.skipped] ?? 0) + 1;
      }
      end = batch.cursor;
      yield { lines, cursor: batch.cursor, skipped };
    }
  } finally {
    if (end) kept.put(file, end, replay);
  }
}

const nothing: Taken = { lines: [], skipped: null };
/** Nearly half of a chat's lines say nothing but when it was written. */
const touched = Buffer.from('{"$set":{"lastUpdated":"');
const maxTouch = 80;

function takeBytes(replay: Replay, bytes: Buffer, cwd: string | null): Taken {
  if (bytes.length <= maxTouch && bytes.subarray(0, touched.length).equals(touched) && bytes.at(-1) === brace)
    return { lines: [], skipped: "type:$set" };
  if (isBlank(bytes)) return nothing;
  const record = asRecord(parseJsonLine(bytes));
  return record ? take(replay, record, cwd) : { lines: [], skipped: "malformed" };
}

const brace = 125;

/** What the lines before a cursor leave for those behind. */
async function recall(file: string, cursor: Cursor | null, signal?: AbortSignal): Promise<Replay> {
  const replay = newReplay();
  if (cursor === null || cursor.offset === 0) return replay;
  for await (const { lines } of readLines(file, null, { end: cursor.offset, signal, isWhole: isWholeJson })) {
    for (const { bytes } of lines) takeBytes(replay, bytes, null);
  }
  return replay;
}
