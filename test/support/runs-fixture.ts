import { turnToStore } from "../../src/sessions/ingest/turns.ts";
import { createRelativizer } from "../../src/sessions/relative-paths.ts";
import type { Memory } from "../../src/store/memory/memory.ts";
import { saveTurn } from "../../src/store/memory/sessions/turns.ts";
import { addSession, temporaryMemory, turn } from "./memory-fixture.ts";
import { conversation, fixtureStart, type Happening, prompt } from "./turn-fixture.ts";

const day = 24 * 3600 * 1000;

/** Adds a session that ran commands in a directory, so many days after the first. */
export function addRuns(
  memory: Memory,
  dir: string,
  uid: string,
  days: number,
  ...happenings: Happening[]
): void {
  const { id } = addSession(memory, uid, { cwd: dir });
  const relativize = createRelativizer({ root: dir, worktrees: [], cwd: dir });
  for (const one of conversation({ at: fixtureStart + days * day }, prompt("go"), ...happenings))
    saveTurn(memory, id, turn(one.number, turnToStore(one, relativize)));
}

/** A memory of sessions that ran commands. */
export function temporaryRuns() {
  const store = temporaryMemory();
  const session = (uid: string, days: number, ...happenings: Happening[]) =>
    addRuns(store.memory, store.dir, uid, days, ...happenings);
  return { ...store, session };
}

/** Of the result of a command. */
export const failed = { isError: true };
