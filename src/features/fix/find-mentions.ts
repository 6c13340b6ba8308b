import { formatIsoTime } from "../../base/text/iso-time.ts";
import { shortenText } from "../../base/text/text-size.ts";
import { extractErrorLines } from "../../sessions/chunks/units/tool-results.ts";
import { normalizeErrorLine } from "../../sessions/commands/commands-of-turn.ts";
import { searchContentForFirst } from "../../sessions/search/content.ts";
import { openQuery } from "../../sessions/search/types.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { readSessionsByIds } from "../../store/memory/sessions/sessions.ts";
import type { FixAnswer } from "./operation.ts";

/** Lines of an error that are looked for, and their parts. */
const maxCounts = { lines: 2, parts: 3, mentions: 3 } as const;
/** Characters that are no accident, and of what is quoted. */
const length = { whole: 8, part: 20, quote: 200 } as const;
/** A search answers with what it has by then. Milliseconds. */
const searchMs = 2000;

/**
 * Where an error was said that no command of an agent reported: pasted by the person, in the output of another tool, in a
 * file.
 */
export async function findMentions(
  memory: Memory,
  error: string,
): Promise<Pick<FixAnswer, "mentions" | "notes">> {
  const reported = extractErrorLines(error, 4_000);
  const lines = (reported === "" ? error : reported).split("\n").filter((line) => line.trim() !== "");
  const telling = [...lines.filter((line) => normalizeErrorLine(line) !== null), ...lines].slice(
    0,
    maxCounts.lines,
  );
  const parts = [...new Set(telling.flatMap(listSearchParts))];
  if (parts.length === 0) return { mentions: [], notes: [] };
  const { groups, notes } = await searchContentForFirst(
    memory,
    // A search finds one more than its limit.
    { ...openQuery, match: "exact", by: "session", limit: maxCounts.mentions - 1 },
    parts,
    { limitMs: searchMs },
  );
  if (groups.length === 0) return { mentions: [], notes };
  const sessions = readSessionsByIds(
    memory,
    groups.map(({ shown }) => shown.sessionId),
  );
  const mentions = groups.slice(0, maxCounts.mentions).flatMap(({ shown }) => {
    const session = sessions.get(shown.sessionId);
    if (session === undefined) return [];
    return {
      session_id: session.uid,
      author: session.author,
      turn: shown.number,
      timestamp: formatIsoTime(shown.at),
      text: shortenText(cutLineAt(shown.text, shown.start), length.quote),
    };
  });
  return { mentions, notes: [] };
}

/** A line as it stands but for where and when; then what is between its numbers, paths and hashes, the longest first. */
function listSearchParts(line: string): string[] {
  const whole = line
    .trim()
    .replace(/^(?:\S+:\d+(?::\d+)?: |\S+\(\d+,\d+\): )/, "")
    .replace(/\s*\(?\d+(?:\.\d+)?\s?m?s\)?$/, "");
  const parts = whole
    .split(/\S*[/\\]\S*|\b\d+(?:\.\d+)*\b|\b[\da-f]{7,}\b|\s{2,}|\t/)
    .map((part) => part.trim())
    .sort((a, b) => b.length - a.length);
  return [...new Set([whole, ...parts.filter((part) => part.length >= length.part)])]
    .filter((part) => part.length >= length.whole)
    .slice(0, maxCounts.parts);
}

function cutLineAt(text: string, at: number): string {
  const from = text.lastIndexOf("\n", at) + 1;
  const to = text.indexOf("\n", at);
  return text.slice(from, to === -1 ? undefined : to).trim();
}
