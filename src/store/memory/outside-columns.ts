import { describeKind, fits, type OutsideKind } from "../../protocol/outside.ts";
import type { Memory } from "./memory.ts";

/**
 * The columns of memory.db that hold ids, paths and names from outside, and what each of them is; in brackets: a JSON array of
 * these. Other columns hold what people read, or what Pommel itself has written.
 */
export const outsideColumns: Readonly<
  Record<string, Readonly<Record<string, OutsideKind | readonly [OutsideKind]>>>
> = {
  sessions: { uid: "session", agent: "agent", parent_tool_use: "id", cwd: "place", branch: "branch" },
  transcripts: { path: "place", agent: "agent" },
  lines: { uid: "id" },
  turns: { branch: "branch" },
  turn_files: { path: "place" },
  usage: { message_uid: "id" },
  annotations: { uid: "uid", session_uid: "session", line_uid: "id", branch: "branch" },
  commits: {
    ...{ hash: "commit", tree: "commit", parents: ["commit"], branch: "branch" },
    ...{ patch_id: "commit", rewritten_from: ["commit"] },
  },
  commit_files: { path: "file", old_path: "file" },
  attributions: { path: "file", session_uid: "reference", tool_use: "id" },
  checkpoints: { uid: "uid", parent_uid: "uid" },
  checkpoint_sessions: { checkpoint_uid: "uid", session_uid: "session" },
  events: { uid: "uid", branch: "branch" },
  event_links: { event_uid: "uid", target_uid: "reference" },
  chunks: { uid: "reference", branch: "branch" },
  observations: { path: "place" },
  injections: { session_uid: "session" },
};

/** The first value that is not what its column holds, as a sentence; null: each is. For a memory that somebody else may have written. */
export function oddValueIn(memory: Memory): string | null {
  for (const [table, columns] of Object.entries(outsideColumns)) {
    for (const [column, kinds] of Object.entries(columns)) {
      const kind = typeof kinds === "string" ? kinds : kinds[0];
      const values =
        typeof kinds === "string"
          ? `SELECT DISTINCT ${column} FROM ${table} WHERE ${column} IS NOT NULL`
          : `SELECT DISTINCT value FROM ${table}, json_each(${column})`;
      for (const value of memory.prepare(values).pluck().iterate()) {
        if (typeof value === "string" && fits(kind, value)) continue;
        return `${table}.${column} holds ${JSON.stringify(String(value).slice(0, 60))}, which is not ${describeKind(kind)}`;
      }
    }
  }
  return null;
}
