import { formatFreshness } from "../../../queries/search/format-commit-fate.ts";
import { shortId } from "../../../sessions/short-id.ts";
import { joined, minute, quoted } from "../../text/text.ts";
import type { FoundSession } from "./found-sessions.ts";

/** What was found in a session, for a model: where and when, the text, what it led to. */
export function renderFound(item: FoundSession): string {
  const { turn, last_turn, turns, files, freshness, other_turns, more_turns } = item;
  const isLoneNote = turn === null && item.note !== null;
  const place = joined([
    isLoneNote ? "note" : shortId(item.session_id),
    turn !== null && `turn ${last_turn === null ? turn : `${turn}-${last_turn}`}`,
    turns !== null && `${turns} turns`,
    minute(item.timestamp),
    item.branch,
    !isLoneNote && item.agent,
    item.author !== null && `shared by ${item.author}`,
    !isLoneNote && item.kind,
    item.is_abandoned && "abandoned branch",
    item.project,
  ]);
  const touched =
    files.length > 0 && `  files: ${files.join(", ")}${freshness ? ` (${formatFreshness[freshness]})` : ""}`;
  return joined(
    [
      `${place}${item.title === null ? "" : `  "${item.title}"`}`,
      item.rejected !== null && `Rejected later:\n${quoted(item.rejected)}`,
      item.note !== null && `${isLoneNote ? "" : "Note:\n"}${quoted(item.note)}`,
      item.snippet !== "" && (turns === null ? quoted(item.snippet) : `  ${item.snippet}`),
      more_turns > 0 &&
        `  also turn${more_turns === 1 ? "" : "s"} ${other_turns.join(", ")}${more_turns > other_turns.length ? ", …" : ""}`,
      touched,
      ...item.commits.map((commit) => `  led to ${commit}`),
    ],
    "\n",
  );
}
