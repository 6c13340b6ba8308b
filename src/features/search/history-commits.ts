import { findReverts, listCommitReasons, searchCommits } from "../../attribution/search/commits.ts";
import { indexedHead } from "../../attribution/search/index-commits.ts";
import type { RankedRecord, RecordNearness } from "../../attribution/search/rank.ts";
import type { Project } from "../../base/paths.ts";
import { formatIsoTime } from "../../base/text/iso-time.ts";
import { analyseQuery } from "../../code/search/query.ts";
import { readCommits } from "../../git/history/commits.ts";
import { findCommitHash } from "../../git/history/history.ts";
import { computeLikelihood } from "../../protocol/reading/evidence.ts";
import type { CommitFound, TranscriptSearchResponse } from "../../protocol/results.ts";
import { cutSnippetAroundQuery } from "../../sessions/search/snippet.ts";
import type { CodeIndex } from "../../store/index/port.ts";
import type { IndexedCommit } from "../../store/index/records.ts";
import { findCheckpointOfCommit } from "../../store/memory/commits/checkpoints.ts";
import { listFilesOfCommit } from "../../store/memory/commits/commits.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { CheckpointRecord } from "../../store/memory/memory-records.ts";
import { findSessionByUid } from "../../store/memory/sessions/sessions.ts";
import type { HistorySearchRequest } from "./operation.ts";

/** Commits as a search of the history answers them: found by themselves, by their hash, or by the sessions behind them. */

const filesNamed = 20;
/** Sessions whose commits count as found. */
export const maxSessions = 5;
/** How much surer a session is than that one of its commits is meant. */
const ofSession = 0.8;

/** The request with its times and names resolved. */
export interface CommitQuery {
  request: HistorySearchRequest;
  limit: number;
  since: number | null;
  until: number | null;
  /** Only these commits; null: all. */
  hashes: ReadonlySet<string> | null;
  nearness: RecordNearness | null;
  /** The commit at the tip of the branch that the question is; null: it is none. */
  tip: string | null;
}

/** A result, and how likely it is what was asked for: 0 to 1, comparable between searches. */
export interface Likely<T> {
  result: T;
  likely: number;
}

/** Commits that the request finds by themselves, and how much of history is indexed. */
export async function findCommits(index: CodeIndex, memory: Memory | null, wanted: CommitQuery) {
  const { request, limit, hashes, since, until } = wanted;
  const { q: query, file: files = [], author = null } = request;
  const asked = { query, files, author, hashes, since, until, tip: wanted.tip };
  const judged = await searchCommits(index.commits, asked, wanted.nearness);
  const shown = judged.results.slice(0, limit);
  const reverts = await findReverts(
    index.commits,
    shown.map(({ item }) => item.hash),
  );
  const toCommitFound = (found: RankedRecord<IndexedCommit>): CommitFound => {
    const { hash, subject, body, author, authoredAt, files } = found.item;
    const checkpoint = memory === null ? null : findCheckpointOfCommit(memory, hash);
    return {
      kind: "commit",
      id: hash,
      title: subject,
      timestamp: formatIsoTime(authoredAt),
      snippet: cutSnippetAroundQuery(withoutTrailers(body), query),
      ...pickScore(found, request),
      match_reasons:
        hash === wanted.tip ? [tipReason] : listCommitReasons(analyseQuery(query), found.item, found.signals),
      author,
      files: files.slice(0, filesNamed),
      ...(memory === null || checkpoint === null
        ? { checkpoint: null, sessions: [] }
        : toBoundSessions(memory, checkpoint)),
      reach: "head",
      reverted_by: reverts.get(hash) ?? null,
    };
  };
  const head = await index.meta(indexedHead);
  const { chunks: indexed } = await index.commits.countFrequencies([]);
  return {
    ...judged,
    results: shown.map(toCommitFound),
    commits: { indexed, is_complete: (head ?? "") !== "" },
  };
}

/** "Co-authored-by: ...", for programs. */
const withoutTrailers = (body: string) => body.replace(/^[A-Za-z]+(?:-[A-Za-z]+)+: .*$/gm, "");

/** The figures of a result. */
export function pickScore<T>({ score, signals }: RankedRecord<T>, { explain }: HistorySearchRequest) {
  return { score, ...(explain && { signals: { ...signals } }) };
}

