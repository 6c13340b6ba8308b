import { findProject } from "../../../project/paths.ts";
import type { EventsRequest, ListedEvent, SuggestedView } from "../../../protocol/operations/events.ts";
import { answerFromStore } from "../../../queries/operations.ts";
import type { CommandContext } from "../../frame.ts";
import { type Colors, table } from "../../terminal/output.ts";
import { printable } from "../search/results.ts";
import { counted, oneLine } from "../session/text.ts";
import { daysOf, eventFacts, eventName } from "./text.ts";

/** Suggestions below a list. */
const fewSuggestions = 5;

/** `pm event list`. */
export async function eventListCommand(
  { cwd, output }: CommandContext,
  words: string[],
  { suggested = false, ...options }: EventsRequest & { suggested?: boolean },
): Promise<void> {
  const found = await answerFromStore(findProject(cwd), "events", { ...options, query: words.join(" ") });
  // Whoever looks for something has no use for what it is not.
  const isAll = words.length === 0 && Object.keys(options).length === 0;
  const suggestions = suggested ? found.suggestions : isAll ? found.suggestions.slice(0, fewSuggestions) : [];
  const events = suggested ? [] : found.events;
  output.result({ events, suggestions }, () => {
    const { colors } = output;
    const parts = suggested ? [] : [renderEvents(events, isAll)];
    if (!suggested && found.archived > 0) {
      parts.push(colors.dim(`${counted(found.archived, "archived event")} (--status archived)`));
    }
    if (suggestions.length > 0) parts.push(renderSuggestions(suggestions, colors));
    else if (suggested) parts.push("Every branch with sessions has an event.");
    return parts.join("\n\n");
    function renderEvents(all: readonly ListedEvent[], isOpen: boolean): string {
      if (all.length > 0) return all.map((event) => renderEvent(event, colors)).join("\n");
      return isOpen ? 'No events. `pm event create "what it is about"` creates one.' : "No matching events.";
    }
  });
}

function renderEvent(event: ListedEvent, colors: Colors): string {
  const counts = `${counted(event.sessions, "session")}, ${counted(event.checkpoints, "checkpoint")}`;
  const lines = [eventName(event, colors), colors.dim(`         ${eventFacts(event)} | ${counts}`)];
  if (event.description !== "") lines.push(`         ${oneLine(event.description, 90)}`);
  return lines.join("\n");
}

function renderSuggestions(suggestions: readonly SuggestedView[], colors: Colors): string {
  const rows = suggestions.map(({ title, sessions, checkpoints, last_at, accept }) => [
    `  ${oneLine(title, 40)}`,
    `${counted(sessions, "session")}, ${counted(checkpoints, "checkpoint")}`,
    daysOf(null, last_at).replace(/^until /, ""),
    printable(accept),
  ]);
  return `${colors.bold("Suggested events:")}\n${table(rows)}`;
}
