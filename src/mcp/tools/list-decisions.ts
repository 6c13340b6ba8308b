import { loadConfig } from "../../project/config/config.ts";
import type { Decision } from "../../protocol/decisions.ts";
import { decisionsIn } from "../../queries/sessions/conversations-decisions.ts";
import { shortId } from "../../sessions/short-id.ts";
import { withMemory } from "../../store/memory/with-memory.ts";
import type { ListDecisionsOutput, listDecisionsInput } from "../shapes/shapes-sessions.ts";
import { cursorAt, fitIn, offsetOf, roomOf } from "../text/budget.ts";
import { historyLabel, joined, lineOrNull, minute, oneLine, quoted, twoDigits } from "../text/text.ts";
import type { Handler } from "../tool.ts";
import { pathsInside } from "./places.ts";

const filesNamed = 4;

export const listDecisions: Handler<typeof listDecisionsInput, ListDecisionsOutput> = async (
  args,
  context,
) => {
  const { query = "", files = [], since, until, limit, max_tokens } = args;
  const { project } = context;
  const offset = offsetOf("list_decisions", args, args.cursor);
  const { config } = loadConfig(project);
  const request = { query, since, until, files: pathsInside(context, files), limit: offset + limit };
  const found = await withMemory(project, (memory) => decisionsIn(project, memory, request, config));
  const page = found.decisions.slice(offset);
  const { items } = fitIn(page, roomOf(max_tokens), 400, itemOf, render);
  const end = offset + items.length;
  const next = items.length > 0 && end < found.total ? cursorAt("list_decisions", args, end) : null;
  const { total } = found;
  return {
    structured: { label: historyLabel, decisions: items, total, next_cursor: next, notes: [] },
    text: joined(
      [
        items.length === 0
          ? `No decisions found${query === "" ? "" : ` about "${oneLine(query, 100)}"`}.`
          : `${historyLabel}\n${items.map(render).join("\n")}`,
        next && `${total - end} more: cursor ${next}`,
      ],
      "\n",
    ),
  };
};

function itemOf(decision: Decision, longest: number) {
  const { source, place, session_id, session_title, turn, timestamp, branch, files, score } = decision;
  return {
    text: oneLine(decision.text, longest),
    source,
    place: lineOrNull(place, 200),
    session_id,
    session_title: lineOrNull(session_title, 100),
    turn,
    timestamp,
    branch: lineOrNull(branch, 100),
    files: files.slice(0, filesNamed).map((file) => oneLine(file, 160)),
    score: score === null ? null : twoDigits(score),
    superseded_by: lineOrNull(decision.superseded_by, longest),
    supersedes: decision.supersedes.map((earlier) => oneLine(earlier, longest)),
  };
}

function render(decision: ReturnType<typeof itemOf>): string {
  const { text, source, session_id, session_title, turn, timestamp, branch, files, score } = decision;
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
      quoted(source === "annotation" ? `Note by a person: ${text}` : text),
      decision.superseded_by !== null && `  superseded by: ${decision.superseded_by}`,
      ...decision.supersedes.map((earlier) => `  supersedes: ${earlier}`),
      `  ${place}`,
    ],
    "\n",
  );
}
