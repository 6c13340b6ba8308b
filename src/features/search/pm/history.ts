import type { CommitFound, EventFound } from "../../../protocol/results.ts";
import { formatCount, formatWhen, shortenId, toOneLine, toPrintable } from "../../../terminal/text.ts";
import { type Found, renderFound } from "../render-found.ts";
import type { ResultStyle } from "./results.ts";

/** Files and sessions of a commit that are named. */
const filesShown = 4;
const sessionsShown = 2;

/** Commits for a person: best first, each with who made it, why it is there, and the sessions behind it. */
export function renderCommits(query: string, commits: readonly CommitFound[], style: ResultStyle): string[] {
  return renderFound(
    query,
    commits.map((commit) => toFoundCommit(commit, style)),
    style,
  );
}

export function toFoundCommit(commit: CommitFound, style: ResultStyle): Found {
  const { screen, pageOf } = style;
  const { colors } = screen;
  const { id, title, author, timestamp, sessions, files } = commit;
  const fate = describeFate(commit);
  return {
    place: colors.link(colors.commit(toPrintable(id.slice(0, 8))), pageOf(id)),
    title: toOneLine(title),
    ...(fate !== null && { warning: fate }),
    facts: [formatWhen(timestamp, screen), toOneLine(author)],
    why: commit.match_reasons.map(toPrintable),
    signals: commit.signals,
    snippet: { kind: "text", content: commit.snippet, excerpt: commit.snippet },
    more: [
      ...sessions.slice(0, sessionsShown).map(({ session_id, title: session, turns }) => {
        const which = turns.length > 0 ? `:${turns[0]}` : "";
        return `From session ${colors.id(shortenId(session_id) + which)}  ${toOneLine(session ?? "")}`.trimEnd();
      }),
      ...(files.length === 0 ? [] : [formatFiles(files, style)]),
    ],
  };
}

function describeFate({ reach, reverted_by }: CommitFound): string | null {
  if (reverted_by !== null) return `reverted by ${toPrintable(reverted_by.slice(0, 8))}`;
  if (reach === "elsewhere") return "not in HEAD's history";
  return reach === "gone" ? "not in this repository" : null;
}

function formatFiles(files: readonly string[], { full, pathOf }: ResultStyle): string {
  const shown = full ? files : files.slice(0, filesShown);
  const more = files.length > shown.length ? ` and ${files.length - shown.length} more` : "";
  return `Files: ${shown.map((file) => toPrintable(pathOf(file))).join(", ")}${more}`;
}

/** Events for a person: best first, each with what belongs to it. */
export function renderEvents(query: string, events: readonly EventFound[], style: ResultStyle): string[] {
  return renderFound(
    query,
    events.map((event) => toFoundEvent(event, style)),
    style,
  );
}

export function toFoundEvent(event: EventFound, { screen }: Pick<ResultStyle, "screen">): Found {
  return {
    place: screen.colors.id(toPrintable(event.id)),
    title: toOneLine(event.title),
    facts: [formatWhen(event.timestamp, screen), event.status, toOneLine(event.branch ?? "")],
    why: event.match_reasons.map(toPrintable),
    signals: event.signals,
    snippet: { kind: "text", content: event.snippet, excerpt: event.snippet },
    more: [`${formatCount(event.sessions, "session")}, ${formatCount(event.checkpoints, "checkpoint")}`],
  };
}
