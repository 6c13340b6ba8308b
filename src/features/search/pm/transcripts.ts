import { formatSharedBy, labelWords } from "../../../protocol/origin.ts";
import type { TranscriptSearchResponse } from "../../../protocol/results.ts";
import type { Palette } from "../../../terminal/palette.ts";
import { formatWhen, shortenId, toOneLine, toPrintable } from "../../../terminal/text.ts";
import { formatCommitFate, formatFreshness } from "../format-commit-fate.ts";
import { chooseExcerpt, nameResultType } from "../found-words.ts";
import { type Found, renderFound } from "../render-found.ts";
import type { ResultStyle } from "./results.ts";

export type TranscriptResult = TranscriptSearchResponse["results"][number];

/** Files of a result that are named. */
const filesShown = 4;
/** Other turns of a result that are named. */
const turnsShown = 5;

/** Sessions for a person: best first, each with when and where it was, and the text around the match. */
export function renderTranscripts(
  query: string,
  results: readonly TranscriptResult[],
  style: ResultStyle,
): string[] {
  return renderFound(
    query,
    results.map((result) => toFoundSession(result, style)),
    style,
  );
}

export function toFoundSession(result: TranscriptResult, style: ResultStyle): Found {
  const { screen } = style;
  const { colors } = screen;
  const { turn, last_turn } = result;
  // What is about a whole session, and a note from a shell, is in no turn.
  const first = Math.max(turn, 1);
  const isLoneNote = last_turn === 0 && result.annotation !== null;
  const turns = last_turn === 0 ? "" : last_turn > first ? `:${first}-${last_turn}` : `:${first}`;
  return {
    place: colors.id(isLoneNote ? "Note" : `${shortenId(result.session_id)}${turns}`),
    title: toOneLine(isLoneNote ? result.annotation! : (result.session_title ?? "")),
    ...(result.abandoned && { warning: "abandoned branch" }),
    facts: [
      formatWhen(result.timestamp, screen),
      result.annotation === null ? formatSharedBy(result.author) : "",
      toOneLine(result.branch ?? ""),
      isLoneNote ? labelNoteForPerson(result) : describeResultType(result),
    ],
    why: result.match_reasons.map(toPrintable),
    signals: result.signals,
    snippet: isLoneNote ? null : { kind: "text", ...choosePassage(result, style) },
    more: [
      ...(result.rejected === null ? [] : [`${colors.warn("Rejected:")} ${toOneLine(result.rejected)}`]),
      ...(result.annotation === null || isLoneNote
        ? []
        : [`${colors.warn(`${labelNoteForPerson(result)}:`)} ${toOneLine(result.annotation)}`]),
      ...(result.more_turns === 0 ? [] : [formatMoreTurns(result, colors)]),
      ...result.commits.map((commit) => formatLedCommit(commit, colors)),
      ...(result.files.length === 0 ? [] : [formatFilesWithFreshness(result, style)]),
    ],
  };
}

/** A model's summary in the place of the passage; in full, the passage itself. */
function choosePassage(result: TranscriptResult, { full }: ResultStyle) {
  if (result.summary === undefined || full) return { content: result.content, excerpt: result.snippet };
  return { content: chooseExcerpt(result), excerpt: chooseExcerpt(result) };
}

const labelNoteForPerson = ({ note_by, author }: TranscriptResult) =>
  labelWords("note", { by: note_by ?? "tool", author }, "person");

/** `tool output of Bash`, or what kind of chunk it is. */
function describeResultType(result: TranscriptResult): string {
  const { found_in: place } = result;
  if (place === undefined) return nameResultType(result);
  const { role, tool } = place;
  return `${roles[role]}${tool === null ? "" : ` of ${toPrintable(tool)}`}`;
}

const roles: Readonly<Record<NonNullable<TranscriptResult["found_in"]>["role"], string>> = {
  prompt: "prompt",
  answer: "answer",
  thinking: "thinking",
  notice: "notice",
  summary: "summary",
  tool_use: "call",
  tool_result: "output",
};

/** `+4 more: turns 2, 7, 9, 12 (--session b00b80af)`: how to see them. */
function formatMoreTurns({ more_turns, other_turns, session_id }: TranscriptResult, colors: Palette): string {
  const best = other_turns.slice(0, turnsShown).map(({ turn }) => turn);
  const shown = best.sort((a, b) => a - b);
  const rest = more_turns > shown.length ? ", …" : "";
  const turns = `${more_turns === 1 ? "turn" : "turns"} ${shown.join(", ")}${rest}`;
  return `+${more_turns} more: ${turns} ${colors.dim(`(--session ${shortenId(session_id)})`)}`;
}

/** `led to abc1234 "Make refresh atomic" (on HEAD, 34 of 40 lines left)`. */
function formatLedCommit(commit: TranscriptResult["commits"][number], colors: Palette): string {
  const { reach, reverted_by, lines_surviving } = commit;
  const isLost = reverted_by !== null || reach === "gone" || lines_surviving === 0;
  const facts = formatCommitFate(commit);
  const fate = facts.length === 0 ? "" : ` (${toPrintable(facts.join(", "))})`;
  const what = `Led to ${commit.commit.slice(0, 7)} "${toOneLine(commit.subject, 100)}"`;
  return `${what}${isLost ? colors.warn(fate) : colors.dim(fate)}`;
}

function formatFilesWithFreshness(
  { files, freshness }: TranscriptResult,
  { full, screen, pathOf }: ResultStyle,
): string {
  const shown = full ? files : files.slice(0, filesShown);
  const more = files.length > shown.length ? ` and ${files.length - shown.length} more` : "";
  const fate = freshness === null ? "" : ` (${formatFreshness[freshness]})`;
  const named = shown.map((file) => toPrintable(file.startsWith("/") ? file : pathOf(file))).join(", ");
  return `Files: ${named}${more}${freshness === "fresh" ? fate : screen.colors.warn(fate)}`;
}
