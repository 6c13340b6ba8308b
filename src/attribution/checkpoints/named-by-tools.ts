import type { CommitInfo } from "../../git/diff/changes-types.ts";
import { GitFailure } from "../../git/git.ts";
import type { Binding } from "../../store/memory/memory-records.ts";
import { sessionByUid } from "../../store/memory/sessions/sessions.ts";
import { foreignNotesOf } from "../foreign/foreign-notes.ts";
import type { GitWork } from "./work.ts";

/** Another tool's word in a commit's message that it knows the sessions. */
const trailer = /^Entire-Checkpoint:/m;

/**
 * The stored sessions that another tool names as the source of a commit. Only used without evidence of our own, as
 * anybody may have written those names.
 */
export async function namedByTools(
  { project, memory, trustsTrailers = true }: GitWork,
  { hash, message }: CommitInfo,
  signal?: AbortSignal,
): Promise<Binding[]> {
  if (!trustsTrailers || !trailer.test(message)) return [];
  try {
    const notes = await foreignNotesOf(project.root, [hash], signal);
    return (notes.get(hash)?.sessions ?? [])
      .filter((uid) => sessionByUid(memory, uid) !== null)
      .map((sessionUid) => ({ sessionUid, turns: [], lines: 0, how: "trailer", confidence: 0.8 }));
  } catch (error) {
    if (!(error instanceof GitFailure)) throw error;
    return [];
  }
}
