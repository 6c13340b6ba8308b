import type { ToolCall, TurnEntry, TurnInFull } from "../../../protocol/operations/sessions.ts";

/** A turn as text to paste elsewhere: the prompt quoted, answers as they are, calls in a line each, edits as diffs. */
export function turnAsMarkdown({ number, entries }: TurnInFull): string {
  return [`## Turn ${number}`, ...entries.map(textOf)].filter((text) => text !== "").join("\n\n");
}

function textOf({ kind, text, tool }: TurnEntry): string {
  if (tool !== null) return callAsMarkdown(tool);
  if (kind === "prompt") return text.replace(/^/gm, "> ");
  if (kind === "compaction") return "*The context was compacted.*";
  return kind === "text" || kind === "summary" ? text : "";
}

function callAsMarkdown({ headline, edits }: ToolCall): string {
  const diffs = edits.map(({ file, lines }) => fenced("diff", [`--- ${file}`, ...lines].join("\n")));
  return [`- ${inlineCode(headline)}`, ...diffs].join("\n\n");
}

/** Between more backticks than the text has in a row. */
function fenced(language: string, text: string): string {
  const fence = "`".repeat(Math.max(3, longestRun(text) + 1));
  return `${fence}${language}\n${text}\n${fence}`;
}

function inlineCode(text: string): string {
  const ticks = "`".repeat(longestRun(text) + 1);
  return ticks.length === 1 ? `\`${text}\`` : `${ticks} ${text} ${ticks}`;
}

const longestRun = (text: string) => Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
