import { findAgentsSince, isBeforeAgents, notesOnBefore } from "../attribution/agents-since.ts";
import { explainError } from "../base/errors.ts";
import { makeFilesMatcher } from "../base/files/files-matcher.ts";
import { getOrCreate, sortByCount } from "../base/multimap.ts";
import type { Project } from "../base/paths.ts";
import { formatIsoTime } from "../base/text/iso-time.ts";
import { formatIsoWeek } from "../base/text/iso-week.ts";
import { parsePeriod } from "../base/text/parse-period.ts";
import { GitFailure } from "../git/git.ts";
import { listAuthoredTimes } from "../git/history/history.ts";
import { makeEmptyShare } from "../protocol/reading/sum-shares.ts";
import type { Share, Shares } from "../protocol/shares.ts";
import type { BlameAuthor } from "../protocol/values.ts";
import type { AuthoredFilter, AuthoredLines } from "../store/memory/commits/attributions.ts";
import {
  findAnalysedCommits,
  findReplacedCommits,
  readAuthoredLines,
} from "../store/memory/commits/attributions.ts";
import type { Memory } from "../store/memory/memory.ts";
import { findSessionByUid } from "../store/memory/sessions/sessions.ts";
import { findHistoryStart } from "../store/memory/sessions/sessions-here.ts";
import { describeUnanalysed, describeUnread } from "./backfill-hint.ts";

export interface SharesRequest {
  /** When the commits were authored, as people write it. */
  since?: string | undefined;
  until?: string | undefined;
  /** Paths, directories or globs, from the project's root; empty: all. */
  paths?: readonly string[] | undefined;
  /** Directories this deep; default 2. */
  depth?: number | undefined;
  /** Also count each file. */
  files?: boolean | undefined;
  /** Commits of every branch and of none; default: HEAD's history. */
  all?: boolean | undefined;
}

/**
 * Who wrote the lines that commits added. Each line counts once: a rewritten commit replaces its original, and of
 * cherry-picks only the first counts.
 * @param memory null: there is no memory
 * @throws PommelError `usage` for an invalid time; GitFailure where git is broken and nothing is recorded
 */
export async function computeShares(
  project: Project,
  memory: Memory | null,
  request: SharesRequest,
  signal?: AbortSignal,
): Promise<Shares> {
  const when = await parsePeriod(request);
  const history = await readAuthoredTimes(project.root, signal);
  const last = memory?.cacheUntilWrite<"last", LastShares>("shares");
  const question = JSON.stringify({ ...request, ...when });
  const known = last?.get("last");
  // `history` is the same object as long as HEAD's history is the same.
  if (known?.question === question && known.history === history) return known.answer;
  const since = memory === null ? null : findAgentsSince(memory, project.root);
  const answer = countLines(memory, history, when, request, since);
  last?.set("last", { question, history, answer });
  return answer;
}

/** Counting reads every committed line, and most requests repeat the last one. */
interface LastShares {
  question: string;
  history: ReadonlyMap<string, number> | GitFailure;
  answer: Shares;
}

function countLines(
  memory: Memory | null,
  whole: ReadonlyMap<string, number> | GitFailure,
  when: AuthoredFilter,
  { paths = [], depth = 2, files = false, all = false }: SharesRequest,
  since: ReturnType<typeof findAgentsSince>,
): Shares {
  const history = whole instanceof GitFailure ? null : limitToPeriod(whole, when);
  const seen = memory === null ? new Set<string>() : findAnalysedCommits(memory, when);
  const isWanted = makeFilesMatcher(paths);
  const isBefore = ({ author, authoredAt, hasSession, basis }: AuthoredLines) =>
    author === "unknown" &&
    since !== null &&
    isBeforeAgents({ authoredAt, hasSession: hasSession === 1 }, basis, since);
  const sums = new Sums(depth, files);
  let olderUnknown = false;
  if (memory !== null) {
    const counted = makeOnceFilter(memory);
    for (const lines of readAuthoredLines(memory, when)) {
      if (!all && history !== null && !history.has(lines.hash)) continue;
      if (!counted(lines) || (isWanted && !isWanted(lines.path))) continue;
      sums.add(lines, isBefore(lines) ? "before_agents" : lines.author);
      olderUnknown ||=
        since !== null && lines.author === "unknown" && lines.authoredAt < since.at && !isBefore(lines);
    }
  }
  const lookedAt = history === null || all ? seen.size : [...seen].filter((hash) => history.has(hash)).length;
  return {
    since: formatIsoTime(when.since),
    until: formatIsoTime(when.until),
    paths: [...paths],
    commits: { in_history: history?.size ?? null, looked_at: lookedAt, with_agent: sums.withAgent.size },
    ...sums.answer(memory),
    notes: [
      ...(whole instanceof GitFailure ? describeGitProblem(whole, seen) : []),
      ...(history === null ? [] : describeUnseen(memory, history, seen)),
      ...(since === null ? [] : notesOnBefore(since, { before: sums.total.before_agents > 0, olderUnknown })),
    ],
  };
}

