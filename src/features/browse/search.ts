import { join } from "node:path";
import { cutPainted, cutToWidth, measureWidth } from "../../base/text/display-width.ts";
import { formatDuration } from "../../base/text/duration.ts";
import {
  computeLikelihood,
  describeCoverage,
  describeNothingYet,
  verdictText,
} from "../../protocol/reading/evidence.ts";
import type { Screen } from "../../terminal/output.ts";
import {
  compileQueryWords,
  type FoundItem,
  type QueryWords,
  renderFound,
  renderSnippet,
} from "../../terminal/render-found.ts";
import { toPrintable } from "../../terminal/text.ts";
import type { SearchAllResponse } from "../search/operation.ts";
import {
  type ResultStyle,
  toFoundCode,
  toFoundCommit,
  toFoundEvent,
  toFoundSession,
} from "../search/result-words.ts";
import { top } from "./scroll.ts";
import {
  type BrowseSurroundings,
  type BrowseTarget,
  type BrowseView,
  makeSessionPage,
  type Page,
} from "./view.ts";

/** Results of each kind. */
const resultsPerKind = 20;

/** Code, sessions, commits and events in one list, as they are typed. */
export function buildSearchView(
  { text }: Page & { kind: "search" },
  { answers, screen }: BrowseSurroundings,
): BrowseView {
  const query = text.trim();
  const request = { q: query, limit: resultsPerKind };
  const answer = query === "" ? null : answers.to("searchAll", request);
  // Until there is another answer, the last one stands.
  const found =
    query === "" ? null : (answer?.value ?? (answer === null ? answers.findLatest("searchAll") : null));
  const hits = found === null ? [] : listHits(found, makeResultStyle(screen));
  const words = compileQueryWords(found?.query ?? "");
  return {
    title: { label: "Search", text, hint: "what it does, why it is so, a name, an error message" },
    status:
      query === "" ? "" : answer === null ? "searching…" : found === null ? "" : describeResults(found, hits),
    content:
      hits.length > 0
        ? {
            kind: "list",
            count: hits.length,
            rowHeight: 3,
            row: (index, width, isChosen) =>
              renderHitRow(hits[index]!, words, { ...screen, columns: width }, isChosen),
            preview: (index, width) =>
              preview(hits[index]!, found?.query ?? "", { ...screen, columns: width }),
          }
        : { kind: "message", text: emptyText(query, answer, found) },
    target: (index) => hits[index]?.target ?? {},
    asks: query === "" ? [] : [{ route: "searchAll", request }],
  };
}

function emptyText(
  query: string,
  answer: ReturnType<BrowseSurroundings["answers"]["to"]>,
  found: SearchAllResponse | null,
): string {
  if (query === "") return "Type to search code, sessions and commits.";
  if (answer === null) return "Searching…";
  const unread = found === null ? [] : collectCoverage(found).map(describeNothingYet);
  const nothing = `Nothing found about "${toPrintable(query)}". Try other words.`;
  return answer.error ?? (unread.length > 0 ? unread.join(" ") : nothing);
}

interface BrowseHit {
  kind: "code" | "session" | "commit" | "event" | "note";
  /** How likely it is what was asked for. */
  likely: number;
  found: FoundItem;
  target: BrowseTarget;
}

