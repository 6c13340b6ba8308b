import { join } from "node:path";
import pLimit from "p-limit";
import { analyseFor } from "../../answers/analyse.ts";
import { describeUnanalysed, describeUnread } from "../../answers/backfill-hint.ts";
import { escapeGlob } from "../../answers/file-place.ts";
import { findAgentsSince } from "../../attribution/agents-since.ts";
import { findLineAuthors, judgeUncommitted } from "../../attribution/lines/line-authors.ts";
import { getOrCreate, sortByCount } from "../../base/multimap.ts";
import type { Project } from "../../base/paths.ts";
import { formatIsoTime } from "../../base/text/iso-time.ts";
import { classifyPath } from "../../code/files/path-role.ts";
import { findPlaceInRepository, streamChangedFiles } from "../../git/diff/changes.ts";
import type { BlamedCommit, BlamedLine, ChangedFile, CommitInfo } from "../../git/diff/changes-types.ts";
import {
  listUncommittedChanges,
  maxWorkingBytes,
  readWorkingFile,
  splitIntoLines,
} from "../../git/diff/uncommitted.ts";
import { readCommits } from "../../git/history/commits.ts";
import { type ReadObjects, withObjects } from "../../git/objects.ts";
import type { LineAuthor } from "../../protocol/line-author.ts";
import { unknownAuthor } from "../../protocol/line-author.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import { buildBrief } from "../../sessions/brief/brief.ts";
import { findTask } from "../../sessions/commands/tasks.ts";
import { pickAuthor } from "../../sessions/decisions/to-decision.ts";
import { readTurnPrompts } from "../../sessions/turn-prompts.ts";
import { type CommandRecord, listCommands } from "../../store/memory/commands.ts";
import { findCheckpointOfCommit } from "../../store/memory/commits/checkpoints.ts";
import {
  findCommitByHash,
  listRewrites,
  readAttributedVersions,
} from "../../store/memory/commits/commits.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { SessionRecord } from "../../store/memory/memory-records.ts";
import { findSession, findSessionByUid, listSessions } from "../../store/memory/sessions/sessions.ts";
import { findHistoryStart } from "../../store/memory/sessions/sessions-here.ts";
import type { LinesByAuthor } from "../checkpoints/operation.ts";
import { buildHunks, limitChanges, type Reviewed, resolveReviewRange } from "./change.ts";
import {
  blameIfAny,
  blamesAtOnce,
  type Commits,
  findContested,
  findDecisionsAbout,
  makeLedTo,
} from "./decisions.ts";
import type {
  ReviewAnswer,
  ReviewCommit,
  ReviewDecision,
  ReviewFile,
  ReviewSession,
  reviewRequest,
} from "./operation.ts";

const maxCommits = 200;
/** Changed lines of a file, and of all files, that are shown. */
const maxLinesOfFile = 2000;
const maxLines = 20_000;
const maxTests = 20;
/** Files that a note names. */
const maxNamed = 5;

/**
 * What a change does, line by line, and who wrote each of its lines for which prompt: a commit, a branch or range, or what
 * is not committed yet.
 * @param memory null: there is no memory, and so no author is known
 * @throws as `resolveReviewRange`
 */