/** The commits of HEAD's history and when they were authored, or why git does not list them. */
export async function readAuthoredTimes(
  root: string,
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, number> | GitFailure> {
  try {
    return await listAuthoredTimes(root, signal);
  } catch (error) {
    if (error instanceof GitFailure) return error;
    throw error;
  }
}

/** git's own limits use the committer's time and stop at the first older commit; ours use the author's. */
function limitToPeriod(
  history: ReadonlyMap<string, number>,
  { since, until }: AuthoredFilter,
): ReadonlyMap<string, number> {
  if (since === null && until === null) return history;
  return new Map(
    [...history].filter(([, at]) => (since === null || at >= since) && (until === null || at <= until)),
  );
}

/** Makes a filter that says whether a commit's lines count: of identical commits (cherry-picks) only the first counts. */
export function makeOnceFilter(memory: Memory): (lines: Pick<AuthoredLines, "hash" | "patchId">) => boolean {
  const replaced = findReplacedCommits(memory);
  const firstOf = new Map<string, string>();
  return ({ hash, patchId }) => {
    if (replaced.has(hash)) return false;
    return patchId === null || getOrCreate(firstOf, patchId, () => hash) === hash;
  };
}

/** Adds up lines by every requested key. */
class Sums {
  readonly withAgent = new Set<string>();
  readonly total = makeEmptyShare();
  private readonly authors = new Map<string, { author: string; commits: Set<string>; share: Share }>();
  private readonly directories = new Map<string, { directory: string } & Share>();
  private readonly files = new Map<string, { file: string } & Share>();
  private readonly weeks = new Map<string, { week: string } & Share>();
  private readonly models = new Map<string, { model: string; lines: number }>();
  private readonly sessions = new Map<string, { uid: string; commits: Set<string>; lines: number }>();

  constructor(
    private readonly depth: number,
    private readonly countsFiles: boolean,
  ) {}

  add(
    { hash, commitAuthor, authoredAt, path, sessionUid, model, lines }: AuthoredLines,
    author: BlameAuthor,
  ): void {
    const person = getOrCreate(this.authors, commitAuthor, () => ({
      author: commitAuthor,
      commits: new Set<string>(),
      share: makeEmptyShare(),
    }));
    person.commits.add(hash);
    const directory = toDirectory(path, this.depth);
    const week = formatIsoWeek(authoredAt);
    const shares = [
      this.total,
      person.share,
      getOrCreate(this.directories, directory, () => ({ directory, ...makeEmptyShare() })),
      getOrCreate(this.weeks, week, () => ({ week, ...makeEmptyShare() })),
      ...(this.countsFiles
        ? [getOrCreate(this.files, path, () => ({ file: path, ...makeEmptyShare() }))]
        : []),
    ];
    for (const share of shares) {
      share.lines += lines;
      share[author] += lines;
    }
    if (author !== "agent") return;
    this.withAgent.add(hash);
    if (model !== null) getOrCreate(this.models, model, () => ({ model, lines: 0 })).lines += lines;
    if (sessionUid === null) return;
    const make = () => ({ uid: sessionUid, commits: new Set<string>(), lines: 0 });
    const session = getOrCreate(this.sessions, sessionUid, make);
    session.lines += lines;
    session.commits.add(hash);
  }

  answer(
    memory: Memory | null,
  ): Pick<
    Shares,
    | "total"
    | "by_author"
    | "by_directory"
    | "by_file"
    | "by_week"
    | "by_model"
    | "by_session"
    | "by_colleague"
  > {
    const getLines = ({ lines }: { lines: number }) => lines;
    const colleagues = new Map<string, { author: string; sessions: number; lines: number }>();
    const bySession = sortByCount(this.sessions, getLines).map(({ uid, commits, lines }) => {
      const session = memory === null ? null : findSessionByUid(memory, uid);
      const author = session?.author ?? null;
      const sum = getOrCreate(colleagues, author ?? "", () => ({
        author: author ?? "",
        sessions: 0,
        lines: 0,
      }));
      sum.sessions++;
      sum.lines += lines;
      return {
        session_id: uid,
        session_title: session?.title ?? null,
        agent: session?.agent ?? null,
        author,
        commits: commits.size,
        lines,
      };
    });
    const isShared = [...colleagues.keys()].some((author) => author !== "");
    return {
      total: this.total,
      by_author: sortByCount(this.authors, ({ share }) => share.lines).map(({ author, commits, share }) => ({
        author,
        commits: commits.size,
        ...share,
      })),
      by_directory: sortByCount(this.directories, getLines),
      ...(this.countsFiles && { by_file: sortByCount(this.files, getLines) }),
      by_week: [...this.weeks.values()].sort((a, b) => (a.week < b.week ? -1 : 1)),
      by_model: sortByCount(this.models, getLines),
      by_session: bySession,
      by_colleague: isShared ? sortByCount(colleagues, getLines) : [],
    };
  }
}

/** The directory of a file, cut at a depth; "." at the root. */
function toDirectory(path: string, depth: number): string {
  const parts = path.split("/").slice(0, -1).slice(0, depth);
  return parts.length === 0 ? "." : parts.join("/");
}

/** @throws the problem if no commit was recorded, so that there is nothing else to tell */
function describeGitProblem(problem: GitFailure, seen: ReadonlySet<string>): string[] {
  if (problem.isBroken && seen.size === 0) throw problem;
  return [explainError(problem), ...(seen.size > 0 ? ["Every recorded commit counts."] : [])];
}

function describeUnseen(
  memory: Memory | null,
  history: ReadonlyMap<string, number>,
  seen: ReadonlySet<string>,
): string[] {
  const unseen = [...history].flatMap(([hash, at]) => (seen.has(hash) ? [] : [at]));
  if (memory !== null && unseen.length > 0 && findHistoryStart(memory) === null)
    return ["No session is recorded here, so nobody knows who wrote what."];
  return [
    ...(memory === null ? [] : describeUnread(memory)),
    ...describeUnanalysed(memory, unseen, "these shares are not final"),
  ];
}
