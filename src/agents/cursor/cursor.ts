import { createHash } from "node:crypto";
import { basename, join, resolve } from "node:path";
import type { ForeignDatabase } from "../../store/sqlite/open-to-read.ts";
import type {
  Agent,
  Cursor,
  Entry,
  ReadBatch,
  TranscriptFile,
  TranscriptInfo,
  TranscriptLine,
  Usage,
} from "../agent.ts";
import { known, timeOf } from "../reading/json.ts";
import { listFiles } from "../reading/list-files.ts";
import { withoutOwnContext } from "../reading/own-output.ts";
import { noSession, transcriptChanged } from "../reading/read-lines.ts";
import { todosOf } from "../reading/tool-calls.ts";
import { lineOf, promptEntry, tally, textEntry, titleLines } from "../reading/transcript-lines.ts";
import { projectsDirectory, transcriptPlace } from "./agent-transcripts/places.ts";
import { describeTranscript, readTranscript, statFile } from "./agent-transcripts/transcript.ts";
import {
  asBubble,
  asThought,
  type Bubble,
  bubbleSizes,
  bubblesOf,
  type Composer,
  composerAt,
  databaseAt,
  headOf,
  openDatabase,
  placeOf,
  textAt,
  transcriptsIn,
  valueAt,
  withDatabase,
} from "./database.ts";
import { directoryOf } from "./directory.ts";
import { cursorProfile, databaseName, globalStorage, isComposerId } from "./profile.ts";
import { cursorSetup } from "./setup.ts";
import { hasEnded, toolEntries } from "./tools.ts";

/** Cursor: the editor, by its database, and its command line, by transcripts. */
export const cursor: Agent = {
  ...cursorProfile,
  setup: cursorSetup,
  roots: (env = process.env) => [resolve(globalStorage(env)), projectsDirectory(env)],
  sortsByPlace: false,
  isTranscript: (path) => placeOf(path) !== null || transcriptPlace(path) !== null,
  directoryOf: () => null,
  database: { isPart: (path) => databaseAt(path) !== null, stat },
  todos: todosOf("todo_write"),
  lacksBranch: true,
  unwatched: ["terminals", "mcps", "assets"],
  ignoredLineTypes: new Set(["turn_ended"]),
  list,
  describe: async (path) => {
    const place = placeOf(path);
    if (place === null) return isInDatabase(path) ? null : describeTranscript(path);
    return withDatabase(place.file, (db) => describe(db, place.file, place.composer));
  },
  read: (path, cursor, signal) =>
    placeOf(path) ? read(path, cursor, signal) : readTranscript(path, cursor, signal),
};

/** Whether the editor's database has a transcript's conversation, and says more of it. */
function isInDatabase(path: string): boolean {
  const chat = transcriptPlace(path)?.chat;
  const file = join(globalStorage(process.env), databaseName);
  return chat !== undefined && isComposerId(chat) && stat(join(file, chat)) !== null;
}

function stat(path: string): TranscriptFile | null {
  const place = placeOf(path);
  if (place === null) return statFile(path);
  return withDatabase(place.file, (db) => transcriptsIn(db, place.file, place.composer)[0] ?? null);
}

async function* list(path: string): AsyncGenerator<TranscriptFile, void, undefined> {
  const one = placeOf(path) ? stat(path) : null;
  if (one) yield one;
  if (placeOf(path)) return;
  const file = databaseAt(path) ?? join(path, databaseName);
  yield* withDatabase(file, (db) => transcriptsIn(db, file)) ?? [];
  // The editor's storage is large, and holds no transcripts beside the database.
  if (databaseAt(path) === null && basename(path) !== "globalStorage")
    yield* listFiles(path, { isWanted: (each) => transcriptPlace(each) !== null });
}

function describe(db: ForeignDatabase, file: string, id: string): TranscriptInfo | null {
  const composer = composerAt(db, id);
  const cwd = composer && directoryOf(db, file, id);
  if (!composer || cwd === null) return null;
  const above = headOf(db, id)?.subagentInfo;
  const session = known(above?.parentComposerId);
  const startedAt = composer.createdAt ?? null;
  if (session === null) return { session: id, parent: null, cwd, startedAt };
  const parent = {
    session,
    toolUse: known(above?.toolCallId),
    agentType: known(above?.subagentTypeName),
    task: known(composer.name)?.slice(0, 1000) ?? null,
  };
  return { session: `${session}/${id}`, parent, cwd, startedAt };
}

/** Messages per batch. */
const atOnce = 200;

/**
 * A conversation's messages, each once it is complete. The cursor holds the size of those that were read, and their number
 * and ids: going back to an earlier one removes those after it.
 */
