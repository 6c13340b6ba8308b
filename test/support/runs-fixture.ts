import { turnToStore } from "../../src/sessions/ingest/turns.ts";
import { createRelativizer } from "../../src/sessions/relative-paths.ts";
import { saveTurn } from "../../src/store/memory/sessions/turns.ts";
import { addSession, temporaryMemory, turn } from "./memory-fixture.ts";
import { conversation, fixtureStart, type Happening, prompt } from "./turn-fixture.ts";

const day = 24 * 3600 * 1000;

/** A memory of sessions that ran commands. */
export function temporaryRuns() {
  const store = temporaryMemory();
  /** A session, so many days after the first, in the memory's directory. */
  const session = (uid: string, days: number, ...happenings: Happening[]) => {
    const { id } = addSession(store.memory, uid, { cwd: store.dir });
    const relativize = createRelativizer({ root: store.dir, worktrees: [], cwd: store.dir });
    for (const one of conversation({ at: fixtureStart + days * day }, prompt("go"), ...happenings))
      saveTurn(store.memory, id, turn(one.number, turnToStore(one, relativize)));
  };
  return { ...store, session };
}

/** Of the result of a command. */
export const failed = { isError: true };
