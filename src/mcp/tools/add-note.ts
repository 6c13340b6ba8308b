import { branchOf } from "../../git/history/head.ts";
import { shortId } from "../../sessions/short-id.ts";
import { visible } from "../../text/quotation.ts";
import type { AddNoteOutput, addNoteInput } from "../shapes/shapes-sessions.ts";
import { joined, oneLine } from "../text/text.ts";
import { ask, type CallContext, type Handler } from "../tool.ts";
import { readSession } from "./sessions/the-session.ts";

export const addNoteTool: Handler<typeof addNoteInput, AddNoteOutput> = async (args, context) => {
  const { cwd } = context;
  const note = visible(args.text).trim();
  const session = await sessionFor(context, args.session_id);
  const branch = (await branchOf(cwd)) ?? undefined;
  const asked = { note, ...(session !== null && { session_id: session }), branch, by_agent: true };
  const { annotation } = await ask(context, "annotate", asked);
  const { id, session_id, timestamp } = annotation;
  const about = session_id === null ? "" : ` about session ${shortId(session_id)}`;
  const stored = oneLine(annotation.note, 300);
  return {
    structured: { id, text: stored, session_id, branch: annotation.branch, timestamp, notes: [] },
    text: joined([`Noted${about} (${id.slice(0, 8)}).`, `> ${stored}`], "\n"),
  };
};

/** The one that is named, or the one that asks; null where neither is known. */
async function sessionFor(context: CallContext, named: string | undefined) {
  if (named === undefined || named === "current") return context.ownSession;
  return (await readSession(context, named)).session.id;
}
