import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { Sqlite } from "../../src/store/sqlite/sqlite.ts";

/** An OpenCode database as client 1.18 writes it, with the columns that matter. */

const schema = `
PRAGMA synchronous = OFF;
CREATE TABLE IF NOT EXISTS session (id TEXT PRIMARY KEY, parent_id TEXT, directory TEXT NOT NULL, title TEXT NOT NULL,
  agent TEXT, time_created INTEGER NOT NULL, time_updated INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS message (id TEXT PRIMARY KEY, session_id TEXT NOT NULL, time_created INTEGER NOT NULL,
  time_updated INTEGER NOT NULL, data TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS part (id TEXT PRIMARY KEY, message_id TEXT NOT NULL, session_id TEXT NOT NULL,
  time_created INTEGER NOT NULL, time_updated INTEGER NOT NULL, data TEXT NOT NULL);
`;

const model = { providerID: "anthropic", modelID: "claude-sonnet-4-5" };
const tokens = { total: 127, input: 100, output: 20, reasoning: 7, cache: { write: 3, read: 40 } };
/** Now: a message that nobody completes for a while counts as abandoned. */
export const opencodeStart = Date.now();

export type OpencodePart = Record<string, unknown>;

interface Options {
  session?: string;
  parent?: string;
  cwd?: string;
  title?: string;
  agent?: string;
  start?: number;
}

/** The parts of an assistant's message. */
export const said = (text: string): OpencodePart => ({ type: "text", text, time: { start: 1, end: 2 } });
export const thought = (text: string): OpencodePart => ({
  type: "reasoning",
  text,
  time: { start: 1, end: 2 },
});

export function ran(
  tool: string,
  callID: string,
  input: object,
  { output = "", metadata = {}, error }: { output?: string; metadata?: object; error?: string } = {},
): OpencodePart {
  const time = { start: opencodeStart + 500, end: opencodeStart + 600 };
  const state = error
    ? { status: "error", input, error, time }
    : { status: "completed", input, output, metadata, title: tool, time };
  return { type: "tool", tool, callID, state };
}

export const edited = (callID: string, filePath: string, before: string, after: string): OpencodePart =>
  ran(
    "edit",
    callID,
    { filePath, oldString: before, newString: after },
    {
      output: "Edit applied successfully.",
      metadata: {
        diagnostics: {},
        diff: `Index: ${filePath}\n${"=".repeat(67)}\n--- ${filePath}\n+++ ${filePath}\n@@ -1,2 +1,2 @@\n-${before}\n+${after}\n export const limit = 7;\n`,
      },
    },
  );

/** A session in the database `opencode.db` of a directory. */
export function opencodeSession(dir: string, options: Options = {}) {
  const { session = "ses_1", parent = null, cwd = "/home/dev/shop", start = opencodeStart } = options;
  const { title = "New session - 2026-03-02T09:00:00.000Z", agent = "build" } = options;
  const file = join(dir, "opencode.db");
  mkdirSync(dirname(file), { recursive: true });
  let clock = start;
  let count = 0;
  const run = <T>(work: (db: Sqlite) => T): T => {
    const db = new Sqlite(file, { mode: "create", timeoutMs: 1000 });
    try {
      db.exec(schema);
      return work(db);
    } finally {
      db.close();
    }
  };
  const id = (kind: string) => `${kind}_${session}_${String(++count).padStart(4, "0")}`;
  const touch = (db: Sqlite) =>
    db.prepare("UPDATE session SET time_updated = ? WHERE id = ?").run(clock, session);
  run((db) =>
    db
      .prepare("INSERT OR IGNORE INTO session VALUES (?, ?, ?, ?, ?, ?, ?)")
      .run(session, parent, cwd, title, agent, start, start),
  );
  let lastPrompt = "";

  /** Adds a message. @returns its id */
  function message(data: object, parts: readonly OpencodePart[]): string {
    return run((db) => {
      const messageId = id("msg");
      db.prepare("INSERT INTO message VALUES (?, ?, ?, ?, ?)").run(
        messageId,
        session,
        clock,
        clock,
        JSON.stringify(data),
      );
      for (const part of parts) insertPart(db, messageId, part);
      touch(db);
      return messageId;
    });
  }

  function insertPart(db: Sqlite, messageId: string, part: OpencodePart): void {
    db.prepare("INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)").run(
      id("prt"),
      messageId,
      session,
      clock,
      clock,
      JSON.stringify(part),
    );
  }

  return {
    session,
    cwd,
    file,
    path: join(file, session),
    message,
    run,
    prompt(text: string, more: readonly OpencodePart[] = []): string {
      clock += 1000;
      lastPrompt = message({ role: "user", time: { created: clock }, agent, model }, [
        { type: "text", text },
        ...more,
      ]);
      return lastPrompt;
    },
    /** @param how `isOpen`: it is still being written */
    answer(
      parts: readonly OpencodePart[],
      how: { isOpen?: boolean; summary?: boolean; error?: object } = {},
    ) {
      clock += 1000;
      const data = {
        parentID: lastPrompt,
        role: "assistant",
        mode: agent,
        agent,
        path: { cwd, root: cwd },
        cost: 0.0006,
        tokens,
        ...model,
        time: { created: clock, ...(!how.isOpen && { completed: clock + 800 }) },
        ...(how.summary && { summary: true }),
        ...(how.error && { error: how.error }),
      };
      const framed = [{ type: "step-start", snapshot: "746f" }, ...parts, { type: "step-finish", tokens }];
      return message(data, how.isOpen ? parts : framed);
    },
    /** Completes an open message. */
    complete(messageId: string, parts: readonly OpencodePart[]): void {
      run((db) => {
        const row = db.prepare("SELECT data FROM message WHERE id = ?").get(messageId) as { data: string };
        const data = JSON.parse(row.data);
        data.time.completed = clock + 900;
        db.prepare("UPDATE message SET data = ? WHERE id = ?").run(JSON.stringify(data), messageId);
        for (const part of parts) insertPart(db, messageId, part);
        touch(db);
      });
    },
    /** Removes a message and all after it, as the client does with what was undone. */
    undo(messageId: string): void {
      run((db) => {
        db.prepare("DELETE FROM part WHERE session_id = ? AND message_id >= ?").run(session, messageId);
        db.prepare("DELETE FROM message WHERE session_id = ? AND id >= ?").run(session, messageId);
        touch(db);
      });
    },
    retitle(text: string): void {
      run((db) => db.prepare("UPDATE session SET title = ? WHERE id = ?").run(text, session));
    },
    /** Copies the session as `--fork` does: other ids, the same times and content. */
    fork(to: string) {
      const copy = opencodeSession(dir, { ...options, session: to, start: clock });
      run((db) => {
        const messages = db
          .prepare(
            "SELECT id, time_created, data FROM message WHERE session_id = ? ORDER BY time_created, id",
          )
          .all(session) as { id: string; time_created: number; data: string }[];
        for (const one of messages) {
          const messageId = id(`msg_${to}`);
          db.prepare("INSERT INTO message VALUES (?, ?, ?, ?, ?)").run(
            messageId,
            to,
            one.time_created,
            clock,
            one.data,
          );
          const parts = db.prepare("SELECT data FROM part WHERE message_id = ? ORDER BY id").all(one.id);
          for (const { data } of parts as { data: string }[])
            db.prepare("INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)").run(
              id(`prt_${to}`),
              messageId,
              to,
              clock,
              clock,
              data,
            );
        }
      });
      return copy;
    },
  };
}