function toBoundSessions(memory: Memory, { id, sessions }: CheckpointRecord) {
  return {
    checkpoint: id,
    sessions: sessions.map(({ sessionUid, turns }) => ({
      session_id: sessionUid,
      title: findSessionByUid(memory, sessionUid)?.title ?? null,
      turns,
    })),
  };
}

const tipReason = "the latest of that branch";

/** The commit at the tip of the local or fetched branch that a question is; one plain word is mostly asked for as a word. */
export async function findBranchTip({ root }: Project, question: string): Promise<string | null> {
  const name = question.trim();
  if (!/^[^\s:^~?*[\\]*[-/][^\s:^~?*[\\]*$/.test(name)) return null;
  for (const ref of [`refs/heads/${name}`, `refs/remotes/${name}`, `refs/remotes/origin/${name}`]) {
    const hash = await findCommitHash(root, ref);
    if (hash !== null) return hash;
  }
  return null;
}

/**
 * The commit outside of HEAD's history that the question is the (beginning of the) hash of, or the branch.
 * @param found in HEAD's history
 */
export async function findCommitElsewhere(
  { root }: Project,
  memory: Memory | null,
  { request, hashes, tip }: CommitQuery,
  found: readonly CommitFound[],
): Promise<CommitFound[]> {
  const beginning = tip ?? request.q.trim().toLowerCase();
  if (!/^[0-9a-f]{4,64}$/.test(beginning) || found.some(({ id }) => id.startsWith(beginning))) return [];
  const hash = await findCommitHash(root, beginning);
  if (hash === null || !hash.startsWith(beginning) || !(hashes?.has(hash) ?? true)) return [];
  for await (const { author, authoredAt, message } of readCommits(root, ["--no-walk", hash])) {
    const [title = "", ...body] = message.split("\n");
    const checkpoint = memory === null ? null : findCheckpointOfCommit(memory, hash);
    return [
      {
        kind: "commit",
        id: hash,
        title,
        author,
        timestamp: formatIsoTime(authoredAt),
        snippet: cutSnippetAroundQuery(withoutTrailers(body.join("\n")), ""),
        score: 1,
        match_reasons: [tip === null ? "its hash" : tipReason],
        files: [],
        ...(memory === null || checkpoint === null
          ? { checkpoint: null, sessions: [] }
          : toBoundSessions(memory, checkpoint)),
        reach: "elsewhere",
        reverted_by: null,
      },
    ];
  }
  return [];
}

/** Commits that the sessions which answer a question led to, each with how likely it is meant. */
export function findCommitsOfSessions(
  memory: Memory,
  sessions: TranscriptSearchResponse | null,
  { request, hashes, since, until }: CommitQuery,
): Likely<CommitFound>[] {
  const { author } = request;
  if (sessions === null) return [];
  return sessions.results.slice(0, maxSessions).flatMap((session, at) =>
    session.commits.flatMap((led, i): Likely<CommitFound>[] => {
      const hash = led.successor ?? led.commit;
      const checkpoint = findCheckpointOfCommit(memory, hash) ?? findCheckpointOfCommit(memory, led.commit);
      if (checkpoint === null) return [];
      const { commit } = checkpoint;
      const isWithin = commit.authoredAt >= (since ?? 0) && commit.authoredAt <= (until ?? Infinity);
      const isBy = author === undefined || commit.author.toLowerCase().includes(author.toLowerCase());
      if (!isWithin || !isBy || !(hashes?.has(commit.hash) ?? true)) return [];
      const result: CommitFound = {
        kind: "commit",
        id: commit.hash,
        title: commit.subject,
        timestamp: formatIsoTime(commit.authoredAt),
        snippet: session.snippet,
        score: session.score,
        match_reasons: ["a session behind it matches"],
        ...(request.explain && { signals: { session: session.score } }),
        author: commit.author,
        files: listFilesOfCommit(memory, commit.id)
          .slice(0, filesNamed)
          .map(({ path }) => path),
        ...toBoundSessions(memory, checkpoint),
        reach: led.successor === commit.hash ? "head" : led.reach,
        reverted_by: led.reverted_by,
      };
      return [{ result, likely: computeLikelihood(sessions, at + 1) * ofSession ** (i + 1) }];
    }),
  );
}
