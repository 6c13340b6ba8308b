import { padToWidth } from "../../base/text/display-width.ts";
import { nameTitle } from "../../protocol/reading/names.ts";
import { renderDocument } from "../../terminal/render-document.ts";
import { formatWhen, shortenId, toOneLine } from "../../terminal/text.ts";
import type { SessionSummary } from "../sessions/operation.ts";
import { describeNoSessions, wordSessionHead } from "../sessions/session-words.ts";
import {
  type BrowseSurroundings,
  type BrowseView,
  makeSessionPage,
  type Page,
  splitColumns,
} from "./view.ts";

/** As many as the daemon lists at most. */
const request = { limit: 1000 };

/** All sessions, the latest first. */
export function buildSessionsView(
  { text, at }: Page & { kind: "sessions" },
  { answers, screen }: BrowseSurroundings,
): BrowseView {
  const answer = answers.to("sessions", request);
  const { sessions = [], total = 0 } = answer?.value ?? {};
  const shown = sessions.filter((session) => hasAllWords(session, text));
  const isWhole = shown.length === sessions.length && sessions.length === total;
  const count = shown.length.toLocaleString("en");
  return {
    title: { label: "Filter", text, hint: "title, branch, agent or id" },
    status: answer?.value === undefined ? "" : isWhole ? count : `${count} of ${total.toLocaleString("en")}`,
    content:
      shown.length > 0
        ? {
            kind: "list",
            count: shown.length,
            rowHeight: 1,
            row: (index, width, isChosen) => [renderSessionRow(shown[index]!, width, isChosen, screen)],
            header: (width) =>
              `  ${"Session".padEnd(10)}${"Last".padEnd(14)}  ${"Turns".padStart(6)}  ${width < wideColumns ? "" : `${"Agent".padEnd(10)}${"Branch".padEnd(24)}`}Title`,
            preview: (index, width) => renderSessionHead(shown[index]!.id, width, answers, screen),
          }
        : { kind: "message", text: emptyText(answer, text) },
    target(index) {
      const session = shown[index];
      if (!session) return {};
      return {
        opens: makeSessionPage(session.id, null),
        copies: session.id,
      };
    },
    asks: [{ route: "sessions", request }, ...askForChosen(shown, at, screen)],
  };
}

/** The question about the chosen session of a list, where it is shown beside it. */
export function askForChosen(
  shown: readonly { id: string }[],
  at: number,
  { columns }: BrowseSurroundings["screen"],
): BrowseView["asks"] {
  const chosen = shown[Math.min(Math.max(at, 0), shown.length - 1)];
  if (chosen === undefined || columns < splitColumns) return [];
  return [{ route: "session", request: { id: chosen.id } }];
}

/** What a session was about, what came of it, its commits and what is open. */
export function renderSessionHead(
  id: string,
  width: number,
  answers: BrowseSurroundings["answers"],
  screen: BrowseSurroundings["screen"],
): string[] {
  const answer = answers.to("session", { id });
  if (answer?.value === undefined) return [answer?.error ?? "Loading…"];
  return renderDocument(wordSessionHead(answer.value, false), {
    screen: { ...screen, columns: width },
  }).split("\n");
}

function emptyText(answer: ReturnType<BrowseSurroundings["answers"]["to"]>, text: string): string {
  if (answer === null) return "Loading…";
  if (answer.error !== undefined) return answer.error;
  return describeNoSessions(text.trim() !== "");
}

/** Whether a session holds all words of a filter, whatever their case. */
function hasAllWords({ id, title, branch, agent }: SessionSummary, text: string): boolean {
  const about = [id, title ?? "", branch ?? "", agent].join(" ").toLowerCase();
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => about.includes(word));
}

/** From this width on, agent and branch have columns, too. */
const wideColumns = 100;

function renderSessionRow(
  { id, last_at, turns, agent, agent_type, branch, title }: SessionSummary,
  width: number,
  isChosen: boolean,
  screen: BrowseSurroundings["screen"],
): string {
  const { colors } = screen;
  const cell = (text: string, columns: number) => padToWidth(toOneLine(text, columns), columns);
  const more = width >= wideColumns ? [colors.agent(cell(agent, 8)), colors.dim(cell(branch ?? "", 22))] : [];
  const taken = 2 + 10 + 16 + 8 + (more.length > 0 ? 34 : 0);
  const name = toOneLine(nameTitle(title ?? agent_type), Math.max(width - taken, 8));
  return [
    isChosen ? colors.prompt("❯ ") : "  ",
    `${colors.id(cell(shortenId(id), 8))}  `,
    `${cell(formatWhen(last_at, screen) || "unknown", 14)}  `,
    `${turns.toLocaleString("en").padStart(6)}  `,
    ...more.map((text) => `${text}  `),
    isChosen ? colors.bold(name) : name,
  ].join("");
}
