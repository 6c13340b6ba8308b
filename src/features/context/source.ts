import type { Config } from "../../base/config/settings.ts";
import { toHarmlessLine } from "../../base/text/quotation.ts";
import { estimateTokens, shortenText } from "../../base/text/text-size.ts";
import type { FileCommit } from "../../git/history/file-changes.ts";
import { formatSharedBy } from "../../protocol/origin.ts";
import { shortenSessionId } from "../../protocol/reading/short-id.ts";
import { ownContext } from "../../protocol/ready-context.ts";
import type { SearchResponse } from "../../protocol/results.ts";
import type { SessionAnswer, SessionQuery } from "../../sessions/search/types.ts";
import type { LedTo } from "../../store/memory/commits/commits-of-turns.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { findSessionById, findSessionByUid } from "../../store/memory/sessions/sessions.ts";

/** What is quoted to an agent, so that it cannot be taken for anything but a quotation. */

/** The client truncates longer context before its model sees it. Characters. */
const maxCharacters = 10_000;

/** Of a quotation with its metadata. Characters. */
const maxQuoteLength = 400;
const maxPlaceLength = 160;

/** An item of automatic context: what it is, the quoted text, and its place. */
export interface ContextItem {
  ref: string;
  /** "Note", "Decided", "Fixed": our own words. */
  kind: string;
  /** Somebody else's words. */
  quote: string;
  /** When and where, with an id to follow up. */
  place: string;
  why: string;
  score: number | null;
  /** The line as it is worded already, with quotations that are harmless; left out: it is made of these. */
  line?: string;
  /** The session that said it. Left out: none, or it is not told of to others alone. */
  session?: string | null;
}

/** What an edit put in place of what. */
export interface ReplacedText {
  removed: string;
  added: string;
}

/** What facts about a failure come from. */
export type FailureSource = Pick<ContextSource, "root" | "worktrees" | "memory" | "until" | "origin">;

/** The frame is all that is said beside the facts: the instructions say that they are history. */
const frameLines = (lines: readonly string[]): string =>
  [ownContext.start, ...lines, ownContext.end].join("\n");

/** What stands before the lines of a text, and behind them. */
export function splitFrame(): { head: string; tail: string } {
  const [head = "", tail = ""] = frameLines(["\0"]).split("\0");
  return { head, tail };
}

/** The first that fit, as one text; null when none does. */
export function frameQuotes(
  items: readonly ContextItem[],
  maxTokens: number,
): { text: string; tokens: number; included: ContextItem[]; lines: string[] } | null {
  const fits = (lines: readonly string[]) => {
    const text = frameLines(lines);
    return estimateTokens(text) <= maxTokens && text.length <= maxCharacters;
  };
  const lines: string[] = [];
  const included: ContextItem[] = [];
  for (const item of items) {
    const line = formatInjection(item);
    // A shorter one behind it may still fit.
    if (line === null || !fits([...lines, line])) continue;
    lines.push(line);
    included.push(item);
  }
  if (included.length === 0) return null;
  const text = frameLines(lines);
  return { text, tokens: estimateTokens(text), included, lines };
}

function formatInjection({ kind, quote, place, line }: ContextItem): string | null {
  if (line !== undefined) return line === "" ? null : `- ${line}`;
  const text = shortenText(toHarmlessLine(quote), maxQuoteLength);
  if (text === "") return null;
  const where = shortenText(toHarmlessLine(place), maxPlaceLength);
  return `- ${kind}: “${text}”${where === "" ? "" : ` (${where})`}`;
}

/** Git's view of a file, where the agent works. */
export interface FileHistory {
  /** What the latest commits did to it, the latest first. */
  changes(file: string): Promise<readonly FileCommit[]>;
  /** What the last commit has; null: not tracked. */
  committed(file: string): Promise<string | null>;
}

/** Where the index finds what a pattern names. */
export interface PlaceFound {
  path: string;
  line: number;
  name: string;
}

/** The code that a search is about to look through. */
export interface SearchSource {
  definitions: (names: readonly string[]) => Promise<PlaceFound[]>;
  search: (query: string, paths: readonly string[]) => Promise<SearchResponse | null>;
}

/** Where automatic context comes from. */
export interface ContextSource {
  /** The project's root, which paths of files are relative to. */
  root: string;
  /** Roots of its other worktrees. */
  worktrees: readonly string[];
  memory: Memory;
  config: Config;
  search: (query: SessionQuery) => Promise<SessionAnswer>;
  /** The locations of code that a prompt names; none without an index of code. */
  namedCode: (prompt: string) => Promise<ContextItem[]>;
  /** What a search looks for; left out, and null: without an index of code. */
  code?: SearchSource | null;
  /** The session that the one that asks was forked from, where the memory does not know yet. */
  origin?: string | null;
  /** What the agent goes on with after its compaction; null: not known. */
  summary?: () => Promise<string | null>;
  /** The branch that the agent works on; null: none, or not known. */
  branch: () => Promise<string | null>;
  /** Left out: without git. */
  history?: FileHistory;
  /** What reverted a commit; null: nothing, or git does not say so in time. Left out: without git. */
  revertOf?: (commit: LedTo) => Promise<string | null>;
  now: number;
  /** Nothing later is injected; null: no limit. */
  until: number | null;
}

/** Sessions whose text the agent already has: its own and the one it was forked from; their subagents' as well. */
export function listSeenSessions(
  { memory, origin: unknownYet = null }: Pick<ContextSource, "memory" | "origin">,
  sessionUid: string,
): string[] {
  const seen = new Set<string>();
  for (let uid: string | null = sessionUid; uid !== null && !seen.has(uid); ) {
    seen.add(uid);
    const session = findSessionByUid(memory, uid);
    const origin = session?.forkedFrom ?? session?.parentId ?? null;
    if (origin !== null) uid = findSessionById(memory, origin)?.uid ?? null;
    else uid = uid === sessionUid ? unknownYet : null;
  }
  return [...seen];
}

/** Whether an agent already has a session's text. */
export function makeSeenFilter(
  source: Pick<ContextSource, "memory" | "origin">,
  sessionUid: string,
): (uid: string) => boolean {
  const seen = listSeenSessions(source, sessionUid);
  return (uid) => seen.some((one) => uid === one || uid.startsWith(`${one}/`));
}

/** "session 1a2b3c4d turn 5, shared by ann, 2026-01-31, branch main". Ids as commands and tools take them. */
export function formatSessionPlace({
  session,
  turn = null,
  author = null,
  at,
  branch = null,
}: {
  session: string | null;
  turn?: number | null;
  /** The colleague who shared it. */
  author?: string | null;
  at: number | null;
  branch?: string | null;
}): string {
  const parts = [
    session === null ? "" : `session ${shortenSessionId(session)}${turn === null ? "" : ` turn ${turn}`}`,
    formatSharedBy(author),
    at === null ? "" : new Date(at).toISOString().slice(0, 10),
    branch === null ? "" : `branch ${branch}`,
  ];
  return parts.filter((part) => part !== "").join(", ");
}
