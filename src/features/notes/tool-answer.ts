import { stripInvisible, toHarmlessLine } from "../../base/text/quotation.ts";
import { shortenHash } from "../../base/text/short-hash.ts";
import { shortenText } from "../../base/text/text-size.ts";
import { askForBranch } from "../../git/history/head.ts";
import { shortenSessionId } from "../../protocol/reading/short-id.ts";
import { ask, type CallContext } from "../../tools/tool.ts";
import { showSession } from "../sessions/operation.ts";
import { editNote, writeNote } from "./operation.ts";
import { formatNoteLines } from "./words.ts";

interface NoteToolArgs {
  text: string;
  at?: string | undefined;
  replaces?: string | undefined;
  session_id?: string | undefined;
}

/** Characters. */
const maxShown = 300;

export const note = async (args: NoteToolArgs, context: CallContext): Promise<string> => {
  const text = stripInvisible(args.text).trim();
  if (args.replaces !== undefined) {
    const { annotation } = await ask(context, editNote, { id: args.replaces, note: text });
    return `Replaced (${shortenHash(annotation.id)}): “${shortenText(toHarmlessLine(annotation.note), maxShown)}”`;
  }
  const session = await resolveCallSession(context, args.session_id);
  const branch = (await askForBranch(context.cwd)) ?? undefined;
  const asked = {
    note: text,
    at: args.at,
    ...(session !== null && { session_id: session }),
    branch,
    by: "agent" as const,
  };
  const { annotation } = await ask(context, writeNote, asked);
  const { session_id, lines } = annotation;
  const about =
    lines !== null
      ? ` on ${formatNoteLines(lines)}`
      : session_id === null
        ? ""
        : ` about session ${shortenSessionId(session_id)}`;
  return `Noted${about} (${shortenHash(annotation.id)}): “${shortenText(toHarmlessLine(annotation.note), maxShown)}”`;
};

/** The one that is named, or the one that asks; null where neither is known. */
async function resolveCallSession(context: CallContext, named: string | undefined): Promise<string | null> {
  if (named === undefined || named === "current") return context.ownSession;
  return (await ask(context, showSession, { id: named })).session.id;
}
