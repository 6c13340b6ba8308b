import { lstatSync, readFileSync } from "node:fs";
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
import { readCommits } from "../../git/history/commits.ts";
import { type ReadObjects, withObjects } from "../../git/objects.ts";
import { listUntrackedFiles } from "../../git/working-files.ts";
import type { LineAuthor } from "../../protocol/line-author.ts";
import { unknownAuthor } from "../../protocol/line-author.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import { findCheckpointOfCommit } from "../../store/memory/commits/checkpoints.ts";
import {
  findCommitByHash,
  listRewrites,
  readAttributedVersions,
} from "../../store/memory/commits/commits.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { findSessionByUid } from "../../store/memory/sessions/sessions.ts";
import { findHistoryStart } from "../../store/memory/sessions/sessions-here.ts";
import { readTurnPrompts } from "../checkpoints/checkpoints.ts";
import type { LinesByAuthor } from "../checkpoints/operation.ts";
import { pickAuthor } from "../decisions/recorded-decisions.ts";
import { buildHunks, limitChanges, type Reviewed, resolveReviewRange } from "./change.ts";
import { blameIfAny, blamesAtOnce, type Commits, findContested, findDecisionsAbout } from "./decisions.ts";
import type { ReviewAnswer, ReviewCommit, ReviewFile, ReviewSession, reviewRequest } from "./operation.ts";

const maxCommits = 200;
/** Changed lines of a file, and of all files, that are shown. */
const maxLinesOfFile = 2000;
const maxLines = 20_000;
/** Larger files have nothing around their changes, and untracked ones no lines. */
const maxBytes = 2_000_000;
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
  { range = "", file: paths }: Shaped<typeof reviewRequest>,
  signal?: AbortSignal,
): Promise<ReviewAnswer> {
  const what = await resolveReviewRange(project, memory, range.trim());
  const changed = await listReviewedFiles(project, what, paths, signal);
  const infos = await readReviewedCommits(project, what, signal);
  await analyseFor(project, memory, signal)(infos.shown);
  const authors = new Authors();
  const files: ReviewFile[] = [];
  let left = maxLines;
  await withAfter(project, what, signal, async (linesAfter) => {
    const isBy = await makeLineAuthorFinder(project, memory, what, infos, changed, signal);
    const byFile = await pLimit(blamesAtOnce).map(changed, isBy);
    for (const [i, file] of changed.entries()) {
      const { shown, leftOut } = limitChanges(file.hunks, Math.min(left, maxLinesOfFile));
      const by = byFile[i]!;
      const writers = file.hunks.flatMap(({ newStart, added }) => added.map((_, i) => by(newStart + i)));
      const after = shown.length === 0 || file.status === "D" ? [] : await linesAfter(file.path);
      files.push({
        path: file.path,
        old_path: file.oldPath,
        status: file.status,
        insertions: writers.length,
        deletions: sum(file.hunks.map(({ removed }) => removed.length)),
        lines: countAuthors(writers),
        hunks: buildHunks(shown, after, (line) => authors.addAuthor(by(line))),
        lines_left_out: leftOut,
      });
      left -= sum(shown.map(({ added, removed }) => added.length + removed.length));
      for (const writer of writers) authors.recordTurn(writer);
    }
  });
  const notes =
    memory === null
      ? []
      : [...describeUnread(memory), ...describeUnanalysed(memory, listUnanalysed(memory, infos.shown))];
  if (infos.total > infos.shown.length)
    notes.push(`The latest ${maxCommits} of ${infos.total} commits are listed.`);
  const tooLarge = changed.flatMap(({ path, isTooLarge }) => (isTooLarge ? [path] : []));
  if (tooLarge.length > 0)
    notes.push(
      `Too large, so their lines are not counted: ${tooLarge.slice(0, maxNamed).join(", ")}${tooLarge.length > maxNamed ? ", ..." : ""}.`,
    );
  const about = files.map(({ path }) => path);
  const sessions = memory === null ? [] : listReviewSessions(memory, infos.shown, authors);
  return {
    kind: what.kind,
    from: what.from,
    to: what.to,
    commits: infos.shown.map((info) => toReviewCommit(memory, info)),
    commits_total: infos.total,
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
      memory === null ? [] : await findDecisionsAbout(project, memory, what, changed, sessions, signal),
    ...findContested(what, infos, files),
    tests_changed: about.filter((path) => classifyPath(path) === "test"),
    tests: await findTests(project, about),
    notes,
  };
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
  const change = what.kind === "commit" ? { commit: what.to } : what;
  const files: ChangedFile[] = [];
  for await (const file of streamChangedFiles(root, change, { paths, signal })) files.push(file);
  if (what.kind === "uncommitted") files.push(...(await readUntracked(root, paths, signal)));
  return files.sort((a, b) => (a.path < b.path ? -1 : 1));
}

