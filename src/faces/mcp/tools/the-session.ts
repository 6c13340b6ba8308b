import { importCommand } from "../../../agents/profiles.ts";
import { PommelError } from "../../../base/errors.ts";
import { visible } from "../../../base/text/quotation.ts";
import { beginningOf } from "../../../base/text/text-size.ts";
import { writeNote } from "../../../features/notes/operation.ts";
import type { SessionResponse } from "../../../features/sessions/operation.ts";
import { listSessions, showSession } from "../../../features/sessions/operation.ts";
import { branchOf } from "../../../git/history/head.ts";
import { sharedBy } from "../../../protocol/origin.ts";
import { shortId } from "../../../sessions/short-id.ts";
import type {
  AddNoteOutput,
  addNoteInput,
  GetSessionSummaryOutput,
  getSessionSummaryInput,
} from "../shapes/shapes-sessions.ts";
import { roomOf } from "../text/budget.ts";
import { historyLabel, joined, lineOrNull, minute, oneLine, quoted } from "../text/text.ts";
import { ask, type CallContext, type Handler } from "../tool.ts";

/** Sessions as several tools show them. */

/**
 * The session that an agent means: by an id or the beginning of one, "current", or without any the latest of the others.
 * @throws PommelError `not_found`, `usage`, and as `answer`
 */
export async function sessionMeant(context: CallContext, id: string | undefined): Promise<string> {
  const { ownSession } = context;
  if (id === "current") {
    if (ownSession !== null) return ownSession;
    throw new PommelError(
      "usage",
      "The current session is unknown: the client does not name it.",
      "search_sessions without a query lists the latest sessions; try the first.",
    );
  }
  if (id !== undefined) return id;
  const { sessions } = await ask(context, listSessions, { limit: 2 });
  const latest = sessions.find((session) => session.id !== ownSession);
  if (latest) return latest.id;
  throw new PommelError(
    "not_found",
    "No past sessions recorded yet.",
    `${importCommand} imports past ones; \`pm status\` shows what is recorded.`,
  );
}

/** A session in outline, or one of its turns in full. Errors as `showSession`. */
export function readSession(context: CallContext, id: string, turn?: number): Promise<SessionResponse> {
  return ask(context, showSession, { id, turn });
}

export function headOf({ session }: SessionResponse) {
  const { id, agent, author = null, branch, started_at, last_at, turns, parent_id, forked_from } = session;
  return {
    id,
    title: lineOrNull(session.title, 200),
    agent,
    author: lineOrNull(author, 100),
    branch: lineOrNull(branch, 100),
    started_at,
    last_at,
    turns,
    parent_id,
    forked_from,
  };
}

export function renderHead(session: ReturnType<typeof headOf>): string {
  const { id, title, agent, author, branch, started_at, last_at, turns, parent_id, forked_from } = session;
  const facts = [
    `session ${id}`,
    agent,
    sharedBy(author),
    branch,
    `${minute(started_at)} to ${minute(last_at)}`,
    `${turns} turns`,
    parent_id === null ? null : `subagent of ${shortId(parent_id)}`,
    forked_from === null ? null : `continues ${shortId(forked_from)}`,
  ];
  const line = facts.filter((fact) => fact !== null && fact !== "").join(" | ");
  return title === null ? line : `"${title}"\n${line}`;
}

/** The summary, or where there is none yet, the first and the last prompt. */
export function summaryOf({ summary, turns }: SessionResponse, longest: number) {
  if (summary !== null) {
    const { source, up_to_turn } = summary;
    const text = visible(summary.text).trim();
    return { source: source as string, up_to_turn, text: beginningOf(text, longest) };
  }
  const asked = turns.filter(({ prompt, abandoned }) => prompt !== "" && !abandoned);
  const [first] = asked;
  const last = asked.at(-1);
  if (!first || !last) return null;
  const begun = `First prompt: ${oneLine(first.prompt, 300)}`;
  const text = last === first ? begun : `${begun}\nLast prompt: ${oneLine(last.prompt, 300)}`;
  return { source: "extractive", up_to_turn: last.number, text: beginningOf(text, longest) };
}

const sources: Readonly<Record<string, string>> = {
  llm: "by a language model",
  compaction: "by the agent",
  extractive: "an extract",
};

export function renderSummary(summary: NonNullable<ReturnType<typeof summaryOf>>): string {
  return `Summary (${sources[summary.source] ?? summary.source}, up to turn ${summary.up_to_turn}):`;
}

const filesNamed = 12;

export const getSessionSummary: Handler<typeof getSessionSummaryInput, GetSessionSummaryOutput> = async (
  args,
  context,
) => {
  const id = await sessionMeant(context, args.session_id);
  const answer = await readSession(context, id);
  const session = headOf(answer);
  const changed = answer.files.filter(({ how }) => how !== "read");
  const files = changed.slice(0, filesNamed).map(({ path }) => oneLine(path, 160));
  const beside = JSON.stringify([session, files]).length + 200;
  // Each line of it is quoted, and each line end escaped.
  const summary = summaryOf(answer, Math.max(Math.floor((roomOf(args.max_tokens) - beside) * 0.9), 200));
  const behind = summary !== null && summary.up_to_turn < (answer.turns.at(-1)?.number ?? 0);
  const notes = [
    ...(summary === null ? ["Nothing stored to summarise."] : []),
    ...(behind ? [`It continued after turn ${summary.up_to_turn}: get_session has its last turns.`] : []),
    ...(changed.length > files.length ? [`${changed.length - files.length} more changed files.`] : []),
  ];
  return {
    structured: { label: historyLabel, session, summary, files, notes },
    text: joined(
      [
        historyLabel,
        renderHead(session),
        summary && `${renderSummary(summary)}\n${quoted(summary.text)}`,
        files.length > 0 && `Changed: ${files.join(", ")}`,
        ...notes,
      ],
      "\n",
    ),
  };
};

export const addNoteTool: Handler<typeof addNoteInput, AddNoteOutput> = async (args, context) => {
  const { cwd } = context;
  const note = visible(args.text).trim();
  const session = await sessionFor(context, args.session_id);
  const branch = (await branchOf(cwd)) ?? undefined;
  const asked = { note, ...(session !== null && { session_id: session }), branch, by: "agent" as const };
  const { annotation } = await ask(context, writeNote, asked);
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
