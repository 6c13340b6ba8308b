import {
  ago,
  type Document,
  type DocumentBlock,
  faint,
  heading,
  hint,
  id,
  joinParts,
  type LinePart,
  line,
  makeCommitPiece,
  makeDocument,
  type Paragraph,
  type ShownTime,
  strong,
  table,
  title,
} from "../../answers/document.ts";
import { formatCount } from "../../base/text/counted.ts";
import { nameTitle } from "../../protocol/reading/names.ts";
import { shortenSessionId } from "../../protocol/reading/short-id.ts";
import type { EventAnswer, EventView, ListedEvent, SuggestedView } from "./operation.ts";

export const noEvents = 'No events. `pm event create "what it is about"` creates one.';
export const noMatchingEvents = "No matching events.";
/** Of a session or a commit that a colleague linked. */
export const notHere = "(not on this machine)";

/** "task", "task, frozen" */
const wordKind = ({ type, status }: EventView): string => (status === "active" ? type : `${type}, ${status}`);

/** "2026-03-01 to 2026-03-31", "from 2026-03-01", "until 2026-03-31" */
function wordDays(from: string | null, to: string | null): LinePart[] {
  const [first, last] = [from, to].map((at): ShownTime | null => (at === null ? null : { at, form: "day" }));
  if (first && last) return first.at.slice(0, 10) === last.at.slice(0, 10) ? [first] : [first, " to ", last];
  return first ? ["from ", first] : last ? ["until ", last] : [];
}

/** "task, frozen | feat/auth | 2026-03-01 to 2026-03-31" */
export const wordEventFacts = (event: EventView): LinePart[] =>
  joinParts([
    wordKind(event),
    event.branch !== null && { text: event.branch },
    wordDays(event.starts_at, event.ends_at),
  ]);

export const wordEvents = (events: readonly ListedEvent[]): DocumentBlock =>
  table(
    [
      { title: "event" },
      { title: "title", wraps: true },
      { title: "kind", optional: 2 },
      { title: "branch", optional: 1, wraps: true },
      { title: "days" },
      { title: "sessions", isNumber: true },
      { title: "checkpoints", isNumber: true, optional: 3 },
    ],
    events.map((event) => [
      id(shortenSessionId(event.id)),
      joinParts([strong(event.title), faint(event.description)], " "),
      wordKind(event),
      faint(event.branch ?? ""),
      wordDays(event.starts_at, event.ends_at),
      `${event.sessions}`,
      `${event.checkpoints}`,
    ]),
  );

export const wordSuggestions = (suggestions: readonly SuggestedView[]): Paragraph => [
  title("Suggested events:"),
  table(
    [
      { title: "title", wraps: true },
      { title: "sessions", isNumber: true },
      { title: "checkpoints", isNumber: true, optional: 2 },
      { title: "until", optional: 1 },
      { title: "to create it", wraps: true },
    ],
    suggestions.map(({ title: name, sessions, checkpoints, last_at, accept }) => [
      { text: name },
      `${sessions}`,
      `${checkpoints}`,
      last_at !== null && { at: last_at, form: "day" },
      hint(accept),
    ]),
  ),
];

/** An event: what it is, and what belongs to it. @param nameProject where it is of another project */
export function wordEvent(details: EventAnswer, nameProject: (root: string) => string): Document {
  const { event, from, to, sessions, checkpoints } = details;
  const span = wordDays(from, to);
  const other = (project: string | null) => project !== null && faint(`(${nameProject(project)})`);
  return makeDocument(
    [
      heading(event.title),
      line(
        ...joinParts([wordEventFacts(event), span.length > 0 && ["happened ", ...span]]),
        "  ",
        faint(event.id),
      ),
    ],
    event.description !== "" && [{ is: "passage", text: event.description }],
    sessions.length > 0 && [
      title(formatCount(sessions.length, "session")),
      table(
        [
          { title: "session" },
          { title: "active" },
          { title: "turns", isNumber: true },
          { title: "title", wraps: true },
          { title: "commits", wraps: true, optional: 1 },
        ],
        sessions.map((session) => [
          id(shortenSessionId(session.id)),
          ago(session.last_at),
          session.is_known && `${session.turns}`,
          joinParts(
            [{ text: session.is_known ? nameTitle(session.title) : notHere }, other(session.project)],
            " ",
          ),
          joinParts(session.commits.map(makeCommitPiece), " "),
        ]),
      ),
    ],
    checkpoints.length > 0 && [
      title(formatCount(checkpoints.length, "checkpoint")),
      table(
        [{ title: "checkpoint" }, { title: "committed" }, { title: "subject", wraps: true }],
        checkpoints.map((checkpoint) => [
          { text: checkpoint.id, role: "commit" },
          ago(checkpoint.committed_at),
          joinParts([{ text: checkpoint.subject ?? notHere }, other(checkpoint.project)], " "),
        ]),
      ),
    ],
    sessions.length + checkpoints.length === 0 && [
      line("It is empty; `pm event link` adds sessions and checkpoints."),
    ],
    wordLinesByAgent(details),
  );
}

/** "Lines in its commits: claude 120, people 30, unknown 2" */
function wordLinesByAgent({ lines }: EventAnswer): Paragraph {
  if (lines === null) return [];
  const counts = [
    ...Object.entries(lines.agents),
    ["people", lines.human] as const,
    ["unknown", lines.unknown] as const,
  ];
  const parts = counts
    .filter(([, count]) => count > 0)
    .map(([name, count]) => ({ text: `${name} ${count.toLocaleString("en")}` }));
  return parts.length === 0 ? [] : [line("Lines in its commits: ", ...joinParts(parts, ", "))];
}
