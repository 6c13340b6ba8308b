import { createHash } from "node:crypto";
import { basename, dirname, join } from "node:path";
import type { Agent, Cursor, ReadBatch, TranscriptFile, TranscriptInfo } from "../agent.ts";
import { aiderProfile } from "../profiles.ts";
import { noSession, transcriptChanged } from "../reading/read-lines.ts";
import {
  type Chat,
  historyAt,
  historyName,
  inputsBeside,
  placeOf,
  sessionId,
  transcriptsIn,
} from "./history.ts";
import { understand } from "./understand.ts";

/** Aider, whose chats are in the repository that they are about. */
export const aider: Agent = {
  ...aiderProfile,
  roots: () => [],
  placesIn: (root) => [join(root, historyName)],
  sortsByPlace: false,
  isTranscript: (path) => placeOf(path) !== null,
  directoryOf: () => null,
  database: { isPart: (path) => basename(path) === historyName, stat },
  lacksBranch: true,
  list,
  describe: async (path) => describe(path),
  read,
};

function stat(path: string): TranscriptFile | null {
  const place = placeOf(path);
  return (place && transcriptsIn(place.file).find((one) => one.path === path)) ?? null;
}

async function* list(path: string): AsyncGenerator<TranscriptFile, void, undefined> {
  if (placeOf(path)) {
    const one = stat(path);
    if (one) yield one;
  } else if (basename(path) === historyName) yield* transcriptsIn(path);
  else yield* transcriptsIn(join(path, historyName));
}

function chatAt(
  path: string,
): { file: string; chat: Chat; bytes: Buffer; mtimeMs: number; isLast: boolean } | null {
  const place = placeOf(path);
  const history = place && historyAt(place.file);
  const chat = history?.chats.find(({ name }) => name === place!.name);
  if (!place || !history || !chat) return null;
  const bytes = history.bytes.subarray(chat.start, chat.end);
  return { file: place.file, chat, bytes, mtimeMs: history.mtimeMs, isLast: chat === history.chats.at(-1) };
}

function describe(path: string): TranscriptInfo | null {
  const found = chatAt(path);
  if (found === null) return null;
  const { file, chat } = found;
  const session = sessionId(file, chat.name);
  return { session, parent: null, cwd: dirname(file), startedAt: chat.startedAt };
}

/** A text behind which nothing was printed for this long is whole. Milliseconds. */
const atRest = 60_000;
/** Lines per batch. */
const atOnce = 500;

/** The cursor holds the bytes of the chat that were read, and their hash. */
async function* read(
  path: string,
  cursor: Cursor | null,
  signal?: AbortSignal,
): AsyncGenerator<ReadBatch, void, undefined> {
  signal?.throwIfAborted();
  const found = chatAt(path);
  if (found === null) throw noSession(path);
  const { file, chat, bytes, mtimeMs, isLast } = found;
  const given = cursor?.offset ?? 0;
  if (cursor !== null && (given > bytes.length || cursor.lineHash !== hashAt(bytes, given)))
    throw transcriptChanged(path);
  const { lines, end } = understand(bytes, {
    session: sessionId(file, chat.name),
    cwd: dirname(file),
    startedAt: chat.startedAt,
    inputs: inputsBeside(file),
    isAtRest: !isLast || Date.now() - mtimeMs > atRest,
  });
  const left = lines.filter((one) => one.end > given);
  for (let at = 0; at < left.length || (at === 0 && end > given); at += atOnce) {
    signal?.throwIfAborted();
    const batch = left.slice(at, at + atOnce);
    const isDone = at + atOnce >= left.length;
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
