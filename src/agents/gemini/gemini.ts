import { dirname, join, resolve, sep } from "node:path";
import type { Agent, ReadBatch, TranscriptFile } from "../agent.ts";
import { createReader, skip } from "../reading/json-lines.ts";
import { listFiles } from "../reading/list-files.ts";
import { readObject } from "../reading/read-object.ts";
import { countReason } from "../reading/transcript-lines.ts";
import { isOneObject, listPlaceFiles, readHead, readIdentity } from "./describe.ts";
import { locateGeminiHome } from "./home.ts";
import { makeReplay, type Replay } from "./message.ts";
import { geminiProfile } from "./profile.ts";
import { asRecord } from "./record-schema.ts";
import { take } from "./replay.ts";
import { geminiSetup } from "./setup.ts";

/** Gemini CLI; its chats as clients from 0.20 to 0.61 write them. */
export const gemini: Agent = {
  ...geminiProfile,
  setup: geminiSetup,
  listRoots: locateRoots,
  sortsByPlace: true,
  isTranscript,
  findDirectoryToWatch: findLaunchFolder,
  listPartFiles: listPlaceFiles,
  lacksBranch: true,
  ignoredLineTypes: new Set(["$rewindTo", "$set", "info", "metadata"]),
  list,
  describe: (file) => readIdentity(file),
  read: (file, cursor, signal) =>
    isOneObject(file)
      ? readObject(file, cursor, (object) => readChat(object, file, signal), signal)
      : readLog(file, cursor, signal),
};

/** An older client's chat. */
async function readChat(
  object: Record<string, unknown>,
  file: string,
  signal?: AbortSignal,
): Promise<Pick<ReadBatch, "lines" | "skipped"> | null> {
  const record = asRecord(object);
  if (record === null) return null;
  const replay = await beginReplay(file, signal);
  const first = take(replay, record);
  const lines = [...first.lines];
  const skipped: Record<string, number> = {};
  for (const each of Array.isArray(record.messages) ? record.messages : []) {
    const message = asRecord(each);
    const taken = message ? take(replay, message) : skip("malformed");
    lines.push(...taken.lines);
    if (taken.skipped) countReason(skipped, taken.skipped);
  }
  return { lines, skipped };
}

const beginReplay = async (file: string, signal?: AbortSignal) =>
  makeReplay((await readIdentity(file, signal))?.cwd ?? null);

/** Nearly half of a chat's lines only update the time. */
const touched = Buffer.from('{"$set":{"lastUpdated":"');

const maxTouch = 80;

const brace = 125;

/** A chat as a log of lines. */
const readLog = createReader<Replay>({
  begin: beginReplay,
  noise: (bytes) => {
    const isTouch = bytes.length <= maxTouch && bytes.subarray(0, touched.length).equals(touched);
    return isTouch && bytes.at(-1) === brace ? "type:$set" : null;
  },
  understand(value, replay) {
    const record = asRecord(value);
    return record ? take(replay, record) : skip("malformed");
  },
  // Do not cache the state of a file whose directory is not known yet.
  isKept: ({ cwd }) => cwd !== null,
});

/** Gemini CLI's chats, one folder per launch directory. */
function locateRoots(env: NodeJS.ProcessEnv = process.env): string[] {
  return [resolve(locateGeminiHome(env), "tmp")];
}

/** Includes chats of clients up to 0.36, a single object; other `.json` files are not chats. */
function isTranscript(path: string): boolean {
  return path.endsWith(".jsonl") || isOneObject(path);
}

const chats = "chats";

/** The folder of one launch directory: `tmp/<place>/chats/...`. */
function findLaunchFolder(path: string): string | null {
  const parts = dirname(path).split(sep);
  const at = parts.lastIndexOf(chats);
  return at >= 2 && parts[at - 2] === "tmp" ? parts.slice(0, at).join(sep) : null;
}

/** Every chat under a directory, or the chat at `path` preceded by its subagents', in order of path. */
async function* list(path: string): AsyncGenerator<TranscriptFile, void, undefined> {
  const start = resolve(path);
  for await (const file of listFiles(start, { isWanted: isTranscript })) {
    if (file.path === start) {
      const session = (await readHead(start).catch(() => null))?.metadata.sessionId;
      // Only an id, not a path.
      if (session && /^[\w-]+$/.test(session))
        yield* listFiles(join(dirname(start), session), { isWanted: isTranscript });
    }
    yield file;
  }
}