/** The likeliest first. */
function listHits({ code, transcripts, history }: SearchAllResponse, style: ResultStyle): BrowseHit[] {
  const ofCode = (code?.results ?? []).map((result, i): BrowseHit => {
    const line = result.match_lines?.[0] ?? result.start_line;
    const place = `${result.file}:${line}`;
    return {
      kind: "code",
      likely: computeLikelihood(code!, i + 1),
      found: toFoundCode(result, style),
      target: {
        opens: { kind: "why", text: place, place, scroll: top },
        copies: place,
        edits: { file: result.file, line },
      },
    };
  });
  const ofSessions = (transcripts?.results ?? []).map(
    (result, i): BrowseHit => ({
      kind: result.annotation === null ? "session" : "note",
      likely: computeLikelihood(transcripts!, i + 1),
      found: toFoundSession(result, style),
      target: {
        opens: makeSessionPage(result.session_id, result.turn),
        copies: `${result.session_id}:${result.turn}`,
      },
    }),
  );
  const ofHistory = (history?.results ?? []).map((result, i): BrowseHit => {
    const { kind, id, title } = result;
    const likely = computeLikelihood(history!, i + 1);
    if (kind === "event") {
      const opens: Page = { kind: "search", text: title, at: 0, first: 0 };
      return { kind, likely, found: toFoundEvent(result, style), target: { opens, copies: id } };
    }
    const opens: Page = { kind: "commit", hash: id, scroll: top };
    return { kind, likely, found: toFoundCommit(result, style), target: { opens, copies: id } };
  });
  return [...ofCode, ...ofSessions, ...ofHistory].sort((a, b) => b.likely - a.likely);
}

function makeResultStyle(screen: Screen): ResultStyle {
  return {
    screen,
    full: true,
    isFiltered: false,
    isExact: false,
    pathOf: (file) => file,
    absolute: (file) => join("/", file),
    pageOf: () => null,
  };
}

function describeResults(
  { verdict, code, transcripts, history }: SearchAllResponse,
  hits: readonly BrowseHit[],
): string {
  if (hits.length === 0) return "";
  const sides = [code, transcripts, history].filter((side) => side !== null);
  const total = sides.reduce((sum, side) => sum + side.total_results, 0);
  const took = Math.max(...sides.map((side) => side.search_time_ms));
  const coverages = collectCoverage({ code, transcripts, history }).map(describeCoverage);
  const said =
    verdict === "not_yet" ? coverages.join(" ") : [`${verdictText[verdict]};`, ...coverages].join(" ");
  return `${said} ${hits.length} of ${total} results, ${formatDuration(took)}`;
}

const collectCoverage = ({
  code,
  transcripts,
  history,
}: Pick<SearchAllResponse, "code" | "transcripts" | "history">) =>
  [code, transcripts, history].flatMap((side) => side?.coverage ?? []);

/** A result in three lines: where and what; when and why; the line that says most of it. */
function renderHitRow(
  { kind, found }: BrowseHit,
  words: QueryWords,
  screen: Screen & { columns: number },
  isChosen: boolean,
): string[] {
  const { colors, columns } = screen;
  const { place, title, warning, facts, why, snippet } = found;
  const aside = warning === undefined ? "" : colors.warn(`(${warning})`);
  const where = cutPainted(place, columns - 4);
  const room = columns - 2 - measureWidth(where) - 2 - measureWidth(aside) - 2;
  const name = room < 8 ? "" : words.mark(cutToWidth(title, room), colors.match);
  const head = [where, isChosen ? colors.bold(name) : name, aside].filter((part) => part !== "").join("  ");
  const about = [kind, ...facts, why.join("; ")].filter((part) => part !== "").join(" | ");
  return [
    cutPainted(`${isChosen ? colors.prompt("❯ ") : "  "}${head}`, columns),
    colors.dim(cutToWidth(`  ${about}`, columns)),
    `  ${snippet === null ? "" : (findTellingLine(snippet, words, screen) ?? "")}`,
  ];
}

/** The line of a snippet that holds the most words of the query. */
function findTellingLine(
  snippet: NonNullable<FoundItem["snippet"]>,
  words: QueryWords,
  screen: Screen & { columns: number },
) {
  const inner = { ...screen, columns: screen.columns - 2 };
  const lines = renderSnippet(snippet, { screen: inner, full: false, words, indent: 0 });
  const [best] = [...lines].sort((a, b) => words.countIn(b) - words.countIn(a));
  return best === undefined ? best : cutPainted(best, inner.columns);
}

function preview({ found }: BrowseHit, query: string, screen: Screen & { columns: number }): string[] {
  return renderFound(query, [found], { screen, full: true }).join("\n").split("\n");
}
