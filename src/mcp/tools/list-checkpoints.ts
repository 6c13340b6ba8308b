import { maxResults } from "../../project/max-results.ts";
import type { CheckpointSummary } from "../../protocol/operations/checkpoints.ts";
import { linkEvidence } from "../../protocol/reading/link-evidence.ts";
import { numbered } from "../../protocol/reading/numbers.ts";
import { shortId } from "../../sessions/short-id.ts";
import type { ListCheckpointsOutput, listCheckpointsInput } from "../shapes/shapes-git.ts";
import { cursorAt, fitIn, offsetOf, roomOf } from "../text/budget.ts";
import { historyLabel, joined, lineOrNull, minute, oneLine } from "../text/text.ts";
import { ask, type Handler } from "../tool.ts";

const sessionsNamed = 3;
const turnsNamed = 20;

export const listCheckpoints: Handler<typeof listCheckpointsInput, ListCheckpointsOutput> = async (
  args,
  context,
) => {
  const { query, session_id, limit, cursor, max_tokens, ...filters } = args;
  if (query !== undefined) return (await import("./found-commits.ts")).foundCommits(args, query, context);
  const session = session_id === "current" ? (context.ownSession ?? "current") : session_id;
  const offset = offsetOf("list_checkpoints", args, cursor);
  const request = { ...filters, session, limit: Math.min(offset + limit, maxResults) };
  const { checkpoints, total } = await ask(context, "checkpoints", request);
  const { items } = fitIn(checkpoints.slice(offset), roomOf(max_tokens), 160, itemOf, render);
  const end = offset + items.length;
  const next = items.length > 0 && end < total ? cursorAt("list_checkpoints", args, end) : null;
  return {
    structured: {
      ...{ label: historyLabel, verdict: null, checkpoints: items, commits: [] },
      ...{ total, next_cursor: next, notes: [] },
    },
    text: joined(
      [
        items.length === 0 ? "No matching checkpoints." : `${historyLabel}\n${items.map(render).join("\n")}`,
        next && `${total - end} more: cursor ${next}`,
        items.length > 0 && "What going back would change: `pm checkpoint rewind ID`.",
      ],
      "\n",
    ),
  };
};

function itemOf(checkpoint: CheckpointSummary, longest: number) {
  const { id, commit, insertions, deletions, lines, sessions, rewritten_as } = checkpoint;
  return {
    id,
    commit,
    subject: oneLine(checkpoint.subject, longest),
    author: oneLine(checkpoint.author, 80),
    branch: lineOrNull(checkpoint.branch, 100),
    created_at: checkpoint.committed_at,
    insertions,
    deletions,
    agent_lines: lines.agent,
    human_lines: lines.human,
    unknown_lines: lines.unknown,
    sessions: sessions.slice(0, sessionsNamed).map(({ session_id, title, turns, ...link }) => ({
      session_id,
      title: lineOrNull(title, 80),
      evidence: linkEvidence(link),
      turns: turns.slice(-turnsNamed),
    })),
    rewritten_as: rewritten_as.at(-1) ?? null,
  };
}

function render(item: ReturnType<typeof itemOf>): string {
  const { id, subject, author, branch, created_at, insertions, deletions, rewritten_as } = item;
  const all = item.agent_lines + item.human_lines + item.unknown_lines;
  const share = all > 0 && `${Math.round((100 * item.agent_lines) / all)}% by agents`;
  const facts = joined([
    minute(created_at),
    branch,
    author,
    `+${insertions} -${deletions}`,
    share,
    rewritten_as !== null && `now ${rewritten_as.slice(0, 8)}`,
  ]);
  const sessions = item.sessions.map(
    ({ session_id, title, turns, evidence }) =>
      `  session ${shortId(session_id)}${turns.length > 0 ? ` ${numbered("turn", turns)}` : ""} ${evidence}${title === null ? "" : ` "${title}"`}`,
  );
  return [`${id} "${subject}"  ${facts}`, ...sessions].join("\n");
}
