import { performance } from "node:perf_hooks";
import { readCommits } from "../../git/history/commits.ts";
import { commitNamed } from "../../git/history/history.ts";
import type { Embedder } from "../../models/embed/embedder.ts";
import { loadConfig } from "../../project/config/config.ts";
import { codeOf, PommelError } from "../../project/errors.ts";
import type { Project } from "../../project/paths.ts";
import type {
  CommitFound,
  EventFound,
  HistoryResult,
  HistorySearchRequest,
  HistorySearchResponse,
} from "../../protocol/history.ts";
import type { TranscriptSearchResponse } from "../../protocol/search.ts";
import { analyseQuery } from "../../search/code/query.ts";
import { type Judged, levelOf, sure } from "../../search/confidence/judge.ts";
import { reasonsFor, revertsOf, searchCommits } from "../../search/history/commits.ts";
import { searchEvents } from "../../search/history/events.ts";
import { indexedHead } from "../../search/history/index-commits.ts";
import type { Nearness, Ranked } from "../../search/history/rank.ts";
import { snippetAround } from "../../search/sessions/snippet.ts";
import type { CodeIndex } from "../../store/index/port.ts";
import type { IndexedCommit } from "../../store/index/records.ts";
import {
  checkpointByUid,
  checkpointOfCommit,
  checkpointPlaces,
  listCheckpoints,
} from "../../store/memory/commits/checkpoints.ts";
import { filesOfCommit } from "../../store/memory/commits/commits.ts";
import { findEvent, membersOf } from "../../store/memory/events.ts";
import type { CheckpointRecord, EventRecord } from "../../store/memory/git-records.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { findSession, sessionByUid } from "../../store/memory/sessions/sessions.ts";
import { withMemoryIfAny } from "../../store/memory/with-memory.ts";
import { isoTime } from "../status/status.ts";
import { withIndex } from "./code.ts";
import { searchTranscriptsInProcess } from "./sessions.ts";

const filesNamed = 20;
/** Sessions whose commits count as found. */
const maxSessions = 5;
/** How much surer a session is than that one of its commits is meant. */
const ofSession = 0.8;

/** The request with its times and names resolved. */
interface Wanted {
  request: HistorySearchRequest;
  limit: number;
  since: number | null;
  until: number | null;
  /** Only these commits; null: all. */
  hashes: ReadonlySet<string> | null;
  nearness: Nearness | null;
}

/**
 * Searches commits and events. Commits are found by their message, author, files and hash, and those that sessions led
 * to also by what happened there.
 * @param sessions what a search of sessions found; default: they are searched
 * @throws PommelError `usage` for a time that makes no sense, `not_found` for an unknown session or event; as `withIndex`
 */
