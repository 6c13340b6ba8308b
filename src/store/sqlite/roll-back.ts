import { existsSync } from "node:fs";
import { Sqlite } from "./sqlite.ts";

/**
 * Undoes what a process was killed in while the database had no log: when it was to be copied or replaced. Who only reads cannot,
 * and would fail until somebody writes. Does nothing where nothing is left, or it may not be written.
 */
export function rollBack(file: string): void {
  if (!existsSync(`${file}-journal`)) return;
  let db: Sqlite | undefined;
  try {
    db = new Sqlite(file, { mode: "write", timeoutMs: 2000 });
    db.pragma("schema_version");
  } catch {
    // Who opens it next says why it cannot be used.
  } finally {
    db?.close();
  }
}
