import { branchOf } from "../git/history/head.ts";
import type { Project } from "../project/paths.ts";
import { annotationOf } from "../queries/sessions/conversations.ts";
import { addNote } from "../sessions/notes/add-note.ts";
import { changeMemory } from "./change-memory.ts";

/**
 * Stores a note, through the daemon if one runs, with the branch that is checked out where it was written.
 * @param options.session the full id of its session; null: none
 * @param options.byAgent whether an agent wrote it
 * @returns the note as stored
 * @throws PommelError as `changeMemory`
 */
export async function storeNote(
  project: Project,
  { note, session, cwd, byAgent }: { note: string; session: string | null; cwd: string; byAgent: boolean },
) {
  const branch = await branchOf(cwd);
  const request = {
    note,
    ...(session !== null && { session_id: session }),
    ...(branch !== null && { branch }),
    by_agent: byAgent,
  };
  const change = async (work: Parameters<typeof addNote>[0]) => {
    const added = await addNote(work, { note, sessionUid: session, branch, byAgent });
    return { annotation: annotationOf(added), queued: false };
  };
  const { annotation } = await changeMemory(project, "annotate", request, change, { create: true });
  return annotation;
}
