import { setImmediate as nextTurn } from "node:timers/promises";
import type { TranscriptEntry } from "../../agents/agent.ts";
import { PommelError } from "../../base/errors.ts";
import { addTo } from "../../base/multimap.ts";
import { compileLiteral } from "../../base/text/pattern.ts";
import { buildWordMatchers, type Matcher } from "../../code/search/verbatim/matchers.ts";
import type { ContentRole } from "../../protocol/values.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { inflateContent } from "../../store/memory/sessions/content.ts";
import {
  type ArchivedTurn,
  findContentById,
  findWordsById,
  listArchivedTurns,
} from "../../store/memory/sessions/turn-lookup.ts";
import { hashWord, mayHoldWords } from "../../store/memory/sessions/word-filter.ts";
import type { StoredLine } from "../turn-content.ts";
import { buildChunkFilter } from "./scope.ts";
import type { SessionQuery } from "./types.ts";

/**
 * Searches all that was said and done, tool output included: the archived turns, word by word. They are packed, and no
 * index knows all of their words, so they are unpacked newest first, until enough is found or the time is over. Those that do
 * not have the whole words of the query are left aside by their filter, most others by a look at their JSON, which takes a
 * tenth of the time of parsing it.
 */

/** A turn that matches, and its first match. */
interface ContentHit extends ArchivedTurn {
  /** The line's place in the session. */
  seq: number;
  at: number | null;
  role: ContentRole;
  /** Of a call and its result. */
  tool: string | null;
  text: string;
  /** Where the match begins. UTF-16 offset. */
  start: number;
}

export interface ContentFound {
  /** By session: every matching turn of each. In the order in which they are shown. */
  groups: { shown: ContentHit; others: ContentHit[] }[];
  reason: string;
  notes: string[];
}

/** A slower search answers with what it has. Milliseconds. */
const timeLimitMs = 5000;
/** After so much work others have their turn. Milliseconds. */
const usualSliceMs = 15;

interface ContentOptions {
  signal?: AbortSignal | undefined;
  limitMs?: number;
  sliceMs?: number;
}

/** @throws PommelError `usage`, `not_found` as `buildChunkFilter`; the signal's reason */
export const searchContent = (
  memory: Memory,
  query: SessionQuery,
  options: ContentOptions = {},
): Promise<ContentFound> => searchContentForFirst(memory, query, [query.query], options);

/** One of the texts that are searched for. */
interface ContentSearch {
  matchers: readonly Matcher[];
  /** Of words that every match has whole. */
  hashes: readonly number[];
  mayMatch: (json: string) => boolean;
  /** By session or turn. */
  found: Map<unknown, ContentHit[]>;
}

/**
 * Searches for the first of several texts that anything is found of, and reads the archive once for all of them.
 * @param texts the preferred one first
 * @throws as `searchContent`
 */
export async function searchContentForFirst(
  memory: Memory,
  query: Omit<SessionQuery, "query">,
  texts: readonly string[],
  { signal, limitMs = timeLimitMs, sliceMs = usualSliceMs }: ContentOptions = {},
): Promise<ContentFound> {
  signal?.throwIfAborted();
  const unfit = [query.types.length > 0 && "type", query.kinds.length > 0 && "kind"].filter(
    (name) => name !== false,
  );
  if (unfit.length > 0) {
    throw new PommelError(
      "usage",
      `Only chunks have a ${unfit.join(" and a ")}.`,
      "Omit it, or search the chunks.",
    );
  }
  // Once one of them is found, those behind it are no longer searched for.
  let searches = texts.map((text) => beginSearch({ ...query, query: text }));
  const bySession = query.by === "session";
  const turns = listArchivedTurns(memory, buildChunkFilter(memory, query), { bySession });
  const contents = new Map<ContentHit, Uint8Array>();
  const notes: string[] = [];
  const until = performance.now() + limitMs;
  let pauseAt = performance.now() + sliceMs;
  for (const turn of turns) {
    const key = bySession ? turn.sessionId : turn.id;
    const [preferred] = searches;
    // One more says that there are more.
    if (preferred === undefined || (preferred.found.size > query.limit && !preferred.found.has(key))) break;
    const now = performance.now();
    if (now > until) {
      notes.push(`Stopped after ${Math.round(limitMs / 1000)} s: ${describeReached(turn)}`);
      break;
    }
    if (now > pauseAt) {
      await nextTurn();
      signal?.throwIfAborted();
      pauseAt = performance.now() + sliceMs;
    }
    const words = findWordsById(memory, turn.id);
    const likely = words === null ? [] : searches.filter(({ hashes }) => mayHoldWords(words, hashes));
    const content = likely.length === 0 ? null : findContentById(memory, turn.id);
    const json = content === null ? null : inflateOrNull(content);
    if (content === null || json === null) continue;
    for (const search of likely) {
      const hit = search.mayMatch(json)
        ? findFirstMatch(turn, JSON.parse(json) as StoredLine[], search.matchers)
        : null;
      if (hit === null) continue;
      contents.set(hit, content);
      addTo(search.found, key, hit);
      searches = searches.slice(0, searches.indexOf(search) + 1);
      break;
    }
  }
  // Something may have been forgotten or redacted meanwhile.
  const stands = (hit: ContentHit) => {
    const now = findContentById(memory, hit.id);
    return now !== null && Buffer.compare(now, contents.get(hit)!) === 0;
  };
  const first = searches.find(({ found }) => found.size > 0);
  const groups = [...(first?.found.values() ?? [])].flatMap((hits) => {
    const [shown, ...others] = hits.filter(stands);
    return shown === undefined ? [] : [{ shown, others }];
  });
  const { matchers } = first ?? searches[0]!;
  return { groups, reason: matchers.map(({ reason }) => reason).join("; "), notes };
}

