import type { Config } from "../../base/config/settings.ts";
import { makeFilesMatcher } from "../../base/files/files-matcher.ts";
import type { Project } from "../../base/paths.ts";
import { parsePeriod } from "../../base/text/parse-period.ts";
import { stem, stopWords } from "../../base/text/tokens.ts";
import type { Decision } from "../../protocol/decision.ts";
import {
  createReplacementLookup,
  findReplacedText,
  listStoredDecisions,
} from "../../sessions/decisions/stored.ts";
import { convertNoteToDecision, toDecision } from "../../sessions/decisions/to-decision.ts";
import { extractContentWords, measureOverlap } from "../../sessions/summaries/prose.ts";
import { findChunkByUid } from "../../store/memory/chunks/chunks.ts";
import { findNoteById, listStoredNotes, type NoteFilter } from "../../store/memory/chunks/notes.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { NoteRecord } from "../../store/memory/memory-records.ts";
import { findSessionByUid } from "../../store/memory/sessions/sessions.ts";
import { findTurn } from "../../store/memory/sessions/turns.ts";
import { standingsInCode } from "./in-code.ts";
import type { DecisionsAnswer, DecisionsRequest } from "./operation.ts";
import { readRecordedDecisions } from "./recorded-decisions.ts";

/** Decisions in a list, by default. */
const listedDecisions = 10;

/**
 * What was noted and decided: the latest first, or with a query the best first. Notes on lines are remarks on these, and are
 * found only by a query.
 * @throws PommelError `usage` for a time or a query that makes no sense
 */
export async function findDecisions(
  project: Project,
  memory: Memory,
  request: DecisionsRequest,
  config: Config,
): Promise<DecisionsAnswer> {
  const { limit = listedDecisions } = request;
  const query = readQuery(request);
  const all =
    query === ""
      ? [
          ...(await findNotes(memory, request, { placed: false })),
          ...(await findSessionDecisions(memory, request)),
          ...(await findRecordedDecisions(project, request, config)),
        ].sort(compareLatestFirst)
      : await searchDecisions(project, memory, { ...request, limit }, query, config);
  const laterThan = createReplacementLookup(memory);
  const shown = all.slice(0, limit);
  const standings = standingsInCode(project, memory, shown);
  const decisions = shown.map((decision, i): Decision => {
    const { source, text, by, author, timestamp } = decision;
    const later = laterThan({ text, by, author, at: timestamp === null ? null : Date.parse(timestamp) });
    const replaced =
      source === "annotation" && by !== null ? findReplacedText(memory, { text, by, author }) : null;
    return {
      ...decision,
      in_code: standings[i]!,
      superseded_by: later?.text ?? decision.superseded_by,
      superseded: later === null ? decision.superseded : "known",
      supersedes: replaced === null ? decision.supersedes : [replaced],
    };
  });
  return { decisions, total: all.length };
}

/** The share of a query's words that a decision has at least. */
const minAbout = 0.5;

const compareLatestFirst = (a: Decision, b: Decision) => (b.timestamp ?? "").localeCompare(a.timestamp ?? "");

/** What it is about; "": the latest. */
const readQuery = ({ q = "" }: DecisionsRequest) => q.trim();

async function findNotes(
  memory: Memory,
  request: DecisionsRequest,
  which: Pick<NoteFilter, "search" | "placed">,
): Promise<Decision[]> {
  const isWanted = makeFilesMatcher(request.file ?? []);
  return listStoredNotes(memory, {
    ...(await parsePeriod(request)),
    branch: request.branch ?? null,
    ...which,
  })
    .map((note) => toAnsweredNote(memory, note))
    .filter(({ files }) => !isWanted || files.some(isWanted));
}

/** A note in the shape of the answer. */
function toAnsweredNote(memory: Memory, note: NoteRecord, score: number | null = null): Decision {
  const session = note.sessionUid === null ? null : findSessionByUid(memory, note.sessionUid);
  const turn = session && note.turn !== null ? findTurn(memory, session.id, note.turn) : null;
  return convertNoteToDecision(note, session, { files: turn?.files.map(({ path }) => path) ?? [], score });
}