export async function review(
  project: Project,
  memory: Memory | null,
  { range = "", file: paths, lines_only = false }: Shaped<typeof reviewRequest>,
  signal?: AbortSignal,
): Promise<ReviewAnswer> {
  const what = await resolveReviewRange(project, memory, range.trim());
  const [changed, infos] = await Promise.all([
    listReviewedFiles(project, what, paths, signal),
    readReviewedCommits(project, what, signal),
  ]);
  const about = changed.map(({ path }) => path);
  const asked = lines_only ? null : memory;
  await analyseFor(project, asked, signal)(infos.shown);
  const authors = new Authors();
  const files: ReviewFile[] = [];
  let left = maxLines;
  await withAfter(project, what, signal, async (linesAfter) => {
    const isBy = lines_only
      ? async () => null
      : await makeLineAuthorFinder(project, memory, what, infos, changed, signal);
    const byFile = await pLimit(blamesAtOnce).map(changed, isBy);
    for (const [i, file] of changed.entries()) {
      const { shown, leftOut } = limitChanges(file.hunks, Math.min(left, maxLinesOfFile));
      const by = byFile[i]!;
      const added = sum(file.hunks.map(({ added }) => added.length));
      const writers =
        by === null ? [] : file.hunks.flatMap(({ newStart, added }) => added.map((_, i) => by(newStart + i)));
      const after = shown.length === 0 || file.status === "D" ? [] : await linesAfter(file.path);
      files.push({
        path: file.path,
        old_path: file.oldPath,
        status: file.status,
        insertions: added,
        deletions: sum(file.hunks.map(({ removed }) => removed.length)),
        lines: countAuthors(writers),
        hunks: buildHunks(shown, after, (line) => by && authors.addAuthor(by(line))),
        lines_left_out: leftOut,
      });
      left -= sum(shown.map(({ added, removed }) => added.length + removed.length));
      for (const writer of writers) authors.recordTurn(writer);
    }
  });
  const unanalysed = asked === null ? [] : listUnanalysed(asked, infos.shown);
  const notes = asked === null ? [] : [...describeUnread(asked), ...describeUnanalysed(asked, unanalysed)];
  if (infos.total > infos.shown.length)
    notes.push(`The latest ${maxCommits} of ${infos.total} commits are listed.`);
  const tooLarge = changed.flatMap(({ path, isTooLarge }) => (isTooLarge ? [path] : []));
  if (tooLarge.length > 0)
    notes.push(
      `Too large, so their lines are not counted: ${tooLarge.slice(0, maxNamed).join(", ")}${tooLarge.length > maxNamed ? ", ..." : ""}.`,
    );
  const sessions = asked === null ? [] : listReviewSessions(asked, infos.shown, authors);
  return {
    kind: what.kind,
    lines_only,
    from: what.from,
    to: what.to,
    commits: infos.shown.map((info) => toReviewCommit(memory, info)),
    commits_total: infos.total,
    merge: infos.merge && toReviewCommit(memory, infos.merge),
    commits_not_analysed: unanalysed.length,
    files,
    insertions: sum(files.map(({ insertions }) => insertions)),
    deletions: sum(files.map(({ deletions }) => deletions)),
    lines: {
      agent: sum(files.map(({ lines }) => lines.agent)),
      human: sum(files.map(({ lines }) => lines.human)),
      unknown: sum(files.map(({ lines }) => lines.unknown)),
    },
    authors: authors.all,
    sessions,
    decisions:
      asked === null
        ? []
        : await findDecisionsAbout(project, asked, what, changed, makeLedTo(sessions), signal),
    ...findContested(what, infos, files),
    tests_changed: about.filter((path) => classifyPath(path) === "test"),
    tests: lines_only ? [] : await findTests(project, about),
    notes,
  };
}

/** Commits of a session that are looked at: each takes a few processes of git. */
const maxCommitsOfSession = 5;

/**
 * Decisions of other sessions whose lines a session's commits took out, most lines first.
 * @throws PommelError `not_found` for an unknown session
 */
export async function findUndoneDecisions(
  project: Project,
  memory: Memory,
  id: string,
  signal?: AbortSignal,
): Promise<ReviewDecision[]> {
  const session = findSession(memory, id);
  const { commits } = buildBrief(memory, session);
  const found: ReviewDecision[] = [];
  for (const { hash } of commits.slice(0, maxCommitsOfSession)) {
    // A commit that was rewritten may be gone.
    const what = await resolveReviewRange(project, memory, hash).catch(() => null);
    if (what === null) continue;
    const changed = await listReviewedFiles(project, what, undefined, signal);
    const isItsOwn = ({ session_id }: { session_id: string | null }) => session_id === session.uid;
    found.push(...(await findDecisionsAbout(project, memory, what, changed, isItsOwn, signal)));
  }
  return found.filter(({ lines_removed }) => lines_removed > 0);
}