function beginSearch(query: SessionQuery): ContentSearch {
  const matchers = buildWordMatchers(query);
  if (matchers.length === 0) throw new PommelError("usage", "The query is empty.", "Say what to find.");
  const hashes = matchers.flatMap(({ words }) =>
    words.filter((word) => word.is === "whole").map(({ text }) => hashWord(text)),
  );
  return { matchers, hashes, mayMatch: createJsonFilter(matchers), found: new Map() };
}

/** Null where it is damaged: the others can still be found. */
function inflateOrNull(content: Uint8Array): string | null {
  try {
    return inflateContent(content);
  } catch {
    return null;
  }
}

function describeReached({ startedAt }: ArchivedTurn): string {
  const day = startedAt === null ? "" : ` before ${new Date(startedAt).toISOString().slice(0, 10)}`;
  return `sessions${day} were not searched. Limit the search by time, session or branch.`;
}

/** Whether a turn's JSON holds what every match holds; of that, the parts that JSON does not escape. */
function createJsonFilter(matchers: readonly Matcher[]): (json: string) => boolean {
  const pieces = matchers.flatMap(({ parts }) =>
    parts.flatMap((part) => part.split(/[^ -~]|["\\]/).filter((piece) => piece.length > 1)),
  );
  const tests = pieces.map((piece) => new RegExp(compileLiteral(piece).source, "i"));
  return (json) => tests.every((test) => test.test(json));
}

function findFirstMatch(
  turn: ArchivedTurn,
  lines: readonly StoredLine[],
  matchers: readonly Matcher[],
): ContentHit | null {
  const tools = new Map<string, string>();
  for (const { seq, at, entries } of lines) {
    for (const entry of entries) {
      if (entry.kind === "tool_use") tools.set(entry.id, entry.tool);
      const said = extractEntryText(entry);
      if (said === null) continue;
      const start = findMatchStart(said.text, matchers);
      if (start === null) continue;
      const tool =
        entry.kind === "tool_use"
          ? entry.tool
          : entry.kind === "tool_result"
            ? (tools.get(entry.id) ?? null)
            : null;
      return { ...turn, seq, at, tool, ...said, start };
    }
  }
  return null;
}

/** Where the first match begins in a text that every matcher matches; null: one does not. */
function findMatchStart(text: string, matchers: readonly Matcher[]): number | null {
  let first = Number.POSITIVE_INFINITY;
  for (const { matchesIn } of matchers) {
    const [match] = takeFirst(matchesIn(text));
    if (match === undefined) return null;
    first = Math.min(first, match[0]);
  }
  return first;
}

function* takeFirst<T>(all: Iterable<T>): Iterable<T> {
  for (const one of all) {
    yield one;
    return;
  }
}

function extractEntryText(entry: TranscriptEntry): { role: ContentRole; text: string } | null {
  switch (entry.kind) {
    case "text":
      return { role: "answer", text: entry.text };
    case "prompt":
    case "thinking":
    case "notice":
    case "summary":
    case "tool_result":
      return { role: entry.kind, text: entry.text };
    case "tool_use":
      return { role: "tool_use", text: [entry.tool, ...listStrings(entry.input)].join("\n") };
    default:
      return null;
  }
}

/** The texts in a call's input, at any depth. */
function listStrings(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(listStrings);
  return value !== null && typeof value === "object" ? Object.values(value).flatMap(listStrings) : [];
}
