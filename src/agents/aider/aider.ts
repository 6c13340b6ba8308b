import { createHash } from "node:crypto";
import { basename, dirname, join } from "node:path";
import type { Agent, Cursor, ReadBatch, TranscriptFile, TranscriptInfo } from "../agent.ts";
import { aiderProfile } from "../profiles.ts";
import { makeNoSessionError, makeTranscriptChangedError } from "../reading/read-lines.ts";
import {
  type Chat,
  historyName,
  listTranscripts,
  makeSessionId,
  parseChatPath,
  readHistory,
  readInputs,
} from "./history.ts";
import { parseChat } from "./understand.ts";

/** Aider, whose chats are in the repository that they are about. */
export const aider: Agent = {
  ...aiderProfile,
  listRoots: () => [],
  listRepositoryPlaces: (root) => [join(root, historyName)],
  sortsByPlace: false,
  isTranscript: (path) => parseChatPath(path) !== null,
  findDirectoryToWatch: () => null,
  database: { isPart: (path) => basename(path) === historyName, stat: statChat },
  lacksBranch: true,
  list,
  describe: async (path) => describe(path),
  read,
};

function statChat(path: string): TranscriptFile | null {
  const place = parseChatPath(path);
  return (place && listTranscripts(place.file).find((one) => one.path === path)) ?? null;
}

async function* list(path: string): AsyncGenerator<TranscriptFile, void, undefined> {
  if (parseChatPath(path)) {
    const one = statChat(path);
    if (one) yield one;
  } else if (basename(path) === historyName) yield* listTranscripts(path);
  else yield* listTranscripts(join(path, historyName));
}

function readChat(
  path: string,
): { file: string; chat: Chat; bytes: Buffer; mtimeMs: number; isLast: boolean } | null {
  const place = parseChatPath(path);
  const history = place && readHistory(place.file);
  const chat = history?.chats.find(({ name }) => name === place!.name);
  if (!place || !history || !chat) return null;
  const bytes = history.bytes.subarray(chat.start, chat.end);
  return { file: place.file, chat, bytes, mtimeMs: history.mtimeMs, isLast: chat === history.chats.at(-1) };
}

function describe(path: string): TranscriptInfo | null {
  const found = readChat(path);
  if (found === null) return null;
  const { file, chat } = found;
  const session = makeSessionId(file, chat.name);
  return { session, parent: null, cwd: dirname(file), startedAt: chat.startedAt };
}

/** A text behind which nothing was printed for this long is whole. Milliseconds. */
const completeAfterMs = 60_000;
/** Lines per batch. */
const linesPerBatch = 500;

/** The cursor holds the bytes of the chat that were read, and their hash. */
async function* read(
  path: string,
  cursor: Cursor | null,
  signal?: AbortSignal,
): AsyncGenerator<ReadBatch, void, undefined> {
  signal?.throwIfAborted();
  const found = readChat(path);
  if (found === null) throw makeNoSessionError(path);
  const { file, chat, bytes, mtimeMs, isLast } = found;
  const given = cursor?.offset ?? 0;
  if (cursor !== null && (given > bytes.length || cursor.lineHash !== hashAt(bytes, given)))
    throw makeTranscriptChangedError(path);
  const { lines, end } = parseChat(bytes, {
    session: makeSessionId(file, chat.name),
    cwd: dirname(file),
    startedAt: chat.startedAt,
    inputs: readInputs(file),
    isAtRest: !isLast || Date.now() - mtimeMs > completeAfterMs,
  });
  const left = lines.filter((one) => one.end > given);
  for (let at = 0; at < left.length || (at === 0 && end > given); at += linesPerBatch) {
    signal?.throwIfAborted();
    const batch = left.slice(at, at + linesPerBatch);
    const isDone = at + linesPerBatch >= left.length;
    const offset = isDone ? end : batch.at(-1)!.end;
    yield {
      lines: batch.map(({ line }) => line),
      cursor: { offset, lineHash: hashAt(bytes, offset) },
      skipped: {},
    };
    await new Promise((resolve) => setImmediate(resolve));
  }
}

const hashAt = (bytes: Buffer, offset: number) =>
  createHash("sha256").update(bytes.subarray(0, offset)).digest("hex").slice(0, 32);