async function readUntracked(root: string, paths: readonly string[] | undefined, signal?: AbortSignal) {
  const files: ChangedFile[] = [];
  for await (const path of listUntrackedFiles(root, signal, paths)) {
    const { text, isTooLarge } = readReviewedFile(join(root, path));
    const added = text === null ? [] : splitIntoLines(text);
    const hunks = added.length === 0 ? [] : [{ oldStart: 1, newStart: 1, removed: [], added }];
    const facts = { path, oldPath: null, status: "A" as const, isText: text !== null, hunks };
    files.push({ ...facts, ...(isTooLarge && { isTooLarge }) });
  }
  return files;
}

/** Without a text: no text, too large, or gone by now. */
function readReviewedFile(file: string): { text: string | null; isTooLarge?: true } {
  try {
    // Of a link git has the path that it leads to: what is there may be anybody's.
    const facts = lstatSync(file);
    if (!facts.isFile()) return { text: null };
    if (facts.size > maxBytes) return { text: null, isTooLarge: true };
    const text = readFileSync(file, "utf8");
    return { text: text.includes("\0") ? null : text };
  } catch {
    return { text: null };
  }
}

const splitIntoLines = (text: string) => text.replace(/\n$/, "").split("\n");

/** Lets `use` read files as they are after the change. */
async function withAfter(
  { root }: Project,
  { to }: Reviewed,
  signal: AbortSignal | undefined,
  use: (linesAfter: (path: string) => Promise<string[]>) => Promise<void>,
): Promise<void> {
  if (to === null) return use(async (path) => splitIntoLines(readReviewedFile(join(root, path)).text ?? ""));
  const { prefix } = await findPlaceInRepository(root, signal);
  await withObjects(root, { maxBytes, type: "blob", signal }, (read: ReadObjects) =>
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
        : await blameAt(project.root, what.to, file, signal);
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
async function blameAt(
  root: string,
  revision: string,
  { path, hunks }: ChangedFile,
  signal?: AbortSignal,
): Promise<Blamed> {
  const ranges = hunks.flatMap(({ newStart, added }): [number, number][] =>
    added.length === 0 ? [] : [[newStart, newStart + added.length - 1]],
  );
  return blameIfAny(root, path, { ranges, revision, signal });
}

async function readReviewedCommits(
  { root }: Project,
  what: Reviewed,
  signal?: AbortSignal,
): Promise<Commits> {
  if (what.kind === "uncommitted") return { shown: [], total: 0, added: new Map() };
  const commits: Commits = { shown: [], total: 0, added: new Map() };
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

async function findTests(project: Project, files: readonly string[]): Promise<string[]> {
  if (files.length === 0) return [];
  const { findCodeAround } = await import("../related/related.ts");
  const around = await findCodeAround(project, files.map(escapeGlob));
  return around
    .filter(({ file }) => classifyPath(file) === "test" && !files.includes(file))
    .map(({ file }) => file)
    .slice(0, maxTests);
}
