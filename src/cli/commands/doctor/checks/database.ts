import { statSync } from "node:fs";
import { basename } from "node:path";
import { messageOf } from "../../../../project/errors.ts";
import { isDamaged } from "../../../../store/sqlite/database.ts";
import { humanBytes } from "../../../terminal/output.ts";
import { type CheckResult, fail, ok, warn } from "./check.ts";

/** What is to be said of one of Pommel's databases. */
export interface DatabaseToCheck {
  file: string;
  /** The schema that this Pommel knows. */
  schema: number;
  /** It is not there: as good as well, or to be mended. */
  absent: CheckResult;
  /** What to do when it is damaged, and when a newer Pommel wrote it. */
  damaged: string;
  tooNew: string;
}

/** Whether SQLite finds a database sound, and whether its schema is this Pommel's. Reads the whole file. */
export async function checkDatabase(asked: DatabaseToCheck): Promise<CheckResult> {
  const { file, schema: known, absent, damaged, tooNew } = asked;
  const name = basename(file);
  const size = statSync(file, { throwIfNoEntry: false })?.size;
  if (size === undefined) return absent;
  try {
    const { Sqlite } = await import("../../../../store/sqlite/sqlite.ts");
    const db = new Sqlite(file, { mode: "read", timeoutMs: 5000 });
    try {
      const verdict = db.pragma("quick_check(1)");
      if (verdict !== "ok") return fail(`${name} is damaged: ${verdict}`, damaged);
      const schema = Number(db.pragma("user_version"));
      if (schema > known) {
        return fail(
          `${name} was written by a newer Pommel (schema ${schema}; this version supports ${known}).`,
          tooNew,
        );
      }
      if (schema < known) {
        return warn(`${name} was written by an older Pommel (schema ${schema}).`, "Run `pm start`.");
      }
      return ok(`${name} is sound (schema ${schema}, ${humanBytes(size)})`);
    } finally {
      db.close();
    }
  } catch (error) {
    return isDamaged(error)
      ? fail(`${name} is damaged: ${messageOf(error)}`, damaged)
      : fail(`${name} cannot be read: ${messageOf(error)}`, "Check who owns the file.");
  }
}
