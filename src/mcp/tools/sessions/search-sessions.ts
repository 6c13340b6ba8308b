import { verdictAdvice } from "../../../protocol/reading/verdict.ts";
import type { SearchSessionsOutput, searchSessionsInput } from "../../shapes/shapes-search.ts";
import { cursorAt, fitIn, offsetOf, roomOf } from "../../text/budget.ts";
import { historyLabel, joined, oneLine } from "../../text/text.ts";
import type { Handler } from "../../tool.ts";
import { type FoundSession, found, listed } from "./found-sessions.ts";
import { renderFound } from "./found-text.ts";

export const searchSessions: Handler<typeof searchSessionsInput, SearchSessionsOutput> = async (
  args,
  context,
) => {
  const { query, limit, max_tokens } = args;
  const offset = offsetOf("search_sessions", args, args.cursor);
  const asked = { ...args, limit: offset + limit };
  const answer = query === undefined ? await listed(asked, context) : await found(asked, query, context);
  const page = answer.results.slice(offset, offset + limit);
  const room = roomOf(max_tokens);
  const each = Math.max(Math.floor(room / Math.min(Math.max(page.length, 1), 6)) - 300, 120);
  const make = (one: FoundSession, longest: number) => ({ ...one, snippet: oneLine(one.snippet, longest) });
  const { items } = fitIn(page, room, each, make, renderFound);
  const end = offset + items.length;
  const next = items.length > 0 && end < answer.total ? cursorAt("search_sessions", args, end) : null;
  const { notes, total, verdict } = answer;
  return {
    structured: { label: historyLabel, verdict, results: items, total, next_cursor: next, notes },
    text: joined(
      [
        items.length === 0 ? nothing(query) : verdict && verdictAdvice[verdict],
        items.length > 0 && `${historyLabel}\n${items.map(renderFound).join("\n")}`,
        next && `${total - end} more: cursor ${next}`,
        items.length > 0 && query !== undefined && "A turn in full: get_session with session_id and turn.",
        ...notes,
      ],
      "\n",
    ),
  };
};

function nothing(query: string | undefined): string {
  if (query === undefined) return "No matching sessions.";
  return `Nothing found in past sessions about "${oneLine(query, 100)}". Try other words or fewer filters.`;
}
