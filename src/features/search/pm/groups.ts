import { formatDuration } from "../../../base/text/duration.ts";
import { describeNothingYet } from "../../../protocol/reading/evidence.ts";
import type { CommitFound, EventFound } from "../../../protocol/results.ts";
import { renderFound } from "../../../terminal/render-found.ts";
import { formatCount, formatHeading } from "../../../terminal/text.ts";
import type { HistoryResult, SearchAllResponse } from "../operation.ts";
import {
  type ResultStyle,
  toFoundCode,
  toFoundCommit,
  toFoundEvent,
  toFoundSession,
} from "../result-words.ts";
import { formatAdvice, formatNothingFound, type JudgedAnswer } from "./results.ts";

/** What `pm search` found, by kind. */

type FoundByKind = Pick<SearchAllResponse, "code" | "transcripts" | "history">;

/** With an empty memory and no commit, a search of all is one of code. Notes from a shell are no session, but are found. */
export function isOfCode({ code, transcripts, history }: FoundByKind): boolean {
  const isEmpty =
    transcripts === null || (transcripts.memory.as_of === null && transcripts.results.length === 0);
  return code !== null && isEmpty && (history === null || history.results.length === 0);
}

interface ResultGroup extends JudgedAnswer {
  title: string;
  blocks: readonly string[];
  /** "3 of 12 results, 4 ms". */
  summary: string;
  /** Whether a reader should know that nothing of this kind was found. */
  isExpected: boolean;
  /** Whether it begins with what the query names. */
  isNamed: boolean;
}

/** What was found, each kind under its heading. */
export function renderGroups(found: FoundByKind, style: ResultStyle): string {
  const { colors } = style.screen;
  const groups = buildGroups(found, style);
  if (groups.every(({ blocks }) => blocks.length === 0)) {
    const query = (found.code ?? found.transcripts ?? found.history)?.query ?? "";
    const unread = [
      ...new Set(groups.flatMap(({ coverage }) => (coverage ? describeNothingYet(coverage) : []))),
    ];
    return unread.length > 0 ? unread.join("\n") : formatNothingFound(query, suggestNext(found));
  }
  return groups
    .filter(({ blocks, isExpected }) => blocks.length > 0 || isExpected)
    .map(({ title, verdict, coverage, blocks, summary }) =>
      [
        formatHeading(`${title} (${formatCount(blocks.length, "result")})`, colors),
        ...(blocks.length > 0 ? formatAdvice({ verdict, coverage }, colors) : []),
        ...(blocks.length === 0 && coverage ? [describeNothingYet(coverage)] : []),
        ...blocks,
        ...(blocks.length === 0 || summary === "" ? [] : [colors.dim(summary)]),
      ].join("\n\n"),
    )
    .join("\n\n");
}

/** What to try where nothing is found. */
function suggestNext({ transcripts, history }: FoundByKind): string {
  if (transcripts?.searched_by.includes("content"))
    return "Try fewer words or filters; without --in content, sessions are searched by meaning, too.";
  if (transcripts !== null) return "Try other words; `pm session list` lists recorded sessions.";
  if (history?.commits.indexed === 0) return "Try other words; `pm event list` lists events.";
  return "Try other words; `git log` lists all commits.";
}

function buildGroups({ code, transcripts, history }: FoundByKind, style: ResultStyle): ResultGroup[] {
  const summary = (side: { results: readonly unknown[]; total_results: number; search_time_ms: number }) =>
    `${side.results.length} of ${side.total_results} results, ${formatDuration(side.search_time_ms)}`;
  const groups: ResultGroup[] = [];
  if (code !== null) {
    const blocks = renderFound(
      code.query,
      code.results.map((result) => toFoundCode(result, style)),
      style,
    );
    groups.push({
      title: "Code",
      verdict: code.verdict,
      coverage: code.coverage,
      blocks,
      summary: summary(code),
      isExpected: true,
      isNamed: code.is_named ?? false,
    });
  }
  if (transcripts !== null) {
    const { query, verdict, coverage, results, memory, is_named: isNamed = false } = transcripts;
    const blocks = renderFound(
      query,
      results.map((result) => toFoundSession(result, style)),
      style,
    );
    const isExpected = memory.as_of !== null || coverage !== undefined;
    const judged = { verdict, coverage };
    groups.push({ title: "Sessions", ...judged, blocks, summary: summary(transcripts), isExpected, isNamed });
  }
  if (history !== null) {
    const { query, verdict, coverage, results, is_named: isNamed = false } = history;
    const judged = { verdict, coverage };
    const commits = renderFound(
      query,
      results.filter(isCommit).map((commit) => toFoundCommit(commit, style)),
      style,
    );
    const events = renderFound(
      query,
      results.filter(isEvent).map((event) => toFoundEvent(event, style)),
      style,
    );
    const isExpected = coverage !== undefined;
    groups.push({ title: "Commits", ...judged, blocks: commits, summary: "", isExpected, isNamed });
    groups.push({ title: "Events", verdict, blocks: events, summary: "", isExpected: false, isNamed: false });
  }
  // What the query names by its hash, id, branch, place or in quotes comes before what is like it.
  return groups.sort((a, b) => Number(b.isNamed) - Number(a.isNamed));
}

const isCommit = (result: HistoryResult): result is CommitFound => result.kind === "commit";
const isEvent = (result: HistoryResult): result is EventFound => result.kind === "event";
