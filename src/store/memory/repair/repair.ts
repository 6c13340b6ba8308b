import { existsSync } from "node:fs";
import { PommelError } from "../../../base/errors.ts";
import { makeDraftPath, sync } from "../../../base/files/replace-file.ts";
import { removeDatabase } from "../../sqlite/copy-database.ts";
import { putInPlace, recoverMemory } from "../backups/put-in-place.ts";
import { enqueue } from "../jobs/jobs.ts";
import { Memory } from "../memory.ts";
import { type Salvaged, salvageMemory } from "./salvage.ts";

export interface Repaired extends Salvaged {
  /** The damaged file, as it was. */
  aside: string;
  /** Transcripts that are read again from their beginning, as their sessions miss something. */
  rereads: string[];
}

/** Of the queue: as an import. */
const rereadPriority = 100;

/**
 * Puts what can be read of a damaged memory into a new one, in its place; the damaged file stays beside it. Sessions
 * that miss something are read again where their transcripts still exist. Nobody may have the memory open; its sessions
 * have to be cut into chunks afterwards.
 * @throws PommelError `memory_corrupt` when nothing can be read, `index_too_new`, `disk_full`
 */
export function repairMemory(memoryDb: string, now = new Date()): Repaired {
  recoverMemory(memoryDb);
  const draft = makeDraftPath(memoryDb);
  removeDatabase(draft);
  try {
    const salvaged = salvageMemory(memoryDb, draft);
    if (salvaged === null) {
      throw new PommelError(
        "memory_corrupt",
        `Nothing in ${memoryDb} can be read.`,
        "Nothing was changed. `pm memory restore` goes back to a backup.",
      );
    }
    const rereads = readAgain(draft, salvaged.harmed);
    sync(draft);
    const aside = `${memoryDb}.damaged-${now.toISOString().replace(/[:.]/g, "-")}`;
    putInPlace(draft, memoryDb, aside);
    return { ...salvaged, aside, rereads };
  } finally {
    removeDatabase(draft);
  }
}

/** Forgets what was read of these sessions where all of it can be read again, and asks for that. */
function readAgain(file: string, uids: readonly string[]): string[] {
  const memory = Memory.open(file, { readonly: false, isCopy: true });
  try {
    return memory.runInTransaction(() => uids.flatMap((uid) => readSessionAgain(memory, uid)));
  } finally {
    memory.close();
  }
}

function readSessionAgain(memory: Memory, uid: string): string[] {
  const transcripts = memory.all<{ path: string; agent: string }>(
    "SELECT t.path, t.agent FROM transcripts t JOIN sessions s ON s.id = t.session_id WHERE s.uid = ?",
    uid,
  );
  if (transcripts.length === 0 || !transcripts.every(({ path }) => existsSync(path))) return [];
  const ofSession = "session_id = (SELECT id FROM sessions WHERE uid = ?)";
  // Lines of forgotten turns stay, so that these do not come back.
  memory.prepare(`DELETE FROM lines WHERE turn >= 0 AND ${ofSession}`).run(uid);
  for (const table of ["turns", "usage", "transcripts"]) {
    memory.prepare(`DELETE FROM ${table} WHERE ${ofSession}`).run(uid);
  }
  for (const { path, agent } of transcripts) {
    const payload = { agent, is_import: true };
    enqueue(memory, { kind: "transcript", subject: path, payload, priority: rereadPriority });
  }
  return transcripts.map(({ path }) => path);
}
