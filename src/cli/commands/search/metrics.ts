import type { ContextMetrics } from "../../../search/code/metrics.ts";

/** What an answer saves its reader, in a sentence or two. */
export function renderMetrics(metrics: ContextMetrics): string {
  const { baseline_words: words, baseline_words_held: held, baseline_files: files } = metrics;
  const results = `The results are ${count(metrics.result_lines, "line")}, about ${count(metrics.result_tokens, "token")}.`;
  if (files === 0) return `${results} No file contains any of the query's words, so grep would find nothing.`;
  const quoted = words.map((word) => `"${word}"`).join(", ");
  const which =
    held === words.length
      ? `${files === 1 ? "holds" : "hold"} ${quoted}`
      : `${files === 1 ? "holds" : "hold"} ${held} of ${quoted}; none holds more`;
  const reading = `${count(metrics.baseline_lines, "line")}, about ${count(metrics.baseline_tokens, "token")}`;
  return `${results}\nThe ${count(files, "file")} that ${which}: ${reading}. ${savingOf(metrics)}`;
}

function savingOf({ saved_share }: ContextMetrics): string {
  if (saved_share === null) return "";
  // Never "100 %": something had to be read.
  const percent =
    saved_share > 0.99 ? Math.floor(saved_share * 1000) / 10 : Math.round(Math.abs(saved_share) * 100);
  return saved_share < 0 ? `The results are ${percent} % more than that.` : `That is ${percent} % saved.`;
}

function count(number: number, unit: string): string {
  return `${number.toLocaleString("en")} ${unit}${number === 1 ? "" : "s"}`;
}