export async function searchHistory(
  project: Project,
  request: HistorySearchRequest,
  signal?: AbortSignal,
  sessions: () => Promise<TranscriptSearchResponse | null> = () => sessionsFor(project, request),
): Promise<HistorySearchResponse> {
  const start = performance.now();
  if (analyseQuery(request.q).tokens.length === 0) {
    throw new PommelError(
      "usage",
      "The query has no searchable word.",
      'Try `pm search commits "retry of requests"`.',
    );
  }
  const { config } = loadConfig(project);
  const { parseWhen } = await import("../../text/dates.ts");
  return withMemoryIfAny(project, async (memory) => {
    const wanted: Wanted = {
      request,
      limit: request.limit ?? config["search.limit"],
      since: request.since === undefined ? null : await parseWhen(request.since, "since"),
      until: request.until === undefined ? null : await parseWhen(request.until, "until"),
      hashes: hashesIn(memory, request),
      nearness: config["embed.text"] === "none" ? null : await bundledNearness(),
    };
    const { of = ["commits", "events"] } = request;
    const ofCommits = of.includes("commits") || of.includes("checkpoints");
    const found = ofCommits
      ? await withIndex(project, config, (index) => commitsFor(index, memory, wanted))
      : { ...nothing, commits: { indexed: 0, is_complete: true } };
    signal?.throwIfAborted();
    if (ofCommits && found.results.length === 0)
      found.results.push(...(await commitByHash(project, memory, wanted)));
    const led = ofCommits && memory !== null ? ledTo(memory, await sessions(), wanted) : [];
    const events = of.includes("events") && memory !== null ? await eventsFor(memory, wanted) : nothing;
    const results = [...together(found.results, led), ...events.results].sort(
      (a, b) => b.probability - a.probability || b.score - a.score,
    );
    const nearest = [...found.nearest, ...events.nearest].sort((a, b) => b.probability - a.probability);
    const isEmpty = ofCommits && found.commits.indexed === 0 && !found.commits.is_complete;
    return {
      scope: "history",
      query: request.q,
      total_results: results.length,
      results: results.slice(0, wanted.limit),
      nearest: results.length > 0 ? [] : nearest.slice(0, Math.min(3, wanted.limit)),
      searched_by: ["words", ...(wanted.nearness === null ? [] : ["meaning"])],
      notes: isEmpty ? ["Commits are not indexed yet; the daemon does it (`pm start`)."] : [],
      search_time_ms: Math.round((performance.now() - start) * 100) / 100,
      commits: found.commits,
    };
  });
}

const nothing: { results: HistoryResult[]; nearest: HistoryResult[] } = { results: [], nearest: [] };

/** The sessions that a question finds; null where there is no memory. */
async function sessionsFor(
  project: Project,
  { q, since, until, file, session, event }: HistorySearchRequest,
): Promise<TranscriptSearchResponse | null> {
  const filters = { ...(since && { since }), ...(until && { until }), ...(file && { file }) };
  const within = { ...(session && { session }), ...(event && { event }) };
  try {
    return await searchTranscriptsInProcess(project, { q, ...filters, ...within, limit: maxSessions });
  } catch (error) {
    if (codeOf(error) === "no_memory") return null;
    throw error;
  }
}

/** The commits that the request is limited to. */
function hashesIn(
  memory: Memory | null,
  { of = ["commits"], session, event }: HistorySearchRequest,
): Set<string> | null {
  const isOfCheckpoints = of.includes("checkpoints") && !of.includes("commits");
  if (session === undefined && event === undefined && !isOfCheckpoints) return null;
  if (memory === null) return new Set();
  const given = [
    ...(isOfCheckpoints ? [checkpointPlaces(memory).map(({ hash }) => hash)] : []),
    ...(session === undefined
      ? []
      : [listCheckpoints(memory, { session: findSession(memory, session).uid }).map(hashOf)]),
    ...(event === undefined
      ? []
      : [
          membersOf(memory, findEvent(memory, event).uid).checkpoints.flatMap((uid) => {
            const checkpoint = checkpointByUid(memory, uid);
            return checkpoint === null ? [] : hashOf(checkpoint);
          }),
        ]),
  ].map((hashes) => new Set(hashes));
  const [first = new Set<string>(), ...others] = given;
  return new Set([...first].filter((hash) => others.every((hashes) => hashes.has(hash))));
}

const hashOf = ({ commit }: CheckpointRecord) => commit.hash;

async function bundledNearness(): Promise<Nearness> {
  const { bundledEmbedder } = await import("../../models/embed/static/static-embedder.ts");
  return nearnessBy(bundledEmbedder());
}

function nearnessBy(embedder: Embedder): Nearness {
  return async (question, texts) => {
    // A model that fails leaves search by words.
    const vectors = await embedder.embed([question, ...texts], "query").catch(() => []);
    const [asked, ...of] = vectors;
    return asked ? of.map((vector) => (vector ? cosine(asked, vector) : null)) : null;
  };
}

