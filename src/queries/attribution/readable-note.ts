import { shortId } from "../../sessions/short-id.ts";
import { plainOneLine } from "../../text/text-size.ts";
import type { AttributedCommit } from "./attributed-commits.ts";

/** Notes on commits for people, as `git log --notes=pommel` shows them. */

const title = "Pommel: ";

/** Whether a note is one of these. */
export const isReadableNote = (text: string): boolean => text.startsWith(title);

/**
 * "Pommel: 12 lines by agents, 3 by people", and a line for each session.
 * @param titleOf a session's title
 * @returns null where no line has a known author
 */
export function readableNote(
  { lines }: AttributedCommit,
  titleOf: (uid: string) => string | null,
): string | null {
  const counts = { agent: 0, human: 0, unknown: 0 };
  const sessions = new Map<string, { tool: string | null; lines: number }>();
  for (const { author, first, last, session, tool } of lines) {
    const count = last - first + 1;
    counts[author] += count;
    if (session === null) continue;
    sessions.set(session, { tool, lines: (sessions.get(session)?.lines ?? 0) + count });
  }
  if (counts.agent + counts.human === 0) return null;
  const shares = [
    counts.agent > 0 && `${counts.agent} by agents`,
    counts.human > 0 && `${counts.human} by people`,
    counts.unknown > 0 && `${counts.unknown} unknown`,
  ].filter((share) => share !== false);
  const total = counts.agent + counts.human + counts.unknown;
  const rows = [...sessions]
    .sort(([, a], [, b]) => b.lines - a.lines)
    .map(
      ([uid, of]) =>
        // A title may be anybody's text, and a terminal shows the note.
        `  ${shortId(uid)} ${of.tool ?? "agent"}, ${of.lines}: ${plainOneLine(titleOf(uid) ?? "(no title)")}`,
    );
  return `${[`${title}${total} ${total === 1 ? "line" : "lines"}, ${shares.join(", ")}`, ...rows].join("\n")}\n`;
}
