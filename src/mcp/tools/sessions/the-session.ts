import { importCommand } from "../../../agents/profiles.ts";
import { PommelError } from "../../../project/errors.ts";
import type { SessionResponse } from "../../../protocol/operations/sessions.ts";
import { shortId } from "../../../sessions/short-id.ts";
import { visible } from "../../../text/quotation.ts";
import { beginningOf } from "../../../text/text-size.ts";
import { lineOrNull, minute, oneLine } from "../../text/text.ts";
import { ask, type CallContext } from "../../tool.ts";

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
  const { sessions } = await ask(context, "sessions", { limit: 2 });
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
  return ask(context, "session", { id, turn });
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
    author === null ? null : `shared by ${author}`,
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
