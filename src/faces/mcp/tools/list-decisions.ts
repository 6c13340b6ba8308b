import { maxResults } from "../../../base/max-results.ts";
import type { Decision } from "../../../features/decisions/operation.ts";
import { listDecisions as operation } from "../../../features/decisions/operation.ts";
import { labelDecision } from "../../../features/search/found-words.ts";
import { shortId } from "../../../sessions/short-id.ts";
import type { ListDecisionsOutput, listDecisionsInput } from "../shapes/shapes-sessions.ts";
import { cursorAt, fitIn, offsetOf, roomOf } from "../text/budget.ts";
import { historyLabel, joined, lineOrNull, minute, oneLine, quoted, twoDigits } from "../text/text.ts";
import { ask, type Handler } from "../tool.ts";
import { pathsInside } from "./places.ts";

const filesNamed = 4;

export const listDecisions: Handler<typeof listDecisionsInput, ListDecisionsOutput> = async (
  args,
  context,
) => {
  const { query, files = [], project: _, limit, cursor, max_tokens, ...filters } = args;
  const offset = offsetOf("list_decisions", args, cursor);
  const request = {
    ...filters,
    q: query,
    file: pathsInside(context, files),
    limit: Math.min(offset + limit, maxResults),
  };
  const found = await ask(context, operation, request);
  const page = found.decisions.slice(offset);
  const { items } = fitIn(page, roomOf(max_tokens), 400, decisionItem, renderDecision);
  const end = offset + items.length;
  const next = items.length > 0 && end < found.total ? cursorAt("list_decisions", args, end) : null;
  const { total } = found;
  return {
    structured: { label: historyLabel, decisions: items, total, next_cursor: next, notes: [] },
    text: joined(
      [
        items.length === 0
          ? `No decisions found${query === undefined ? "" : ` about "${oneLine(query, 100)}"`}.`
          : `${historyLabel}\n${items.map(renderDecision).join("\n")}`,
        next && `${total - end} more: cursor ${next}`,
      ],
      "\n",
    ),
  };
};

/** A decision with texts of at most so many characters. */
export function decisionItem(decision: Decision, longest: number) {
  const { source, place, session_id, session_title, author, turn, timestamp, branch, files, score } =
    decision;
  return {
    text: oneLine(decision.text, longest),
    source,
    origin: decision.origin,
    by: decision.by,
    place: lineOrNull(place, 200),
    session_id,
    session_title: lineOrNull(session_title, 100),
    author: lineOrNull(author ?? null, 100),
    turn,
    timestamp,
    branch: lineOrNull(branch, 100),
    files: files.slice(0, filesNamed).map((file) => oneLine(file, 160)),
    score: score === null ? null : twoDigits(score),
    superseded_by: lineOrNull(decision.superseded_by, longest),
    supersedes: decision.supersedes.map((earlier) => oneLine(earlier, longest)),
  };
}

export function renderDecision(decision: ReturnType<typeof decisionItem>): string {
  const { text, session_id, session_title, turn, timestamp, branch, files, score } = decision;
  const place = joined([
    decision.place,
    minute(timestamp),
    session_id !== null && shortId(session_id),
    turn !== null && `turn ${turn}`,
    branch,
    session_title !== null && `"${session_title}"`,
    files.join(", "),
    score?.toFixed(2),
  ]);
  return joined(
    [
      labelDecision(decision, "agent"),
      quoted(text),
      decision.superseded_by !== null && `  superseded by: ${decision.superseded_by}`,
      ...decision.supersedes.map((earlier) => `  supersedes: ${earlier}`),
      `  ${place}`,
    ],
    "\n",
  );
}
