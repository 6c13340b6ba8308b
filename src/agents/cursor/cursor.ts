import { createHash } from "node:crypto";
import { basename, join, resolve } from "node:path";
import type { ForeignDatabase } from "../../store/sqlite/open-to-read.ts";
import type {
  Agent,
  Cursor,
  ReadBatch,
  TranscriptEntry,
  TranscriptFile,
  TranscriptInfo,
  TranscriptLine,
  Usage,
} from "../agent.ts";
import { emptyToNull, parseTime } from "../reading/json.ts";
import { listFiles } from "../reading/list-files.ts";
import { withoutOwnContext } from "../reading/own-output.ts";
import { makeNoSessionError, makeTranscriptChangedError } from "../reading/read-lines.ts";
import { makeTodosReader } from "../reading/tool-calls.ts";
import {
  countReason,
  makePromptEntries,
  makeTextEntries,
  makeTitleLines,
  makeTranscriptLine,
} from "../reading/transcript-lines.ts";
import { locateProjectsDirectory, parseTranscriptPath } from "./agent-transcripts/places.ts";
import { describeTranscript, readTranscript, statFile } from "./agent-transcripts/transcript.ts";
import {
  asBubble,
  asThought,
  type Bubble,
  type Composer,
  findDatabase,
  listBubbleIds,
  listTranscripts,
  measureBubbles,
  openDatabase,
  parseComposerPath,
  readComposer,
  readComposerHeader,
  readRawValue,
  readValue,
  withDatabase,
} from "./database.ts";
import { findSessionDirectory } from "./directory.ts";
import { cursorProfile, databaseName, isComposerId, locateGlobalStorage } from "./profile.ts";
import { cursorSetup } from "./setup.ts";
import { hasEnded, parseToolEntries } from "./tools.ts";

/** Cursor: the editor, by its database, and its command line, by transcripts. */
export const cursor: Agent = {
  ...cursorProfile,
  setup: cursorSetup,
  listRoots: (env = process.env) => [resolve(locateGlobalStorage(env)), locateProjectsDirectory(env)],
  sortsByPlace: false,
  isTranscript: (path) => parseComposerPath(path) !== null || parseTranscriptPath(path) !== null,
  findDirectoryToWatch: () => null,
  database: { isPart: (path) => findDatabase(path) !== null, stat: statSession },
  todos: makeTodosReader("todo_write"),
  lacksBranch: true,
  unwatched: ["terminals", "mcps", "assets"],
  ignoredLineTypes: new Set(["turn_ended"]),
  list,
  describe: async (path) => {
    const place = parseComposerPath(path);
    if (place === null) return isInDatabase(path) ? null : describeTranscript(path);
    return withDatabase(place.file, (db) => describe(db, place.file, place.composer));
  },
  read: (path, cursor, signal) =>
    parseComposerPath(path) ? read(path, cursor, signal) : readTranscript(path, cursor, signal),
};

/** Whether the editor's database has a transcript's conversation, and says more of it. */
function isInDatabase(path: string): boolean {
  const chat = parseTranscriptPath(path)?.chat;
  const file = join(locateGlobalStorage(process.env), databaseName);
  return chat !== undefined && isComposerId(chat) && statSession(join(file, chat)) !== null;
}

function statSession(path: string): TranscriptFile | null {
  const place = parseComposerPath(path);
  if (place === null) return statFile(path);
  return withDatabase(place.file, (db) => listTranscripts(db, place.file, place.composer)[0] ?? null);
}

async function* list(path: string): AsyncGenerator<TranscriptFile, void, undefined> {
  const one = parseComposerPath(path) ? statSession(path) : null;
  if (one) yield one;
  if (parseComposerPath(path)) return;
  const file = findDatabase(path) ?? join(path, databaseName);
  yield* withDatabase(file, (db) => listTranscripts(db, file)) ?? [];
  // The editor's storage is large, and holds no transcripts beside the database.
  if (findDatabase(path) === null && basename(path) !== "globalStorage")
    yield* listFiles(path, { isWanted: (each) => parseTranscriptPath(each) !== null });
}

function describe(db: ForeignDatabase, file: string, id: string): TranscriptInfo | null {
  const composer = readComposer(db, id);
  const cwd = composer && findSessionDirectory(db, file, id);
  if (!composer || cwd === null) return null;
  const above = readComposerHeader(db, id)?.subagentInfo;
  const session = emptyToNull(above?.parentComposerId);
  const startedAt = composer.createdAt ?? null;
  if (session === null) return { session: id, parent: null, cwd, startedAt };
  const parent = {
    session,
    toolUse: emptyToNull(above?.toolCallId),
    agentType: emptyToNull(above?.subagentTypeName),
    task: emptyToNull(composer.name)?.slice(0, 1000) ?? null,
  };
  return { session: `${session}/${id}`, parent, cwd, startedAt };
}

