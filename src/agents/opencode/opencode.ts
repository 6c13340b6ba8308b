import type { ForeignDatabase } from "../../store/sqlite/open-to-read.ts";
import type { Agent, Cursor, ReadBatch, TranscriptFile, TranscriptInfo, TranscriptLine } from "../agent.ts";
import { emptyToNull } from "../reading/json.ts";
import { makeNoSessionError } from "../reading/read-lines.ts";
import { makeTodosReader } from "../reading/tool-calls.ts";
import { countReason, makeTitleLines } from "../reading/transcript-lines.ts";
import {
  findDatabase,
  listDatabases,
  listTranscripts,
  openDatabase,
  parseSessionPath,
  readSession,
  type SessionRow,
  withDatabase,
} from "./database.ts";
import { makeMessageLines } from "./message.ts";
import { locateDataDir, opencodeProfile } from "./profile.ts";
import { SessionMessages } from "./session-messages.ts";
import { opencodeSetup } from "./setup.ts";

/** OpenCode; its database as clients from 1.2 to 1.18 write it. */
export const opencode: Agent = {
  ...opencodeProfile,
  setup: opencodeSetup,
  listRoots: (env = process.env) => [locateDataDir(env)],
  sortsByPlace: false,
  isTranscript: (path) => parseSessionPath(path) !== null,
  findDirectoryToWatch: () => null,
  database: { isPart: (path) => findDatabase(path) !== null, stat: statSession },
  // Copies of repositories, for its own undo.
  unwatched: ["snapshot", "repos", "log", "bin"],
  todos: makeTodosReader("todowrite"),
  lacksBranch: true,
  list,
  describe: async (path) => {
    const place = parseSessionPath(path);
    return place && withDatabase(place.file, (db) => describe(db, place.session));
  },
  read,
};

function statSession(path: string): TranscriptFile | null {
  const place = parseSessionPath(path);
  return place && withDatabase(place.file, (db) => listTranscripts(db, place.file, place.session)[0] ?? null);
}

async function* list(path: string): AsyncGenerator<TranscriptFile, void, undefined> {
  const one = parseSessionPath(path) ? statSession(path) : null;
  if (one) yield one;
  for (const file of await listDatabases(path))
    yield* withDatabase(file, (db) => listTranscripts(db, file)) ?? [];
}

function describe(db: ForeignDatabase, id: string): TranscriptInfo | null {
  const session = readSession(db, id);
  if (session === null) return null;
  const above = emptyToNull(session.parent_id);
  const parent = above === null ? null : readSession(db, above);
  return {
    session: makeSessionId(session),
    parent:
      above === null
        ? null
        : {
            session: parent ? makeSessionId(parent) : above,
            toolUse: null,
            agentType: emptyToNull(session.agent),
            task: parseTaskFromTitle(session),
          },
    cwd: session.directory,
    startedAt: session.time_created ?? null,
  };
}

const makeSessionId = ({ id, parent_id }: SessionRow) =>
  emptyToNull(parent_id) === null ? id : `${parent_id}/${id}`;

/** "Find the limit (@general subagent)" */
const parseTaskFromTitle = ({ title }: SessionRow) =>
  emptyToNull(title?.replace(/ \(@[^()]* subagent\)$/, ""))?.slice(0, 1000) ?? null;

/** Titles until the client asks a model for one. */
const untitled = /^(?:New|Child) session - \d/;

const findTitle = ({ title, parent_id }: SessionRow) =>
  untitled.test(title ?? "") || emptyToNull(parent_id) !== null ? null : title;

/** How much is read at once. Bytes. */
const batchSize = 1024 * 1024;

/**
 * A session's messages, each once it is complete. The cursor holds the size of the parts that were read; and, in its
 * hash, their messages' ids, as an undone message is deleted when the conversation goes on, and the title.
 */
async function* read(
  path: string,
  cursor: Cursor | null,
  signal?: AbortSignal,
): AsyncGenerator<ReadBatch, void, undefined> {
  const place = parseSessionPath(path);
  const db = place && openDatabase(place.file);
  try {
    const session = place && db && readSession(db, place.session);
    if (!db || !session) throw makeNoSessionError(path);
    const messages = new SessionMessages(db, session);
    const start = cursor === null ? 0 : messages.countIn(cursor, path);
    let before = messages.findLastUid(start);
    let taken = start;
    for (let done = false; !done; ) {
      signal?.throwIfAborted();
      const lines: TranscriptLine[] = [];
      const skipped: Record<string, number> = {};
      const from = messages.measureUpTo(taken);
      done = true;
      for (; messages.isComplete(taken) && done; taken++) {
        const read = makeMessageLines(messages.readMessage(taken), before, session.directory);
        before = read.lines.at(-1)?.uid ?? before;
        lines.push(...read.lines);
        for (const reason of read.skipped) countReason(skipped, reason);
        done = messages.measureUpTo(taken + 1) - from < batchSize;
      }
      const next = messages.makeCursor(taken);
      // The size alone changes when the client clears a tool's old output.
      const isNew = taken > 0 && (next.offset !== cursor?.offset || next.lineHash !== cursor.lineHash);
      if (done && isNew) lines.push(...makeTitleLines(findTitle(session)));
      if (isNew) yield { lines, cursor: next, skipped };
      await new Promise((resolve) => setImmediate(resolve));
    }
  } finally {
    db?.close();
  }
}