function cosine(a: Int8Array, b: Int8Array): number {
  let [product, ofA, ofB] = [0, 0, 0];
  for (let i = 0; i < a.length; i++) {
    product += a[i]! * b[i]!;
    ofA += a[i]! * a[i]!;
    ofB += b[i]! * b[i]!;
  }
  return product / (Math.sqrt(ofA * ofB) || 1);
}

async function commitsFor(index: CodeIndex, memory: Memory | null, wanted: Wanted) {
  const { request, limit, hashes, since, until } = wanted;
  const { q: query, file: files = [], author = null } = request;
  const asked = { query, files, author, hashes, since, until };
  const judged = await searchCommits(index.commits, asked, wanted.nearness);
  const shown = judged.results.slice(0, limit);
  const reverts = await revertsOf(
    index.commits,
    shown.map(({ item }) => item.hash),
  );
  const viewOf = (found: Judged<Ranked<IndexedCommit>>["results"][number]): CommitFound => {
    const { hash, subject, body, author, authoredAt, files } = found.item;
    const checkpoint = memory === null ? null : checkpointOfCommit(memory, hash);
    return {
      kind: "commit",
      id: hash,
      title: subject,
      timestamp: isoTime(authoredAt),
      snippet: snippetAround(withoutTrailers(body), query),
      ...shares(found, request),
      match_reasons: reasonsFor(analyseQuery(query), found.item, found.signals),
      author,
      files: files.slice(0, filesNamed),
      ...(memory === null || checkpoint === null
        ? { checkpoint: null, sessions: [] }
        : boundBy(memory, checkpoint)),
      reach: "head",
      reverted_by: reverts.get(hash) ?? null,
    };
  };
  const head = await index.meta(indexedHead);
  const { chunks: indexed } = await index.commits.frequencies([]);
  return {
    results: shown.map(viewOf),
    nearest: judged.nearest.map(viewOf),
    commits: { indexed, is_complete: (head ?? "") !== "" },
  };
}

/** "Co-authored-by: ...", for programs. */
const withoutTrailers = (body: string) => body.replace(/^[A-Za-z]+(?:-[A-Za-z]+)+: .*$/gm, "");

function shares<T>(
  { score, confidence, probability, signals }: Judged<Ranked<T>>["results"][number],
  { explain }: HistorySearchRequest,
) {
  return { score, confidence, probability, ...(explain && { signals: { ...signals } }) };
}

function boundBy(memory: Memory, { uid, sessions }: CheckpointRecord) {
  return {
    checkpoint: uid,
    sessions: sessions.map(({ sessionUid, turns }) => ({
      session_id: sessionUid,
      title: sessionByUid(memory, sessionUid)?.title ?? null,
      turns,
    })),
  };
}

/** The commit outside of HEAD's history that the question is the (beginning of the) hash of. */
async function commitByHash(
  { root }: Project,
  memory: Memory | null,
  { request: { q }, hashes }: Wanted,
): Promise<CommitFound[]> {
  if (!/^\s*[0-9a-f]{4,64}\s*$/i.test(q)) return [];
  const hash = await commitNamed(root, q.trim());
  if (hash === null || !hash.startsWith(q.trim().toLowerCase()) || !(hashes?.has(hash) ?? true)) return [];
  for await (const { author, authoredAt, message } of readCommits(root, ["--no-walk", hash])) {
    const [title = "", ...body] = message.split("\n");
    const checkpoint = memory === null ? null : checkpointOfCommit(memory, hash);
    return [
      {
        ...{ kind: "commit", id: hash, title, author, timestamp: isoTime(authoredAt) },
        snippet: snippetAround(withoutTrailers(body.join("\n")), ""),
        ...{ ...sure, score: 1, match_reasons: ["its hash"], files: [] },
        ...(memory === null || checkpoint === null
          ? { checkpoint: null, sessions: [] }
          : boundBy(memory, checkpoint)),
        ...{ reach: "elsewhere", reverted_by: null },
      },
    ];
  }
  return [];
}

