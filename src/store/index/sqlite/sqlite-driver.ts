import { lstatSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { getErrorCode, getErrorMessage } from "../../../base/errors.ts";
import type { Logger } from "../../../base/log.ts";
import { checkDatabase } from "../../sqlite/database.ts";
import { openToRead } from "../../sqlite/open-to-read.ts";
import type { IndexDriver } from "../port.ts";
import { reconciledAt } from "../port.ts";
import { IndexDatabase } from "./index-database.ts";
import { codeSchema, findWrongTotals } from "./schema.ts";
import { SqliteIndex } from "./sqlite-index.ts";

/** The code index in one file, `index.db`; nothing to install or to run. */
export const sqliteDriver: IndexDriver = {
  async openToWrite(file, log) {
    try {
      return { index: SqliteIndex.open(file, { readonly: false }), note: null };
    } catch (error) {
      if (!["index_corrupt", "unreadable"].includes(getErrorCode(error))) throw error;
      const note = await moveAside(file, getErrorMessage(error), log);
      return { index: SqliteIndex.open(file, { readonly: false }), note };
    }
  },
  openBeside: (file) => SqliteIndex.open(file, { readonly: false }),
  read: (file, use) => openToRead(file, openReadable, (db) => use(new SqliteIndex(db))),
  moveAside,
  check: async (file) => checkDatabase(file, codeSchema, findWrongTotals),
  countBytes: async (file) => listDatabaseFiles(file).reduce((sum, one) => sum + measureFileBytes(one), 0),
  place: "",
};

/** Whether a WAL database can be read comes out with the first read only. */
function openReadable(file: string): IndexDatabase {
  const db = IndexDatabase.open(file, { readonly: true });
  try {
    db.readMeta(reconciledAt);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** A database in WAL mode, and what SQLite keeps beside it. */
const listDatabaseFiles = (file: string) => ["", "-wal", "-shm"].map((end) => file + end);

const measureFileBytes = (file: string) => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

/** Moves the file with its -wal and -shm to `index.db.corrupt-<time>`. */
async function moveAside(file: string, why: string, log: Logger): Promise<string> {
  const prefix = `${basename(file)}.corrupt-`;
  for (const name of readdirSync(dirname(file))) {
    if (name.startsWith(prefix)) rmSync(join(dirname(file), name), { recursive: true, force: true });
  }
  const aside = `${file}.corrupt-${new Date().toISOString().replace(/[:.]/g, "-")}`;
  for (const end of ["", "-wal", "-shm"]) {
    // A dangling link is something, too.
    if (lstatSync(file + end, { throwIfNoEntry: false })) renameSync(file + end, aside + end);
  }
  const note = `The index was damaged and is being rebuilt; the old one is ${basename(aside)}.`;
  log.error(`${why} ${note}`);
  return note;
}
