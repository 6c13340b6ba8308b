import { PommelError } from "../base/errors.ts";
import type { Project } from "../base/paths.ts";
import { countUnreadImports } from "../store/memory/jobs/job-rows.ts";
import type { Memory } from "../store/memory/memory.ts";
import { openMemory } from "./open.ts";

/** How long an answer waits until the session that it is about has been read. Milliseconds. */
const waitMs = 3000;
/** A shorter beginning of an id could match too many sessions. */
const minIdChars = 4;

/** @param unread how many, at least one */
export const describeUnreadSessions = (unread: number): string =>
  `${unread === 1 ? "1 past session is" : `${unread.toLocaleString("en")} past sessions are`} not read yet`;

/**
 * Reads the session in question before all others that wait, and then calls `answer`.
 * @param id a session's id, or the beginning of one; undefined: the question is about no session
 * @throws what `answer` throws; if it found no session, the error says how many are not read yet
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