/** Commits that the sessions which answer a question led to. */
function ledTo(
  memory: Memory,
  sessions: TranscriptSearchResponse | null,
  { request, hashes, since, until }: Wanted,
): CommitFound[] {
  const { author } = request;
  return (sessions?.results ?? []).slice(0, maxSessions).flatMap((session) =>
    session.commits.flatMap((led, i): CommitFound[] => {
      const hash = led.successor ?? led.commit;
      const checkpoint = checkpointOfCommit(memory, hash) ?? checkpointOfCommit(memory, led.commit);
      if (checkpoint === null) return [];
      const { commit } = checkpoint;
      const isWithin = commit.authoredAt >= (since ?? 0) && commit.authoredAt <= (until ?? Infinity);
      const isBy = author === undefined || commit.author.toLowerCase().includes(author.toLowerCase());
      if (!isWithin || !isBy || !(hashes?.has(commit.hash) ?? true)) return [];
      const probability = Math.round(session.probability * ofSession ** (i + 1) * 100) / 100;
      return [
        {
          kind: "commit",
          id: commit.hash,
          title: commit.subject,
          timestamp: isoTime(commit.authoredAt),
          snippet: session.snippet,
          score: session.score,
          probability,
          confidence: levelOf(probability),
          match_reasons: [`session ${session.session_title ?? session.session_id} led to it`],
          ...(request.explain && { signals: { session: session.score } }),
          author: commit.author,
          files: filesOfCommit(memory, commit.id)
            .slice(0, filesNamed)
            .map(({ path }) => path),
          ...boundBy(memory, checkpoint),
          reach: led.successor === commit.hash ? "head" : led.reach,
          reverted_by: led.reverted_by,
        },
      ];
    }),
  );
}

/** A commit is one result, however it was found: what speaks for it twice makes it surer. */
function together(found: readonly HistoryResult[], led: readonly CommitFound[]): HistoryResult[] {
  const byId = new Map(found.map((result) => [result.id, result]));
  for (const one of led) {
    const known = byId.get(one.id);
    if (known === undefined) {
      byId.set(one.id, one);
      continue;
    }
    const probability = Math.round((1 - (1 - known.probability) * (1 - one.probability)) * 100) / 100;
    const match_reasons = [...new Set([...known.match_reasons, ...one.match_reasons])];
    byId.set(one.id, { ...known, probability, confidence: levelOf(probability), match_reasons });
  }
  return [...byId.values()];
}

async function eventsFor(memory: Memory, { request, since, until, nearness, limit }: Wanted) {
  const { q, file, author, session, event } = request;
  // Only commits have those.
  if (file !== undefined || author !== undefined || session !== undefined) return nothing;
  const only = event === undefined ? null : findEvent(memory, event).uid;
  const isWanted = ({ uid, updatedAt, startsAt, createdAt }: EventRecord) =>
    (only === null || uid === only) &&
    (since === null || updatedAt >= since) &&
    (until === null || (startsAt ?? createdAt) <= until);
  const judged = await searchEvents(memory, q, isWanted, nearness);
  const viewOf = (found: Judged<Ranked<EventRecord>>["results"][number]): EventFound => {
    const { uid, title, description, type, status, branch, updatedAt } = found.item;
    const { sessions, checkpoints } = membersOf(memory, uid);
    const text = `${title} ${description} ${branch ?? ""}`.toLowerCase();
    const words = analyseQuery(q).words.filter((word) => text.includes(word.toLowerCase()));
    return {
      kind: "event",
      id: uid,
      title,
      timestamp: isoTime(updatedAt),
      snippet: snippetAround(description, q),
      ...shares(found, request),
      match_reasons: words.length > 0 ? [`contains ${words.slice(0, 4).join(", ")}`] : ["similar in meaning"],
      ...{ type, status, branch, sessions: sessions.length, checkpoints: checkpoints.length },
    };
  };
  return { results: judged.results.slice(0, limit).map(viewOf), nearest: judged.nearest.map(viewOf) };
}