/** Messages per batch. */
const messagesPerBatch = 200;

/**
 * A conversation's messages, each once it is complete. The cursor holds the size of those that were read, and their number
 * and ids: going back to an earlier one removes those after it.
 */
async function* read(
  path: string,
  from: Cursor | null,
  signal?: AbortSignal,
): AsyncGenerator<ReadBatch, void, undefined> {
  const place = parseComposerPath(path);
  const db = place && openDatabase(place.file);
  try {
    const composer = place && db && readComposer(db, place.composer);
    if (!place || !db || !composer) throw makeNoSessionError(path);
    const sizes = measureBubbles(db, place.composer);
    const ids = listBubbleIds(composer).filter((id) => sizes.has(id));
    const title = emptyToNull(composer.name);
    const cursorAt = (position: number): Cursor => ({
      offset: ids.slice(0, position).reduce((sum, id) => sum + sizes.get(id)!, 0),
      lineHash: `${position} ${hashTexts(ids.slice(0, position))} ${hashTexts([title])}`,
    });
    let taken = from === null ? 0 : findPosition(from, ids, path);
    const cwd = findSessionDirectory(db, place.file, place.composer);
    const around = { cwd, contentAt: (key: string) => readRawValue(db, key) };
    for (let done = false; !done; ) {
      signal?.throwIfAborted();
      const lines: TranscriptLine[] = [];
      const skipped: Record<string, number> = {};
      for (let count = 0; count < messagesPerBatch && taken < ids.length; count++, taken++) {
        const id = ids[taken]!;
        const bubble = asBubble(readValue(db, `bubbleId:${place.composer}:${id}`));
        if (bubble !== null && !isComplete(bubble, composer, taken === ids.length - 1)) break;
        const entries = bubble ? parseEntries(bubble, id, around) : "malformed";
        if (typeof entries === "string") countReason(skipped, entries);
        const parentUid = taken === 0 ? null : ids[taken - 1]!;
        const usage = bubble && parseUsage(bubble, composer, id);
        const said = typeof entries === "string" ? [] : entries;
        const at = bubble ? parseTime(bubble.createdAt) : null;
        lines.push(makeTranscriptLine({ uid: id, parentUid, at, cwd, entries: said, usage }));
      }
      done = lines.length < messagesPerBatch;
      const next = cursorAt(taken);
      const isNew = taken > 0 && (next.offset !== from?.offset || next.lineHash !== from.lineHash);
      if (done && isNew) lines.push(...makeTitleLines(title));
      if (isNew) yield { lines, cursor: next, skipped };
      await new Promise((resolve) => setImmediate(resolve));
    }
  } finally {
    db?.close();
  }
}

function findPosition({ lineHash }: Cursor, ids: readonly string[], path: string): number {
  const [written, hash] = lineHash.split(" ");
  const position = Number(written);
  if (position <= ids.length && hash === hashTexts(ids.slice(0, position))) return position;
  throw makeTranscriptChangedError(path);
}

const hashTexts = (texts: readonly (string | null)[]) =>
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
  if (toolFormerData && emptyToNull(toolFormerData.name) !== null && !hasEnded(toolFormerData)) return false;
  return !isLast || (emptyToNull(status) !== null && status !== "generating");
}

/** What a message says, or why it says nothing. */
function parseEntries(
  bubble: Bubble,
  id: string,
  around: Parameters<typeof parseToolEntries>[2],
): TranscriptEntry[] | string {
  const text = withoutOwnContext(bubble.text ?? "");
  if (bubble.type === 1)
    return makePromptEntries(text, Array.isArray(bubble.images) ? bubble.images.length : 0);
  if (bubble.type !== 2) return `type:${bubble.type ?? "?"}`;
  const { thinking, toolFormerData: tool } = bubble;
  const thought = typeof thinking === "string" ? thinking : asThought(thinking)?.text;
  const entries = [...makeTextEntries("thinking", thought), ...makeTextEntries("text", text)];
  // Messages without a call have an empty one.
  if (tool === null || tool === undefined || emptyToNull(tool.name) === null) return entries;
  const calls = parseToolEntries(tool, id, around);
  return typeof calls === "string" ? calls : [...entries, ...calls];
}

/** Many messages have none, or zeros. */
function parseUsage({ tokenCount }: Bubble, { modelConfig }: Composer, messageId: string): Usage | null {
  const [input, output] = [tokenCount?.inputTokens ?? 0, tokenCount?.outputTokens ?? 0];
  const model = emptyToNull(modelConfig?.modelName);
  return model === null || input + output === 0
    ? null
    : { messageId, model, input, output, cacheRead: 0, cacheWrite: 0 };
}
