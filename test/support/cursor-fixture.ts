import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Sqlite } from "../../src/store/sqlite/sqlite.ts";

/** Databases of Cursor, in the shape that docs/sessions.md says; not recorded from the editor. */

const schema = `
PRAGMA journal_mode = WAL;
CREATE TABLE IF NOT EXISTS ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);
CREATE TABLE IF NOT EXISTS cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);
`;
const headersSchema = `
CREATE TABLE IF NOT EXISTS composerHeaders (composerId TEXT PRIMARY KEY, workspaceId TEXT, createdAt INTEGER,
  lastUpdatedAt INTEGER, isSubagent INTEGER, value TEXT);
`;

function write(file: string, work: (db: Sqlite) => void): void {
  const db = new Sqlite(file, { mode: "create", timeoutMs: 2000 });
  try {
    db.exec(schema);
    work(db);
  } finally {
    db.close();
  }
}

const put = (db: Sqlite, key: string, value: unknown, table = "cursorDiskKV") =>
  db
    .prepare(`INSERT INTO ${table} (key, value) VALUES (?, ?)`)
    .run(key, Buffer.from(typeof value === "string" ? value : JSON.stringify(value)));

export const cursorStart = Date.now();

interface Options {
  id?: string;
  cwd?: string | null;
  start?: number;
  name?: string;
  /** Where the folder is said: beside the conversation, or in the workspace's own database. */
  place?: "headers" | "workspace";
  /** Of the database; `globalStorage` if left out. */
  storage?: string;
  parent?: { parentComposerId: string; subagentTypeName: string; toolCallId: string };
}

/** A conversation in `<user>/globalStorage/state.vscdb`. */
export function cursorConversation(user: string, options: Options = {}) {
  const {
    id = "0b5a77aa-1111-4222-8333-444455556666",
    cwd = "/home/dev/shop",
    start = cursorStart,
  } = options;
  const { name = "Heron importer", place = "headers", parent } = options;
  const storage = options.storage ?? join(user, "globalStorage");
  mkdirSync(storage, { recursive: true });
  const file = join(storage, "state.vscdb");
  const ids: string[] = [];
  const composer: Record<string, unknown> = {
    _v: 10,
    composerId: id,
    name,
    createdAt: start,
    lastUpdatedAt: start,
    status: "completed",
    modelConfig: { modelName: "claude-4.5-sonnet" },
  };
  const save = (db: Sqlite) => {
    composer.fullConversationHeadersOnly = ids.map((bubbleId) => ({ bubbleId, type: 1 }));
    put(db, `composerData:${id}`, composer);
  };
  const c = {
    id,
    file,
    path: join(file, id),
    run: (work: (db: Sqlite) => void) => write(file, work),
    set(fields: object) {
      Object.assign(composer, fields);
      write(file, save);
    },
    bubble(type: number, fields: object) {
      const bubbleId = `${id}-${ids.length}`;
      ids.push(bubbleId);
      composer.lastUpdatedAt = Date.now();
      const createdAt = new Date(start + ids.length * 1000).toISOString();
      write(file, (db) => {
        put(db, `bubbleId:${id}:${bubbleId}`, { _v: 3, type, bubbleId, createdAt, text: "", ...fields });
        save(db);
      });
      return bubbleId;
    },
    rewrite: (bubbleId: string, type: number, fields: object) =>
      write(file, (db) =>
        put(db, `bubbleId:${id}:${bubbleId}`, { _v: 3, type, bubbleId, text: "", ...fields }),
      ),
    prompt: (text: string, more: object = {}) => c.bubble(1, { text, ...more }),
    say: (text: string, more: object = {}) => c.bubble(2, { text, ...more }),
    call: (tool: string, params: object, result: unknown = "", more: object = {}) =>
      c.bubble(2, { toolFormerData: called(tool, params, result, more) }),
    content(text: string) {
      const key = `composer.content.${Buffer.from(text).toString("hex").slice(0, 64)}`;
      write(file, (db) => put(db, key, text));
      return key;
    },
    edit(path: string, before: string | null, after: string) {
      const beforeContentId = before === null ? undefined : c.content(before);
      const params = { relativeWorkspacePath: path, noCodeblock: true };
      return c.call("edit_file_v2", params, { beforeContentId, afterContentId: c.content(after) });
    },
    /** The human went back to a message. */
    backTo(bubbleId: string) {
      ids.splice(ids.indexOf(bubbleId));
      write(file, save);
    },
  };
  write(file, (db) => {
    save(db);
    if (place === "headers" && cwd !== null) {
      db.exec(headersSchema);
      const value = {
        workspaceIdentifier: { uri: { fsPath: cwd } },
        ...(parent && { subagentInfo: parent }),
      };
      db.prepare("INSERT INTO composerHeaders VALUES (?, 'w', ?, ?, ?, ?)").run(
        id,
        start,
        start,
        parent ? 1 : 0,
        JSON.stringify(value),
      );
    }
  });
  if (place === "workspace" && cwd !== null) {
    const workspace = join(user, "workspaceStorage", "a1b2");
    mkdirSync(workspace, { recursive: true });
    writeFileSync(join(workspace, "workspace.json"), JSON.stringify({ folder: pathToFileURL(cwd).href }));
    write(join(workspace, "state.vscdb"), (db) =>
      put(db, "composer.composerData", { allComposers: [{ composerId: id }] }, "ItemTable"),
    );
  }
  return c;
}

export function called(tool: string, params: object, result: unknown = "", more: object = {}) {
  const json = typeof result === "string" ? result : JSON.stringify(result);
  const toolCallId = `call_${tool}_${JSON.stringify(params).length}`;
  return {
    name: tool,
    status: "completed",
    toolCallId,
    params: JSON.stringify(params),
    result: json,
    ...more,
  };
}
