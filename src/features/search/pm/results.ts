import { exitCode } from "../../../base/errors.ts";
import type { GraphEdge, Neighbours } from "../../../protocol/graph.ts";
import {
  adviseOn,
  describeCertainty,
  describeNothingYet,
  isCall,
  nameInFull,
} from "../../../protocol/reading/evidence.ts";
import type { Coverage, SearchResponse } from "../../../protocol/results.ts";
import type { Verdict } from "../../../protocol/values.ts";
import { toFileUrl } from "../../../terminal/links.ts";
import type { Palette } from "../../../terminal/palette.ts";
import { formatCount, toPrintable } from "../../../terminal/text.ts";
import { type Found, type FoundStyle, renderFound } from "../render-found.ts";

/** Uses in one direction that are named. */
const neighboursShown = 5;

type Result = SearchResponse["results"][number];

/** How results are shown. */
export interface ResultStyle extends FoundStyle {
  /** The search was limited to some paths, languages or levels. */
  isFiltered: boolean;
  /** Every result had to hold the query, or what it has in quotes, as it is. */
  isExact: boolean;
  /** A result's file as the reader's terminal can open it. */
  pathOf: (file: string) => string;
  /** The same from the root of the file system. */
  absolute: (file: string) => string;
  /** The page of a commit. */
  pageOf: (hash: string) => string | null;
}

/** An answer for a person: its verdict, then results, best first, each with where it is, why it is there and its matching lines. */
export function renderAnswer(answer: SearchResponse, style: ResultStyle): string {
  const { colors } = style.screen;
  const { query, results, coverage } = answer;
  if (results.length === 0 && coverage) return describeNothingYet(coverage);
  if (results.length === 0) {
    const next = style.isFiltered
      ? "Try without --path, --language, --level or --package."
      : style.isExact
        ? "No indexed file holds it is; try without --exact, --regex or quotes."
        : "Try other words; `pm status` shows what is indexed.";
    return formatNothingFound(query, next);
  }
  const blocks = renderResults(query, results, style);
  const shown = `${results.length} of ${answer.total_results}`;
  const summary = colors.dim(`${shown} results, ${answer.search_time_ms} ms`);
  return [...formatAdvice(answer, colors), ...blocks, summary].join("\n\n");
}

/** An answer, as far as it speaks of itself. */
export interface Judged {
  verdict: Verdict;
  coverage?: Coverage | undefined;
}

/** What a reader should know before the results; of what is found nothing. */
export function formatAdvice(judged: Judged, colors: Palette): string[] {
  const advice = adviseOn(judged);
  return advice === null ? [] : [colors.warn(advice)];
}

/** Each with its place, why it is there and its matching lines. */
export function renderResults(query: string, results: readonly Result[], style: ResultStyle): string[] {
  return renderFound(
    query,
    results.map((result) => toFoundCode(result, style)),
    style,
  );
}

/** @param next what to try */
export function formatNothingFound(query: string, next: string): string {
  return `Nothing found about "${toPrintable(query)}".\n${next}`;
}

export function toFoundCode(result: Result, { screen, pathOf, absolute }: ResultStyle): Found {
  const { file, start_line, kind, level, name, parent_name, freshness } = result;
  // The path contains the file's own name already.
  const isInFile = parent_name === null || file.includes(`${parent_name}.`);
  const what = [kind || level, name, isInFile ? "" : `in ${parent_name}`];
  const place = screen.colors.place(`${toPrintable(pathOf(file))}:${start_line}`);
  return {
    place: screen.colors.link(place, toFileUrl(absolute(file))),
    title: toPrintable(what.filter((part) => part !== "").join(" ")),
    ...(freshness === "drifted" && { warning: "changed since it was indexed" }),
    facts: [],
    why: result.match_reasons.map(toPrintable),
    signals: result.signals,
    snippet: {
      kind: "code",
      content: result.content,
      startLine: start_line,
      ...(result.match_lines && { matchLines: result.match_lines }),
      language: result.language,
    },
    more: [
      ...formatOtherPlaces(result, screen.colors),
      ...formatCopies(result, screen.colors),
      ...(result.graph === undefined ? [] : formatNeighbours(result.graph, screen.colors.dim)),
    ],
  };
}

/** `Also: retryLater :40, backoff :88`: the file's other places that match. */
function formatOtherPlaces({ places }: Result, colors: Palette): string[] {
  if (places.length === 0) return [];
  const named = places.map(({ name, start_line }) => `${toPrintable(name)} ${colors.dim(`:${start_line}`)}`);
  return [`${colors.dim("also")} ${named.join(", ")}`];
}

const copiesShown = 5;

/** `also in lib/retry.js, old/retry.js`: files that hold the same. */
function formatCopies({ also_in }: Result, colors: Palette): string[] {
  if (also_in.length === 0) return [];
  const more = also_in.length > copiesShown ? ` and ${also_in.length - copiesShown} more` : "";
  return [`${colors.dim("also in")} ${also_in.slice(0, copiesShown).map(toPrintable).join(", ")}${more}`];
}

/** What uses a result and what it uses, a line each: calls first, then what only mentions it. */
function formatNeighbours(graph: Neighbours, dim: (text: string) => string): string[] {
  if (!graph.is_known) return [dim("uses are not known for its language")];
  const named = (
    edges: readonly GraphEdge[],
    total: number,
    [call, use]: [string, string],
    withPlace: boolean,
  ) => {
    if (edges.length === 0) return `${dim(use)} nothing known`;
    const shown = edges.slice(0, neighboursShown);
    const names = (of: readonly GraphEdge[]) =>
      of.map((edge) => {
        // Code outside of definitions has no name but its place.
        const name = withPlace && edge.kind === "file" ? [] : [toPrintable(nameInFull(edge))];
        const place = withPlace ? [`${toPrintable(edge.file)}:${edge.lines[0]}`] : [];
        return [...name, ...place].join(" ") + describeCertainty(edge);
      });
    const ways = [
      { way: call, edges: shown.filter(isCall) },
      { way: use, edges: shown.filter((edge) => !isCall(edge)) },
    ].filter(({ edges }) => edges.length > 0);
    const more = total > shown.length ? `, ${total - shown.length} more` : "";
    return (
      ways.map(({ way, edges }) => `${dim(way)} ${[...new Set(names(edges))].join(", ")}`).join("; ") + more
    );
  };
  const unknown =
    graph.unknown_calls === 0 ? "" : dim(`; ${formatCount(graph.unknown_calls, "unresolved call")}`);
  return [
    named(graph.used_by, graph.used_by_total, ["called by", "used by"], true),
    `${named(graph.uses, graph.uses_total, ["calls", "uses"], false)}${unknown}`,
  ];
}

/** The parts of an answer to `pm search`; null: not searched. */
export interface Sides<Results = { results: readonly unknown[]; verdict: Verdict }> {
  code: Results | null;
  transcripts: Results | null;
  history: Results | null;
}

/** The exit code of a search: "not found" where no side has a result, nor may get one once all is read. */
export function chooseExitCode({ code, transcripts, history }: Sides): number {
  const isFound = [code, transcripts, history].some(
    (side) => side !== null && (side.results.length > 0 || side.verdict === "not_yet"),
  );
  return isFound ? exitCode.ok : exitCode.notFound;
}