async function findSessionDecisions(memory: Memory, request: DecisionsRequest): Promise<Decision[]> {
  const isWanted = makeFilesMatcher(request.file ?? []);
  const { since, until } = await parsePeriod(request);
  return listStoredDecisions(memory)
    .filter(({ at }) => (since === null || (at ?? 0) >= since) && (until === null || (at ?? 0) <= until))
    .filter(({ files }) => isWanted === null || files.some((path) => isWanted(path)))
    .filter(({ branch }) => request.branch === undefined || branch === request.branch)
    .map((one) => toDecision(one));
}

/** Decisions recorded outside of sessions; those without a time only if the request has no time limit. */
async function findRecordedDecisions(
  project: Project,
  request: DecisionsRequest,
  config: Config,
): Promise<Decision[]> {
  const isWanted = makeFilesMatcher(request.file ?? []);
  const { since, until } = await parsePeriod(request);
  const words = extractContentWords(readQuery(request));
  return (await readRecordedDecisions(project, config)).filter(({ timestamp, files, text }) => {
    // Recorded decisions and commits belong to no known branch.
    if (request.branch !== undefined || (isWanted && !files.some(isWanted))) return false;
    if (measureOverlap(words, extractContentWords(text)) < (words.size > 0 ? 1 : 0)) return false;
    if (timestamp === null) return since === null && until === null;
    const at = Date.parse(timestamp);
    return (since === null || at >= since) && (until === null || at <= until);
  });
}

async function searchDecisions(
  project: Project,
  memory: Memory,
  request: DecisionsRequest,
  q: string,
  config: Config,
): Promise<Decision[]> {
  const wanted = listStems(q);
  const scored = (one: Decision): Decision[] => {
    const words = listStems([one.text, one.session_title ?? ""].join("\n"));
    const share = measureOverlap(wanted, words);
    if (wanted.size === 0 || share < minAbout) return [];
    // Of those with as many words of the question the shorter one is more about it.
    const own = Math.min(1, (share * wanted.size * usualWords) / (listStems(one.text).size * wanted.size));
    return [{ ...one, score: Math.round((share * 0.9 + own * 0.05) * 1e4) / 1e4 }];
  };
  const decided = [
    ...(await findSessionDecisions(memory, request)),
    ...(await findRecordedDecisions(project, { ...request, q: "" }, config)),
  ].flatMap(scored);
  // Loaded on demand: what searches is much, and few ask with words.
  const { openMemorySearch } = await import("../../answers/session-search.ts");
  const search = await openMemorySearch(project, memory, config);
  const { results } = await search({ ...request, q, mode: "hybrid", type: ["annotated"] });
  const found = results.flatMap((result): Decision[] => {
    const note =
      result.annotation === null
        ? null
        : findNoteById(memory, findChunkByUid(memory, result.id)?.annotationId ?? 0);
    return note === null ? [] : [toAnsweredNote(memory, note, result.score)];
  });
  // Notes from a shell belong to no session, and are found by their words only.
  const known = new Set(found.map(({ text }) => text));
  const literal = (await findNotes(memory, request, { search: q })).filter(({ text }) => !known.has(text));
  const isWhole = ({ text }: Decision) => measureOverlap(wanted, listStems(text)) === 1;
  return [
    ...literal.map((note) => ({ ...note, score: 1 })),
    ...found.map((note) => (isWhole(note) ? { ...note, score: 1 } : note)),
    ...decided,
  ].sort((a, b) => b.score! - a.score! || compareLatestFirst(a, b));
}

/** Words of a decision that says one thing. */
const usualWords = 6;

/** The words of a text, whatever their endings, and the parts of names: a question of one common word is about that word. */
function listStems(text: string): Set<string> {
  const apart = text.replace(/([a-z\d])([A-Z])/g, "$1 $2").toLowerCase();
  const words = apart.match(/[\p{L}\p{N}]{2,}/gu) ?? [];
  return new Set(words.filter((word) => !stopWords.has(word)).map(stem));
}
