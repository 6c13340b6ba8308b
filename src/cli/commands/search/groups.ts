import type {
  CommitFound,
  EventFound,
  HistoryResult,
  SearchAllResponse,
} from "../../../protocol/operations/search.ts";
import { heading } from "../../terminal/text.ts";
import { renderCommits, renderEvents } from "./history.ts";
import { nothingFound, type ResultStyle, renderResults } from "./results.ts";
import { renderTranscripts } from "./transcripts.ts";

/** What `pm search` found, by kind. */

export type Found = Pick<SearchAllResponse, "code" | "transcripts" | "history">;

/** With an empty memory and no commit, a search of all is one of code. Notes from a shell are no session, but are found. */
export function isOfCode({ code, transcripts, history }: Found): boolean {
  const isEmpty =
    transcripts === null || (transcripts.memory.as_of === null && transcripts.results.length === 0);
  return code !== null && isEmpty && (history === null || history.results.length === 0);
}

interface Group {
  title: string;
  blocks: readonly string[];
  /** "3 of 12 results, 4 ms". */
  summary: string;
  /** Whether a reader should know that nothing of this kind was found. */
  isExpected: boolean;
}

/** What was found, each kind under its heading. */
export function renderGroups(found: Found, style: ResultStyle): string {
  const groups = groupsOf(found, "results", style);
  if (groups.some(({ blocks }) => blocks.length > 0)) {
    return groups
      .filter(({ blocks, isExpected }) => blocks.length > 0 || isExpected)
      .map(({ title, blocks, summary }) =>
        [
          heading(
            `${title} (${blocks.length} ${blocks.length === 1 ? "result" : "results"})`,
            style.screen.colors,
          ),
          ...blocks,
          ...(blocks.length === 0 || summary === "" ? [] : [style.screen.colors.dim(summary)]),
        ].join("\n\n"),
      )
      .join("\n\n");
  }
  const near = groupsOf(found, "nearest", style).filter(({ blocks }) => blocks.length > 0);
  const searched = [found.code, found.transcripts, found.history].filter((side) => side !== null);
  const nearest = near.flatMap(({ title, blocks }) =>
    searched.length === 1 ? blocks : [heading(title, style.screen.colors), ...blocks],
  );
  return nothingFound(searched[0]?.query ?? "", nearest, nextOf(found));
}

/** What to try where nothing is near either. */
function nextOf({ transcripts, history }: Found): string {
  if (transcripts?.searched_by.includes("content"))
    return "Try fewer words or filters; without --in content, sessions are searched by meaning, too.";
  if (transcripts !== null) return "Try other words; `pm session list` lists recorded sessions.";
  if (history?.commits.indexed === 0) return "Try other words; `pm event list` lists events.";
  return "Try other words; `git log` lists all commits.";
}

function groupsOf(
  { code, transcripts, history }: Found,
  which: "results" | "nearest",
  style: ResultStyle,
): Group[] {
  const summary = (side: { results: readonly unknown[]; total_results: number; search_time_ms: number }) =>
    `${side.results.length} of ${side.total_results} results, ${side.search_time_ms} ms`;
  const groups: Group[] = [];
  if (code !== null) {
    const blocks = renderResults(code.query, code[which], style);
    groups.push({ title: "Code", blocks, summary: summary(code), isExpected: true });
  }
  if (transcripts !== null) {
    const blocks = renderTranscripts(transcripts.query, transcripts[which], style);
    const isExpected = transcripts.memory.as_of !== null;
    groups.push({ title: "Sessions", blocks, summary: summary(transcripts), isExpected });
  }
  if (history !== null) {
    const { query } = history;
    const commits = renderCommits(query, history[which].filter(isCommit), style);
    const events = renderEvents(query, history[which].filter(isEvent), style);
    groups.push({ title: "Commits", blocks: commits, summary: "", isExpected: false });
    groups.push({ title: "Events", blocks: events, summary: "", isExpected: false });
  }
  return groups;
}

const isCommit = (result: HistoryResult): result is CommitFound => result.kind === "commit";
const isEvent = (result: HistoryResult): result is EventFound => result.kind === "event";
