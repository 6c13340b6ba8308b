import type { ForeignDatabase } from "../../store/sqlite/open-to-read.ts";
import type { Agent, Cursor, ReadBatch, TranscriptFile, TranscriptInfo, TranscriptLine } from "../agent.ts";
import { known } from "../reading/json.ts";
import { noSession } from "../reading/read-lines.ts";
import { todosOf } from "../reading/tool-calls.ts";
import { tally, titleLines } from "../reading/transcript-lines.ts";
import {
  databaseAt,
  databasesIn,
  openDatabase,
  placeOf,
  type SessionRow,
  sessionIn,
  sessionsIn,
  withDatabase,
} from "./database.ts";
import { linesOf } from "./message.ts";
import { dataDir, opencodeProfile } from "./profile.ts";
import { SessionMessages } from "./session-messages.ts";
import { opencodeSetup } from "./setup.ts";

/** OpenCode; its database as clients from 1.2 to 1.18 write it. */
export const opencode: Agent = {
  ...opencodeProfile,
  setup: opencodeSetup,
  roots: (env = process.env) => [dataDir(env)],
  sortsByPlace: false,
  isTranscript: (path) => placeOf(path) !== null,
  directoryOf: () => null,
  database: { isPart: (path) => databaseAt(path) !== null, stat },
  // Copies of repositories, for its own undo.
  unwatched: ["snapshot", "repos", "log", "bin"],
  todos: todosOf("todowrite"),
  lacksBranch: true,
  list,
  describe: async (path) => {
    const place = placeOf(path);
    return place && withDatabase(place.file, (db) => describe(db, place.session));
  },
  read,
};

function stat(path: string): TranscriptFile | null {
  const place = placeOf(path);
  return place && withDatabase(place.file, (db) => sessionsIn(db, place.file, place.session)[0] ?? null);
}

async function* list(path: string): AsyncGenerator<TranscriptFile, void, undefined> {
  const one = placeOf(path) ? stat(path) : null;
  if (one) yield one;
  for (const file of await databasesIn(path)) yield* withDatabase(file, (db) => sessionsIn(db, file)) ?? [];
}

function describe(db: ForeignDatabase, id: string): TranscriptInfo | null {
  const session = sessionIn(db, id);
  if (session === null) return null;
  const above = known(session.parent_id);
  const parent = above === null ? null : sessionIn(db, above);
  return {
    session: uidOf(session),
    parent:
      above === null
        ? null
        : {
            session: parent ? uidOf(parent) : above,
            toolUse: null,
            agentType: known(session.agent),
            task: taskOf(session),
          },
    cwd: session.directory,
    startedAt: session.time_created ?? null,
  };
}

const uidOf = ({ id, parent_id }: SessionRow) => (known(parent_id) === null ? id : `${parent_id}/${id}`);

/** "Find the limit (@general subagent)" */
const taskOf = ({ title }: SessionRow) =>
  known(title?.replace(/ \(@[^()]* subagent\)$/, ""))?.slice(0, 1000) ?? null;

/** Titles until the client asks a model for one. */
const untitled = /^(?:New|Child) session - \d/;

const titleOf = ({ title, parent_id }: SessionRow) =>
  untitled.test(title ?? "") || known(parent_id) !== null ? null : title;

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
  const place = placeOf(path);
  const db = place && openDatabase(place.file);
  try {
    const session = place && db && sessionIn(db, place.session);
    if (!db || !session) throw noSession(path);
    const messages = new SessionMessages(db, session);
    const start = cursor === null ? 0 : messages.countIn(cursor, path);
    let before = messages.lastUidBefore(start);
    let taken = start;
    for (let done = false; !done; ) {
      signal?.throwIfAborted();
      const lines: TranscriptLine[] = [];
      const skipped: Record<string, number> = {};
      const from = messages.sizeOf(taken);
      done = true;
      for (; messages.isComplete(taken) && done; taken++) {
        const read = linesOf(messages.message(taken), before, session.directory);
        before = read.lines.at(-1)?.uid ?? before;
        lines.push(...read.lines);
        for (const reason of read.skipped) tally(skipped, reason);
        done = messages.sizeOf(taken + 1) - from < batchSize;
      }
      const next = messages.cursorAt(taken);
      // The size alone changes when the client clears a tool's old output.
      const isNew = taken > 0 && (next.offset !== cursor?.offset || next.lineHash !== cursor.lineHash);
      if (done && isNew) lines.push(...titleLines(titleOf(session)));
      if (isNew) yield { lines, cursor: next, skipped };
      await new Promise((resolve) => setImmediate(resolve));
    }
  } finally {
    db?.close();
  }
}
