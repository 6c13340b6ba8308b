import type { TurnState } from "../protocol/values.ts";
import type { StoredLine } from "./turn-content.ts";

/** What clients write where the user stops an agent: Claude Code, and Codex as its adapter words it; Gemini CLI; OpenCode. */
const interrupted =
  /^(?:\[Request interrupted by user|\[Turn aborted: (?:interrupted|replaced)\]|Request cancelled\.|MessageAbortedError\b)/i;
/** And where the model's service fails, or the client gives up. */
const failed =
  /^(?:\[?API Error\b|\[Turn aborted: |Credit balance is too low|Prompt is too long|(?:API|ContextOverflow|MessageOutputLength|ProviderAuth|StructuredOutput|Unknown)Error\b)/i;

/**
 * How a turn ended, by the last of its entries that says so. Whether the conversation went on from before it is another
 * question (`abandoned`).
 */
export function detectTurnState(lines: readonly StoredLine[]): TurnState {
  for (const { entries } of lines.toReversed()) {
    for (const entry of entries.toReversed()) {
      switch (entry.kind) {
        case "text":
          return "completed";
        case "notice": {
          const text = entry.text.trimStart();
          if (interrupted.test(text)) return "interrupted";
          if (failed.test(text)) return "error";
          // A farewell, the output of the user's own command.
          continue;
        }
        case "title":
        case "summary":
        case "compaction":
          continue;
        case "tool_result":
          return entry.endsTurn ? "completed" : "unfinished";
        default:
          return "unfinished";
      }
    }
  }
  // Nothing was asked.
  return "completed";
}
