import { PommelError } from "../base/errors.ts";
import type { Project } from "../base/paths.ts";
import { countUnreadImports } from "../store/memory/jobs/job-rows.ts";
import type { Memory } from "../store/memory/memory.ts";
import { openMemory } from "./open.ts";

/** An answer waits so long for a session that it is about to be read. Milliseconds. */
const waitMs = 3000;
/** Shorter beginnings of ids are of too many. */
const minIdChars = 4;

/** @param unread how many, at least one */
export const describeUnreadSessions = (unread: number): string =>
  `${unread === 1 ? "1 past session is" : `${unread.toLocaleString("en")} past sessions are`} not read yet`;

/**
 * What is asked for goes first: a session that waits to be read is read before the others, and then `answer` is asked.
 * @param id of a session, or its beginning; undefined: none is asked about
 * @throws as `answer`; where it finds no session, says what is not read yet
 */
export async function withSessionRead<T>(
  project: Project,
  memory: Memory,
  id: string | undefined,
  signal: AbortSignal | undefined,
  answer: () => T | Promise<T>,
): Promise<T> {
  if (id !== undefined && id.length >= minIdChars) {
    const late = AbortSignal.timeout(waitMs);
    await openMemory(project)?.readNow(id, signal ? AbortSignal.any([signal, late]) : late);
    signal?.throwIfAborted();
  }
  try {
    return await answer();
  } catch (error) {
    const unread = id === undefined ? 0 : countUnreadImports(memory);
    if (!(error instanceof PommelError) || error.code !== "not_found" || unread === 0) throw error;
    throw new PommelError(
      "not_found",
      `${error.message} ${describeUnreadSessions(unread)}.`,
      "`pm status --watch` shows the progress.",
      { cause: error },
    );
  }
}
