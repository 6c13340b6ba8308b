import type * as z from "zod/mini";
import { PommelError } from "../../../base/errors.ts";
import { maxResults } from "../../../base/max-results.ts";
import type { CheckpointSummary } from "../../../features/checkpoints/operation.ts";
import { listCheckpoints as operation } from "../../../features/checkpoints/operation.ts";
import { snippetText } from "../../../features/search/found-words.ts";
import type { HistoryResult } from "../../../features/search/operation.ts";
import { searchHistory } from "../../../features/search/operation.ts";
import { adviseOn, describeNothingYet, linkEvidence } from "../../../protocol/reading/evidence.ts";
import { numbered } from "../../../protocol/reading/numbers.ts";
import type { CommitFound } from "../../../protocol/results.ts";
import { shortId } from "../../../sessions/short-id.ts";
import type { ListCheckpointsOutput, listCheckpointsInput } from "../shapes/shapes-git.ts";
import { cursorAt, fitIn, offsetOf, roomOf } from "../text/budget.ts";
import { historyLabel, joined, lineOrNull, minute, oneLine, quoted } from "../text/text.ts";
import { ask, type CallContext, type Handler, type ToolAnswer } from "../tool.ts";

const sessionsNamed = 3;
const turnsNamed = 20;

export const listCheckpoints: Handler<typeof listCheckpointsInput, ListCheckpointsOutput> = async (
  args,
  context,
) => {
  const { query, session_id, limit, cursor, max_tokens, ...filters } = args;
  if (query !== undefined) return foundCommits(args, query, context);
  const session = session_id === "current" ? (context.ownSession ?? "current") : session_id;
  const offset = offsetOf("list_checkpoints", args, cursor);
  const request = { ...filters, session, limit: Math.min(offset + limit, maxResults) };
  const { checkpoints, total } = await ask(context, operation, request);
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

const filesNamed = 5;

/** Commits about a question, best first, each with the sessions that led to it. */
async function foundCommits(
  args: z.infer<typeof listCheckpointsInput>,
  q: string,
  context: CallContext,
): Promise<ToolAnswer<ListCheckpointsOutput>> {
  const { session_id, branch, since, until, limit, cursor, max_tokens } = args;
  if (branch !== undefined) {
    throw new PommelError("usage", "With a query, branch has no effect.", "Omit one of them.");
  }
  const session = session_id === "current" ? (context.ownSession ?? "current") : session_id;
  const offset = offsetOf("list_checkpoints", args, cursor);
  const found = await ask(context, searchHistory, {
    ...{ q, of: ["commits"], limit: Math.min(offset + limit, maxResults) },
    ...(session && { session }),
    ...(since && { since }),
    ...(until && { until }),
  });
  const page = found.results.filter(isCommit).slice(offset);
  const { items } = fitIn(page, roomOf(max_tokens), 300, commitItem, renderCommit);
  const end = offset + items.length;
  const next = items.length > 0 && end < found.total_results ? cursorAt("list_checkpoints", args, end) : null;
  return {
    structured: {
      label: historyLabel,
      verdict: found.verdict,
      ...{ checkpoints: [], commits: items },
      ...{ total: found.total_results, next_cursor: next, notes: found.notes },
    },
    text: joined(
      [
        items.length > 0
          ? adviseOn(found)
          : found.coverage
            ? describeNothingYet(found.coverage)
            : `Nothing found in commits about "${oneLine(q, 100)}".`,
        items.length > 0 && `${historyLabel}\n${items.map(renderCommit).join("\n")}`,
        next && `${found.total_results - end} more: cursor ${next}`,
        ...found.notes,
      ],
      "\n",
    ),
  };
}

const isCommit = (result: HistoryResult): result is CommitFound => result.kind === "commit";

function commitItem(commit: CommitFound, longest: number) {
  const { id, title, author, timestamp, checkpoint, match_reasons, sessions, files } = commit;
  return {
    commit: id,
    checkpoint_id: checkpoint,
    subject: oneLine(title, 160),
    author: oneLine(author, 80),
    created_at: timestamp,
    reasons: match_reasons.map((reason) => oneLine(reason, 120)),
    snippet: oneLine(snippetText(commit.snippet), longest),
    sessions: sessions.slice(0, sessionsNamed).map(({ session_id, title: session, turns }) => ({
      session_id,
      title: lineOrNull(session, 80),
      turns: turns.slice(-turnsNamed),
    })),
    files: files.slice(0, filesNamed).map((file) => oneLine(file, 160)),
    reverted_by: commit.reverted_by,
  };
}

function renderCommit(item: ReturnType<typeof commitItem>): string {
  const { commit, subject, author, created_at, snippet, reverted_by } = item;
  const facts = joined([
    minute(created_at),
    author,
    reverted_by !== null && `reverted by ${reverted_by.slice(0, 8)}`,
    item.reasons.join("; "),
  ]);
  return joined(
    [
      `${commit.slice(0, 8)} "${subject}"  ${facts}`,
      snippet !== "" && quoted(snippet),
      ...item.sessions.map(
        ({ session_id, title, turns }) =>
          `  session ${shortId(session_id)}${turns.length > 0 ? ` ${numbered("turn", turns)}` : ""}${title === null ? "" : ` "${title}"`}`,
      ),
      item.files.length > 0 && `  files: ${item.files.join(", ")}`,
    ],
    "\n",
  );
}