async function* read(
  path: string,
  from: Cursor | null,
  signal?: AbortSignal,
): AsyncGenerator<ReadBatch, void, undefined> {
  const place = placeOf(path);
  const db = place && openDatabase(place.file);
  try {
    const composer = place && db && composerAt(db, place.composer);
    if (!place || !db || !composer) throw noSession(path);
    const sizes = bubbleSizes(db, place.composer);
    const ids = bubblesOf(composer).filter((id) => sizes.has(id));
    const title = known(composer.name);
    const cursorAt = (position: number): Cursor => ({
      offset: ids.slice(0, position).reduce((sum, id) => sum + sizes.get(id)!, 0),
      lineHash: `${position} ${hashOf(ids.slice(0, position))} ${hashOf([title])}`,
    });
    let taken = from === null ? 0 : positionIn(from, ids, path);
    const cwd = directoryOf(db, place.file, place.composer);
    const around = { cwd, contentAt: (key: string) => textAt(db, key) };
    for (let done = false; !done; ) {
      signal?.throwIfAborted();
      const lines: TranscriptLine[] = [];
      const skipped: Record<string, number> = {};
      for (let count = 0; count < atOnce && taken < ids.length; count++, taken++) {
        const id = ids[taken]!;
        const bubble = asBubble(valueAt(db, `bubbleId:${place.composer}:${id}`));
        if (bubble !== null && !isComplete(bubble, composer, taken === ids.length - 1)) break;
        const entries = bubble ? entriesOf(bubble, id, around) : "malformed";
        if (typeof entries === "string") tally(skipped, entries);
        const parentUid = taken === 0 ? null : ids[taken - 1]!;
        const usage = bubble && usageOf(bubble, composer, id);
        const said = typeof entries === "string" ? [] : entries;
        const at = bubble ? timeOf(bubble.createdAt) : null;
        lines.push(lineOf({ uid: id, parentUid, at, cwd, entries: said, usage }));
      }
      done = lines.length < atOnce;
      const next = cursorAt(taken);
      const isNew = taken > 0 && (next.offset !== from?.offset || next.lineHash !== from.lineHash);
      if (done && isNew) lines.push(...titleLines(title));
      if (isNew) yield { lines, cursor: next, skipped };
      await new Promise((resolve) => setImmediate(resolve));
    }
  } finally {
    db?.close();
  }
}

function positionIn({ lineHash }: Cursor, ids: readonly string[], path: string): number {
  const [written, hash] = lineHash.split(" ");
  const position = Number(written);
  if (position <= ids.length && hash === hashOf(ids.slice(0, position))) return position;
  throw transcriptChanged(path);
}

const hashOf = (texts: readonly (string | null)[]) =>
  createHash("sha256").update(JSON.stringify(texts)).digest("hex").slice(0, 16);

/** A message that nobody completes is read after this long. Milliseconds. */
const abandonedMs = 10 * 60_000;

/** Whether a message will not change any more. */
function isComplete(
  { toolFormerData }: Bubble,
  { status, lastUpdatedAt }: Composer,
  isLast: boolean,
): boolean {
  const isAbandoned = Date.now() - (lastUpdatedAt ?? 0) > abandonedMs;
  if (isAbandoned) return true;
  if (toolFormerData && known(toolFormerData.name) !== null && !hasEnded(toolFormerData)) return false;
  return !isLast || (known(status) !== null && status !== "generating");
}

/** What a message says, or why it says nothing. */
function entriesOf(bubble: Bubble, id: string, around: Parameters<typeof toolEntries>[2]): Entry[] | string {
  const text = withoutOwnContext(bubble.text ?? "");
  if (bubble.type === 1) return promptEntry(text, Array.isArray(bubble.images) ? bubble.images.length : 0);
  if (bubble.type !== 2) return `type:${bubble.type ?? "?"}`;
  const { thinking, toolFormerData: tool } = bubble;
  const thought = typeof thinking === "string" ? thinking : asThought(thinking)?.text;
  const entries = [...textEntry("thinking", thought), ...textEntry("text", text)];
  // Messages without a call have an empty one.
  if (tool === null || tool === undefined || known(tool.name) === null) return entries;
  const calls = toolEntries(tool, id, around);
  return typeof calls === "string" ? calls : [...entries, ...calls];
}

/** Many messages have none, or zeros. */
function usageOf({ tokenCount }: Bubble, { modelConfig }: Composer, messageId: string): Usage | null {
  const [input, output] = [tokenCount?.inputTokens ?? 0, tokenCount?.outputTokens ?? 0];
  const model = known(modelConfig?.modelName);
  return model === null || input + output === 0
    ? null
    : { messageId, model, input, output, cacheRead: 0, cacheWrite: 0 };
}
