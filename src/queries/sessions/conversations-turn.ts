import type { Entry } from "../../agents/agent.ts";
import type { StoredLine } from "../../sessions/turn-content.ts";
import { withoutSpeakers } from "../../text/quotation.ts";

/** The whole archive of a turn, for people and agents to read. */
export function renderTurn(lines: readonly StoredLine[]): string {
  return lines
    .flatMap(({ entries }) => entries.map(renderEntry))
    .filter((statement) => statement !== "")
    .join("\n\n");
}

function renderEntry(entry: Entry): string {
  switch (entry.kind) {
    case "prompt":
      return labelled("USER", entry.text.trim() || (entry.images > 0 ? "(an image)" : ""));
    case "text":
      return labelled("ASSISTANT", entry.text);
    case "thinking":
      return labelled("THINKING", entry.text);
    case "notice":
      return labelled("NOTICE", entry.text);
    case "summary":
      return labelled("SUMMARY", entry.text);
    case "compaction":
      return labelled("COMPACTION", entry.trigger ?? "the context was compacted");
    case "tool_use":
      return `[TOOL_USE] ${entry.tool}${withoutSpeakers(inputOf(entry.input))}`;
    case "tool_result":
      return `[TOOL_RESULT] ${entry.isError ? "error: " : ""}${withoutSpeakers(entry.text.trim())}`.trimEnd();
    case "title":
      return "";
  }
}

function labelled(label: string, text: string): string {
  return text.trim() === "" ? "" : `[${label}] ${withoutSpeakers(text.trim())}`;
}

/** A line for each thing that a tool was given; longer texts below their name, indented. */
function inputOf(input: Readonly<Record<string, unknown>>): string {
  return Object.entries(input)
    .map(([name, value]) => {
      const text = typeof value === "string" ? value : JSON.stringify(value);
      return text.includes("\n") ? `\n  ${name}:\n${text.replace(/^/gm, "    ")}` : `\n  ${name}: ${text}`;
    })
    .join("");
}
