import { annotationOf } from "../../client/conversations.ts";
import { changeMemory } from "../../client/memory-in-process.ts";
import { withMemory } from "../../client/with-memory.ts";
import { gitText } from "../../git/git.ts";
import { addNote } from "../../sessions/add-note.ts";
import { findSession } from "../../store/memory/sessions.ts";
import type { addNoteInput, addNoteOutput } from "../shapes-sessions.ts";
import { clean, joined, oneLine, shortId } from "../text.ts";
import type { CallContext, Handler } from "../tool.ts";

export const addNoteTool: Handler<typeof addNoteInput, typeof addNoteOutput> = async (args, context) => {
  const { project, cwd } = context;
  const note = clean(args.text).trim();
  const session = await sessionFor(context, args.session_id);
  const branch = await branchOf(cwd);
  const request = {
    note,
    ...(session !== null && { session_id: session }),
    ...(branch !== null && { branch }),
  };
  const change = async (work: Parameters<typeof addNote>[0]) => {
    const added = await addNote(work, { note, sessionUid: session, branch });
    return { annotation: annotationOf(added), queued: false };
  };
  const { annotation } = await changeMemory(project, "annotate", request, change, { create: true });
  const { id, session_id, timestamp } = annotation;
  const about = session_id === null ? "" : ` about session ${shortId(session_id)}`;
  const stored = oneLine(annotation.note, 300);
  return {
    structured: { id, text: stored, session_id, branch: annotation.branch, timestamp, notes: [] },
    text: joined([`Noted${about} (${id.slice(0, 8)}).`, `> ${stored}`], "\n"),
  };
};

/** The one that is named, or the one that asks; null where neither is known. */
async function sessionFor({ project, ownSession }: CallContext, named: string | undefined) {
  if (named === undefined || named === "current") return ownSession;
  return withMemory(project, (memory) => findSession(memory, named).uid);
}

/** null without git, without a commit, or where no branch is checked out. */
async function branchOf(cwd: string): Promise<string | null> {
  try {
    return (await gitText(cwd, ["symbolic-ref", "--quiet", "--short", "HEAD"])) || null;
  } catch {
    return null;
  }
}
