import type { ToolCall, TurnEntry, TurnInFull } from "../operations/sessions.ts";

interface TurnStyle {
  /** Also what commands and agents answered, folded; else a call is a line. */
  results?: boolean;
}

/** A turn as text to paste or hand on: the prompt quoted, answers as they are, calls in a line each, edits as diffs. */
export function turnAsMarkdown(
  { number, started_at, abandoned, state, entries }: TurnInFull,
  { results = false }: TurnStyle = {},
): string {
  const about = [
    number === 0 ? "Before the first prompt" : `Turn ${number}`,
    started_at === null ? "" : minute(started_at),
    state === "interrupted" || state === "error" ? state : "",
    abandoned ? "abandoned branch" : "",
  ];
  const title = `## ${about.filter((part) => part !== "").join(", ")}`;
  return [title, ...entries.map((entry) => textOf(entry, results))]
    .filter((text) => text !== "")
    .join("\n\n");
}

/** "2026-01-31 14:05 UTC": whoever reads it may live elsewhere. */
export function minute(iso: string): string {
  return `${new Date(iso).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

function textOf({ kind, text, images, tool, omitted }: TurnEntry, results: boolean): string {
  if (tool !== null) return callAsMarkdown(tool, results, omitted);
  const more = omitted > 0 ? `\n\n*${omitted.toLocaleString("en")} more characters*` : "";
  if (kind === "prompt") {
    const prompt = [text, images > 0 ? "*(an image)*" : ""].filter((part) => part !== "").join("\n\n");
    return (markdownIn(prompt) + more).replace(/^/gm, "> ").replace(/^> $/gm, ">");
  }
  if (kind === "compaction") return "*The context was compacted.*";
  return kind === "text" || kind === "summary" ? markdownIn(text) + more : "";
}

function callAsMarkdown(call: ToolCall, results: boolean, omitted: number): string {
  const { headline, result, is_error, edits } = call;
  const failed = is_error ? " (failed)" : "";
  const diffs = edits.map(({ file, lines }) => fenced("diff", [`--- ${file}`, ...lines].join("\n")));
  const more = results && omitted > 0 ? [`*${omitted.toLocaleString("en")} more characters or lines*`] : [];
  if (!results || edits.length > 0 || !result)
    return [`- ${inlineCode(headline)}${failed}`, ...diffs, ...more].join("\n\n");
  const summary = `<summary><code>${asHtml(headline.replace(/\s+/g, " "))}</code>${failed}</summary>`;
  return [`<details>${summary}`, fenced("", result), ...more, "</details>"].join("\n\n");
}

const asHtml = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** Between more backticks than the text has in a row. */
function fenced(language: string, text: string): string {
  const fence = "`".repeat(Math.max(3, longestRun(text) + 1));
  return `${fence}${language}\n${text}\n${fence}`;
}

/** A text as code within a line. */
export function inlineCode(text: string): string {
  const line = text.replace(/\s+/g, " ");
  const ticks = "`".repeat(longestRun(line) + 1);
  return ticks.length === 1 ? `\`${line}\`` : `${ticks} ${line} ${ticks}`;
}

const longestRun = (text: string) =>
  (text.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 0);

/**
 * Markdown that somebody wrote, made safe to stand among other Markdown: tags and comments outside of code stay text, and a
 * fence that was left open is closed.
 */
export function markdownIn(text: string): string {
  let open: string | null = null;
  const lines = text.split("\n").map((line) => {
    const [, fence] = /^ {0,3}(`{3,}|~{3,})/.exec(line) ?? [];
    if (open !== null) {
      if (fence?.startsWith(open) && line.trim() === fence) open = null;
      return line;
    }
    if (fence !== undefined) {
      open = fence;
      return line;
    }
    return line.replace(/(`+)[^`]+\1|<(?![a-z]+:\/\/)(?=[!/?a-z])/gi, (found) =>
      found === "<" ? "&lt;" : found,
    );
  });
  return open === null ? text && lines.join("\n") : [...lines, open].join("\n");
}
