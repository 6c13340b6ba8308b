import { exitCode } from "../../../base/errors.ts";
import { formatDuration } from "../../../base/text/duration.ts";
import { adviseOn, describeNothingYet } from "../../../protocol/reading/evidence.ts";
import type { Coverage, SearchResponse } from "../../../protocol/results.ts";
import type { Verdict } from "../../../protocol/values.ts";
import type { Palette } from "../../../terminal/palette.ts";
import { renderFound } from "../../../terminal/render-found.ts";
import { toPrintable } from "../../../terminal/text.ts";
import { type ResultStyle, toFoundCode } from "../result-words.ts";

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
  const blocks = renderFound(
    query,
    results.map((result) => toFoundCode(result, style)),
    style,
  );
  const shown = `${results.length} of ${answer.total_results}`;
  const summary = colors.dim(`${shown} results, ${formatDuration(answer.search_time_ms)}`);
  return [...formatAdvice(answer, colors), ...blocks, summary].join("\n\n");
}

/** An answer, as far as it speaks of itself. */
export interface JudgedAnswer {
  verdict: Verdict;
  coverage?: Coverage | undefined;
}

/** What a reader should know before the results; of what is found nothing. */
export function formatAdvice(judged: JudgedAnswer, colors: Palette): string[] {
  const advice = adviseOn(judged);
  return advice === null ? [] : [colors.warn(advice)];
}

/** @param next what to try */
export function formatNothingFound(query: string, next: string): string {
  return `Nothing found about "${toPrintable(query)}".\n${next}`;
}

/** The parts of an answer to `pm search`; null: not searched. */
export interface SideAnswers<Results = { results: readonly unknown[]; verdict: Verdict }> {
  code: Results | null;
  transcripts: Results | null;
  history: Results | null;
}

/** The exit code of a search: "not found" where no side has a result, nor may get one once all is read. */
export function chooseExitCode({ code, transcripts, history }: SideAnswers): number {
  const isFound = [code, transcripts, history].some(
    (side) => side !== null && (side.results.length > 0 || side.verdict === "not_yet"),
  );
  return isFound ? exitCode.ok : exitCode.notFound;
}