/** When those commits were authored that a session may have led to, and that are not analysed yet. */
function listUnanalysed(memory: Memory, commits: readonly CommitInfo[]): number[] {
  const start = findHistoryStart(memory);
  if (start === null) return [];
  const known = readAttributedVersions(
    memory,
    commits.map(({ hash }) => hash),
  );
  return commits.flatMap(({ hash, authoredAt }) =>
    authoredAt < start || known.get(hash) ? [] : [authoredAt],
  );
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

function countAuthors(authors: readonly LineAuthor[]): LinesByAuthor {
  const lines = { agent: 0, human: 0, unknown: 0 };
  for (const { author } of authors) lines[author === "before_agents" ? "unknown" : author]++;
  return lines;
}

/** Who wrote lines, each once, with how many, by turn. */
class Authors {
  readonly all: LineAuthor[] = [];
  readonly turns = new Map<string, Map<number, number>>();
  private readonly places = new Map<string, number>();

  addAuthor(author: LineAuthor): number {
    return getOrCreate(this.places, JSON.stringify(author), () => this.all.push(author) - 1);
  }

  recordTurn({ session_id, turn }: LineAuthor): void {
    if (session_id === null || turn === null) return;
    const turns = getOrCreate(this.turns, session_id, () => new Map<number, number>());
    turns.set(turn, (turns.get(turn) ?? 0) + 1);
  }
}

async function listReviewedFiles(
  { root }: Project,
  what: Reviewed,
  paths: readonly string[] | undefined,
  signal?: AbortSignal,
): Promise<ChangedFile[]> {
  const files: ChangedFile[] = [];
  if (what.kind === "uncommitted") files.push(...(await listUncommittedChanges(root, { paths, signal })));
  else {
    const change = what.kind === "commit" ? { commit: what.to } : what;
    for await (const file of streamChangedFiles(root, change, { paths, signal })) files.push(file);
  }
  return files.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Lets `use` read files as they are after the change. */
async function withAfter(
  { root }: Project,
  { to }: Reviewed,
  signal: AbortSignal | undefined,
  use: (linesAfter: (path: string) => Promise<string[]>) => Promise<void>,
): Promise<void> {
  if (to === null) return use(async (path) => splitIntoLines(readWorkingFile(join(root, path)).text ?? ""));
  const { prefix } = await findPlaceInRepository(root, signal);
  await withObjects(root, { maxBytes: maxWorkingBytes, type: "blob", signal }, (read: ReadObjects) =>
    use(async (path) => {
      const name = `${to}:${prefix}${path}`;
      const text = (await read([name])).get(name)?.toString() ?? "";
      return text === "" || text.includes("\0") ? [] : splitIntoLines(text);
    }),
  );
}

/** Finds who wrote the added lines of each file. */
async function makeLineAuthorFinder(
  project: Project,
  memory: Memory | null,
  what: Reviewed,
  infos: Commits,
  changed: readonly ChangedFile[],
  signal?: AbortSignal,
): Promise<(file: ChangedFile) => Promise<(line: number) => LineAuthor>> {
  const nobody = () => unknownAuthor;
  if (what.kind === "uncommitted") {
    const judged = memory === null ? () => nobody : await judgeUncommitted(project, memory, changed, signal);
    return async ({ path }) => judged(path);
  }
  const since = memory === null ? null : findAgentsSince(memory, project.root);
  return async (file) => {
    if (file.hunks.every(({ added }) => added.length === 0)) return nobody;
    const blamed =
      what.kind === "commit"
        ? blameOnCommit(what.to, file, infos.shown)
        : await blameInRange(project.root, what, file, signal);
    const { authors } = await findLineAuthors(project, memory, file.path, blamed, since, signal);
    const byLine = new Map(blamed.lines.map(({ line }, i) => [line, authors[i] ?? unknownAuthor]));
    return (line) => byLine.get(line) ?? unknownAuthor;
  };
}

interface Blamed {
  lines: BlamedLine[];
  commits: Map<string, BlamedCommit>;
}

/** The lines that a commit added are its own: nobody has to look for who did. */
function blameOnCommit(commit: string, { path, hunks }: ChangedFile, infos: readonly CommitInfo[]): Blamed {
  const lines = hunks.flatMap(({ newStart, added }) =>
    added.map((text, i): BlamedLine => {
      const line = newStart + i;
      return { line, commit, originalLine: line, originalPath: path, isBoundary: false, text };
    }),
  );
  const [info] = infos;
  const { author = "", authoredAt = 0, message = "" } = info ?? {};
  return { lines, commits: new Map([[commit, { author, authoredAt, summary: extractSubject(message) }]]) };
}

/** Nobody's where git cannot blame it. */
async function blameInRange(
  root: string,
  { from, to }: { from: string; to: string },
  { path, hunks }: ChangedFile,
  signal?: AbortSignal,
): Promise<Blamed> {
  const ranges = hunks.flatMap(({ newStart, added }): [number, number][] =>
    added.length === 0 ? [] : [[newStart, newStart + added.length - 1]],
  );
  const blamed = await blameIfAny(root, path, { ranges, revision: `${from}..${to}`, signal });
  // What git's diff takes for a new line may be an old one to its blame, which then has to look further back.
  const isWhole = blamed.lines.every(({ isBoundary }) => !isBoundary);
  return isWhole ? blamed : blameIfAny(root, path, { ranges, revision: to, signal });
}

async function readReviewedCommits(
  { root }: Project,
  what: Reviewed,
  signal?: AbortSignal,
): Promise<Commits> {
  const commits: Commits = { shown: [], total: 0, added: new Map(), merge: null };
  if (what.kind === "uncommitted") return commits;
  const range = [`${what.from}..${what.to}`, "--no-merges"];
  const revisions = what.kind === "commit" ? [what.to, "--no-walk"] : range;
  for await (const info of readCommits(root, revisions, { withFiles: true, signal })) {
    commits.total++;
    if (commits.total <= maxCommits) commits.shown.push(info);
    for (const { path, added } of info.files ?? []) {
      const known = getOrCreate(commits.added, path, () => ({ lines: 0, commits: 0 }));
      known.lines += added;
      known.commits++;
    }
  }
  if (what.kind === "range" && what.isMerge) {
    for await (const merge of readCommits(root, [what.to, "--no-walk"], { signal })) commits.merge = merge;
  }
  return commits;
}

const extractSubject = (message: string) => message.split("\n", 1)[0] ?? "";

function toReviewCommit(memory: Memory | null, info: CommitInfo): ReviewCommit {
  const subject = extractSubject(info.message);
  return {
    hash: info.hash,
    parents: info.parents,
    author: info.author,
    authored_at: formatIsoTime(info.authoredAt),
    committed_at: formatIsoTime(info.committedAt),
    subject,
    body: info.message.slice(subject.length).trim(),
    branch: memory === null ? null : (findCommitByHash(memory, info.hash)?.branch ?? null),
    rewritten_as: memory === null ? [] : listRewrites(memory, info.hash),
  };
}

/** The sessions that wrote lines of the change or led to a commit of it. */
function listReviewSessions(memory: Memory, infos: readonly CommitInfo[], authors: Authors): ReviewSession[] {
  const turns = new Map([...authors.turns].map(([uid, written]) => [uid, new Map(written)]));
  const ties = new Map<string, Pick<ReviewSession, "how" | "confidence">>();
  for (const { hash } of infos) {
    for (const { sessionUid, how, confidence, turns: led } of findCheckpointOfCommit(memory, hash)
      ?.sessions ?? []) {
      if ((ties.get(sessionUid)?.confidence ?? -1) < confidence) ties.set(sessionUid, { how, confidence });
      const known = getOrCreate(turns, sessionUid, () => new Map<number, number>());
      for (const turn of led) getOrCreate(known, turn, () => 0);
    }
  }
  const sessions = new Map(
    [...turns].map(([uid, written]): [string, ReviewSession] => {
      const session = findSessionByUid(memory, uid);
      const numbers = [...written.keys()].sort((a, b) => a - b);
      return [
        uid,
        {
          session_id: uid,
          title: session?.title ?? null,
          agent: session?.agent ?? null,
          ...(session === null ? {} : pickAuthor(session)),
          lines: sum([...written.values()]),
          ...(ties.get(uid) ?? { how: null, confidence: null }),
          last_test_turn: session && findLastTestTurn(memory, session),
          turns: readTurnPrompts(memory, uid, numbers).map((turn) => ({
            ...turn,
            lines: written.get(turn.turn) ?? 0,
          })),
        },
      ];
    }),
  );
  return sortByCount(sessions, ({ lines }) => lines);
}

function findLastTestTurn(memory: Memory, { id, parentId }: SessionRecord): number | null {
  const listRuns = (sessionId: number) => listCommands(memory, { sessionId });
  const isTest = ({ form }: CommandRecord) => findTask(form)?.startsWith("test") === true;
  // What a subagent wrote its session may have tested, and the other way round.
  const agents = listSessions(memory, { children: id });
  if (parentId !== null || agents.some((agent) => listRuns(agent.id).some(isTest))) return null;
  const runs = listRuns(id);
  return runs.length === 0 ? null : Math.max(0, ...runs.filter(isTest).map(({ turn }) => turn));
}

async function findTests(project: Project, files: readonly string[]): Promise<string[]> {
  if (files.length === 0) return [];
  const { findCodeAround } = await import("../../answers/ask-graph.ts");
  const around = await findCodeAround(project, files.map(escapeGlob));
  return around
    .filter(({ file }) => classifyPath(file) === "test" && !files.includes(file))
    .map(({ file }) => file)
    .slice(0, maxTests);
}
