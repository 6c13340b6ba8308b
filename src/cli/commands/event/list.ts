import { call } from "../../../client/call.ts";
import { findProject, findProjectIfAny } from "../../../git/projects/find-project.ts";
import type { EventsRequest, ListedEvent, SuggestedView } from "../../../protocol/operations/events.ts";
import type { CommandContext } from "../../frame.ts";
import type { Screen } from "../../terminal/output.ts";
import { type Column, table } from "../../terminal/table.ts";
import { counted, homeRelative, oneLine, printable, shortId } from "../../terminal/text.ts";
import { daysOf } from "./text.ts";

/** Suggestions below a list. */
const fewSuggestions = 5;

interface ListOptions extends EventsRequest {
  suggested?: boolean;
  allProjects?: boolean;
}

/** `pm event list`. */
export async function eventListCommand(
  { cwd, output }: Pick<CommandContext, "cwd" | "output">,
  words: string[],
  { suggested = false, allProjects = false, ...options }: ListOptions,
): Promise<void> {
  if (allProjects) return listAcross({ cwd, output }, { ...options, query: words.join(" ") });
  const found = await call(
    "events",
    {
      ...options,
      query: words.join(" "),
    },
    await findProject(cwd),
  );
  // Whoever looks for something has no use for what it is not.
  const isAll = words.length === 0 && Object.keys(options).length === 0;
  const suggestions = suggested ? found.suggestions : isAll ? found.suggestions.slice(0, fewSuggestions) : [];
  const events = suggested ? [] : found.events;
  output.result({ events, suggestions }, () => {
    const { colors } = output;
    const parts = suggested ? [] : [renderEvents(events, isAll, output)];
    if (!suggested && found.archived > 0) {
      parts.push(colors.dim(`${counted(found.archived, "archived event")} (--status archived)`));
    }
    if (suggestions.length > 0) parts.push(renderSuggestions(suggestions, output));
    else if (suggested) parts.push("Every branch with sessions has an event.");
    return parts.join("\n\n");
  });
}

/** `pm event list --all-projects`: works anywhere. */
async function listAcross(
  { cwd, output }: Pick<CommandContext, "cwd" | "output">,
  options: EventsRequest,
): Promise<void> {
  const { noteLeftOut } = await import("../search/across.ts");
  const here = (await findProjectIfAny(cwd))?.root;
  const answer = await call("eventsEverywhere", { ...options, here }, null);
  noteLeftOut(answer, output);
  output.result(answer, () => {
    if (answer.events.length === 0) return "No events.";
    const groups = [...new Set(answer.events.map(({ project }) => project))].map((project) => {
      const own = answer.events.filter((event) => event.project === project);
      return `${output.colors.bold(homeRelative(project))}\n${renderEvents(own, true, output)}`;
    });
    return groups.join("\n\n");
  });
}

const columns: Column[] = [
  { title: "event" },
  { title: "title", wraps: true },
  { title: "kind", optional: 2 },
  { title: "branch", optional: 1, wraps: true },
  { title: "days" },
  { title: "sessions", isNumber: true },
  { title: "checkpoints", isNumber: true, optional: 3 },
];

function renderEvents(events: readonly ListedEvent[], isAll: boolean, screen: Screen): string {
  if (events.length === 0) {
    return isAll ? 'No events. `pm event create "what it is about"` creates one.' : "No matching events.";
  }
  const { colors } = screen;
  const rows = events.map(
    ({ id, title, description, type, status, branch, starts_at, ends_at, ...counts }) => [
      colors.id(shortId(id)),
      colors.bold(oneLine(title)) + (description === "" ? "" : ` ${colors.dim(oneLine(description))}`),
      status === "active" ? type : `${type}, ${status}`,
      colors.dim(oneLine(branch ?? "")),
      daysOf(starts_at, ends_at),
      `${counts.sessions}`,
      `${counts.checkpoints}`,
    ],
  );
  return table(columns, rows, screen);
}

const suggestionColumns: Column[] = [
  { title: "title", wraps: true },
  { title: "sessions", isNumber: true },
  { title: "checkpoints", isNumber: true, optional: 2 },
  { title: "until", optional: 1 },
  { title: "to create it", wraps: true },
];

function renderSuggestions(suggestions: readonly SuggestedView[], screen: Screen): string {
  const rows = suggestions.map(({ title, sessions, checkpoints, last_at, accept }) => [
    oneLine(title),
    `${sessions}`,
    `${checkpoints}`,
    daysOf(null, last_at).replace(/^until /, ""),
    screen.colors.hint(printable(accept)),
  ]);
  return `${screen.colors.bold("Suggested events:")}\n${table(suggestionColumns, rows, screen)}`;
}
