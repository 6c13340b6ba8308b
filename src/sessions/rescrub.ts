import type { ScrubbingWork } from "./work.ts";

/** Of `meta`: the version of the rules that all of the memory is scrubbed by. */
export const scrubbedBy = "scrubbed_by";

export interface Rescrubbed {
  /** Sessions in which something was found, and turns. */
  sessions: number;
  turns: number;
  /** false: another process was reading, and the database's log still holds traces until it is emptied. */
  isLogEmpty: boolean;
}

/**
 * Scrubs everything that is stored by the rules in force now, session by session; stopped, it goes on from there when it
 * is called again. At the end the memory is known to be scrubbed by them, and the file holds no trace of what was
 * found. Not to be run while transcripts are read.
 * @param onProgress sessions done, and in all
 * @throws the signal's reason when it is aborted
 */
export async function rescrubMemory(
  _options: ScrubbingWork,
  _how: { signal?: AbortSignal | undefined; onProgress?: (done: number, total: number) => void } = {},
): Promise<Rescrubbed> {
  throw new Error("not written yet");
}
