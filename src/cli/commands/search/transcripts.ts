import type { TranscriptSearchResponse } from "../../../protocol/operations/search.ts";
import { fateOf, formatFreshness } from "../../../queries/search/format-commit-fate.ts";
import type { Colors } from "../../terminal/output.ts";
import { block, localTime, oneLine, shortId, wrapped } from "../session/text.ts";
import { confidenceOf, printable, type ResultStyle, signalsOf, type Words, wordsOf } from "./results.ts";

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
  const words = wordsOf(query);
  return results.map((result, i) => renderResult(result, i + 1, words, style));
}

function renderResult(result: TranscriptResult, rank: number, words: Words, style: ResultStyle): string {
  const { colors } = style;
  const turns =
    result.last_turn > result.turn ? `turns ${result.turn}–${result.last_turn}` : `turn ${result.turn}`;
  const place = [
    confidenceOf(result, colors),
    result.timestamp === null ? null : localTime(result.timestamp),
    `session: ${colors.cyan(shortId(result.session_id))}`,
    turns,
    result.branch === null ? null : printable(result.branch),
  ];
  const type = [...typeOf(result), ...(result.abandoned ? ["abandoned branch"] : [])];
  const lines = [
    result.session_title === null ? null : colors.bold(printable(result.session_title)),
    `Type: ${type.join(", ")}`,
    result.annotation === null ? null : `Note: "${printable(result.annotation)}"`,
    result.match_reasons.length === 0 ? null : colors.dim(printable(result.match_reasons.join("; "))),
    result.signals ? colors.dim(signalsOf(result.signals)) : null,
    colors.dim("───"),
    ...snippetLines(result, words, style),
    result.more_turns === 0 ? null : moreTurns(result, colors),
    ...result.commits.map((commit) => ledTo(commit, colors)),
    result.files.length === 0 ? null : filesOf(result, style),
  ];
  return [
    `${colors.dim(`[${rank}]`)} ${place.filter((part) => part !== null).join(colors.dim(" | "))}`,
    ...lines.filter((line) => line !== null).map((line) => `    ${line}`),
  ].join("\n");
}

/** `tool output of Bash`, or what kind of chunk it is. */
function typeOf({ found_in: place, chunk_type, kind }: TranscriptResult): string[] {
  if (place === undefined) return [chunk_type, kind];
  const { role, tool } = place;
  return [`${roles[role]}${tool === null ? "" : ` of ${printable(tool)}`}`];
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

function snippetLines(
  { snippet, content }: TranscriptResult,
  words: Words,
  { full, columns, colors }: ResultStyle,
): string[] {
  const lines = full ? block(content) : wrapped(snippet, Math.max(columns - 4, 40));
  return colors.isColorSupported ? lines.map((line) => words.mark(line, colors.yellow)) : lines;
}

/** `+4 more: turns 2, 7, 9, 12 (--session b00b80af)`: how to see them. */
function moreTurns({ more_turns, other_turns, session_id }: TranscriptResult, colors: Colors): string {
  const best = other_turns.slice(0, turnsShown).map(({ turn }) => turn);
  const shown = best.sort((a, b) => a - b);
  const rest = more_turns > shown.length ? ", …" : "";
  const turns = `${more_turns === 1 ? "turn" : "turns"} ${shown.join(", ")}${rest}`;
  return `+${more_turns} more: ${turns} ${colors.dim(`(--session ${shortId(session_id)})`)}`;
}

/** `led to abc1234 "Make refresh atomic" (on HEAD, 34 of 40 lines left)`. */
function ledTo(commit: TranscriptResult["commits"][number], colors: Colors): string {
  const { reach, reverted_by, lines_surviving } = commit;
  const isLost = reverted_by !== null || reach === "gone" || lines_surviving === 0;
  const facts = fateOf(commit);
  const fate = facts.length === 0 ? "" : ` (${printable(facts.join(", "))})`;
  const what = `Led to ${commit.commit.slice(0, 7)} "${oneLine(commit.subject, 100)}"`;
  return `${what}${isLost ? colors.yellow(fate) : colors.dim(fate)}`;
}

function filesOf({ files, freshness }: TranscriptResult, { full, colors, pathOf }: ResultStyle): string {
  const shown = full ? files : files.slice(0, filesShown);
  const more = files.length > shown.length ? ` and ${files.length - shown.length} more` : "";
  const fate = freshness === null ? "" : ` (${formatFreshness[freshness]})`;
  const named = shown.map((file) => printable(file.startsWith("/") ? file : pathOf(file))).join(", ");
  return `Files: ${named}${more}${freshness === "fresh" ? fate : colors.yellow(fate)}`;
}
