import { join } from "node:path";
import { openCommitFates } from "../../attribution/commit-fates.ts";
import { judgeUncommitted } from "../../attribution/lines/line-authors.ts";
import { getOrCreate } from "../../base/multimap.ts";
import type { Project } from "../../base/paths.ts";
import { findPlaceInRepository, streamChangedFiles } from "../../git/diff/changes.ts";
import type { ChangedFile } from "../../git/diff/changes-types.ts";
import { listUncommittedChanges, maxWorkingBytes, readWorkingFile } from "../../git/diff/uncommitted.ts";
import { plain, readGitFields } from "../../git/git.ts";
import { withObjects } from "../../git/objects.ts";
import { findRangeAtLine, listAttributions } from "../../store/memory/commits/attributions.ts";
import { findCheckpointOfCommit } from "../../store/memory/commits/checkpoints.ts";
import {
  findRenamedPath,
  type LedTo,
  readCommitsOfSessions,
} from "../../store/memory/commits/commits-of-turns.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { listSessionsBeginningWith } from "../../store/memory/sessions/sessions.ts";
import { type Conflict, type FileStep, type StepHunk, takeBack } from "./take-back.ts";

const maxSubagents = 1000;

/** Whose changes are taken back. */
export interface Undone {
  uid: string;
  /** Null: all of its turns, and those of its subagents. */
  turn: number | null;
}

/** A file, as it is and as it would be. */
export interface PlannedFile {
  path: string;
  /** Null: it is not there. */
  now: string | null;
  wanted: string | null;
  /** Where it was before the session moved it; null: it stays where it is. */
  movesTo: string | null;
  /** Whether it becomes executable again, or stops being so; null: its mode stays. */
  isExecutable: boolean | null;
  removed: number;
  restored: number;
  conflicts: Conflict[];
}

/** Whether anything becomes of it. */
export const isChanged = ({ now, wanted, movesTo, isExecutable }: PlannedFile): boolean =>
  now !== wanted || movesTo !== null || isExecutable !== null;

export interface UndoPlan {
  commits: Pick<LedTo, "hash" | "subject">[];
  uncommitted: boolean;
  files: PlannedFile[];
}

type FindAuthor = (line: number) => { sessionUid: string | null; turn: number | null } | null;

/** What a commit, or what is not committed, changed, with who wrote its lines. */
interface UndoSource {
  /** Of its files after it, without a colon; null: the working tree. */
  revision: string | null;
  files: ChangedFile[];
  findAuthor: (path: string) => FindAuthor;
  /** Whether nobody else had a hand in it: what it took out and moved is the session's, too. */
  isWholly: boolean;
  /** Whether files were executable before it, where it changed that. */
  modes: ReadonlyMap<string, { wasExecutable: boolean }>;
  /** Where a file of it is now. */
  toPathNow: (path: string) => string;
}

/**
 * Plans how to take back what a session changed and what still stands: in what is not committed, then in its commits, from the
 * latest to the first.
 * @param on `HEAD`: the files as they are committed; else as they lie in the working tree
 */
export async function planUndo(
  project: Project,
  memory: Memory,
  undone: Undone,
  on: "working tree" | "HEAD",
  signal?: AbortSignal,
): Promise<UndoPlan> {
  const isTheirs = makeOwnerCheck(undone);
  const changes: UndoSource[] = [];
  const working = on === "HEAD" ? null : await readUncommitted(project, memory, isTheirs, signal);
  if (working !== null) changes.push(working);
  const led = await listOwnCommits(project, memory, undone, signal);
  for (const commit of led) changes.push(await readCommit(project, memory, commit, undone, signal));
  const { prefix } = await findPlaceInRepository(project.root, signal);
  const objects = { maxBytes: maxWorkingBytes, type: "blob", signal } as const;
  const files = await withObjects(project.root, objects, async (read) => {
    const readText = async (revision: string | null, path: string): Promise<string | null> => {
      if (revision === null) return readWorkingText(join(project.root, path));
      const name = `${revision}:${prefix}${path}`;
      return refuseDamage((await read([name])).get(name)?.toString() ?? null);
    };
    const draft = new UndoDraft((path) => readText(on === "HEAD" ? "HEAD" : null, path));
    for (const change of changes)
      for (const file of change.files) {
        const after = file.status === "D" ? "" : await readText(change.revision, file.path);
        if (after !== null) await draft.takeBack(change, file, after, isTheirs);
      }
    return draft.list();
  });
  const hasPart = (change: UndoSource | undefined): boolean =>
    change?.files.some((file) => hasOwnLines(file, change, isTheirs)) ?? false;
  return {
    // One that only may have come of the session has nothing of it.
    commits: led.filter(({ hash }) => {
      const change = changes.find(({ revision }) => revision === hash);
      return change?.isWholly === true || hasPart(change);
    }),
    uncommitted: hasPart(working ?? undefined),
    files,
  };
}

type IsTheirs = (author: ReturnType<FindAuthor>) => boolean;

const makeOwnerCheck =
  ({ uid, turn }: Undone): IsTheirs =>
  (author) => {
    if (author === null || author.sessionUid === null) return false;
    if (turn !== null) return author.sessionUid === uid && author.turn === turn;
    return isOfSession(author.sessionUid, uid);
  };

/** Its own, or that of a subagent of it. */
const isOfSession = (sessionUid: string, uid: string): boolean =>
  sessionUid === uid || sessionUid.startsWith(`${uid}/`);

const listLineNumbers = ({ newStart, added }: ChangedFile["hunks"][number]): number[] =>
  added.map((_, i) => newStart + i);

const hasOwnLines = (file: ChangedFile, change: UndoSource, isTheirs: IsTheirs): boolean =>
  file.hunks.flatMap(listLineNumbers).some((line) => isTheirs(change.findAuthor(file.path)(line)));

/** Those in HEAD's history, the latest first. */
async function listOwnCommits(
  { root }: Project,
  memory: Memory,
  { uid, turn }: Undone,
  signal?: AbortSignal,
): Promise<LedTo[]> {
  const subagents = turn === null ? listSessionsBeginningWith(memory, `${uid}/`, maxSubagents) : [];
  const uids = [uid, ...subagents.map((session) => session.uid)];
  const byHash = new Map<string, LedTo>();
  for (const commits of readCommitsOfSessions(memory, uids).values())
    for (const commit of commits) byHash.set(commit.hash, commit);
  const fates = await openCommitFates(root, memory).findFates([...byHash.keys()], signal);
  return [...byHash.values()]
    .filter(({ hash }) => fates.get(hash)?.reach === "head" && fates.get(hash)?.successor === null)
    .toSorted((a, b) => b.committedAt - a.committedAt || b.commitId - a.commitId);
}

async function readCommit(
  { root }: Project,
  memory: Memory,
  { hash, commitId, committedAt }: LedTo,
  { uid, turn }: Undone,
  signal?: AbortSignal,
): Promise<UndoSource> {
  const files: ChangedFile[] = [];
  for await (const file of streamChangedFiles(root, { commit: hash }, { signal })) files.push(file);
  const ranges = listAttributions(memory, commitId);
  const isTheirs = makeOwnerCheck({ uid, turn });
  const sessions = findCheckpointOfCommit(memory, hash)?.sessions ?? [];
  return {
    revision: hash,
    files,
    modes: await readChangedModes(root, hash, signal),
    findAuthor: (path) => {
      const own = ranges.filter((range) => range.path === path);
      return (line) => findRangeAtLine(own, line) ?? null;
    },
    isWholly:
      ranges.every(isTheirs) &&
      sessions.every(({ sessionUid }) => isOfSession(sessionUid, uid)) &&
      (turn === null || sessions.every(({ turns }) => turns.every((one) => one === turn))),
    toPathNow: (path) => findRenamedPath(memory, path, committedAt) ?? path,
  };
}

/** Files that a commit made executable, or that it made so no longer. */
async function readChangedModes(
  root: string,
  hash: string,
  signal?: AbortSignal,
): Promise<Map<string, { wasExecutable: boolean }>> {
  const changed = new Map<string, { wasExecutable: boolean }>();
  const fields = readGitFields(
    root,
    [...plain, "diff-tree", "--no-commit-id", "-r", "-z", "--relative", "--find-renames", hash],
    signal,
  );
  for await (const facts of fields) {
    const [, before, after, status] = /^:100(644|755) 100(644|755) \S+ \S+ (\w)/.exec(facts) ?? [];
    let { value: path } = await fields.next();
    // The name before comes first.
    if (/ [RC]\d*$/.test(facts)) path = (await fields.next()).value;
    if (path && status !== undefined && before !== after)
      changed.set(path, { wasExecutable: before === "755" });
  }
  return changed;
}

async function readUncommitted(
  project: Project,
  memory: Memory,
  isTheirs: IsTheirs,
  signal?: AbortSignal,
): Promise<UndoSource> {
  const files = await listUncommittedChanges(project.root, { signal });
  const judge = await judgeUncommitted(project, memory, files, signal);
  const findAuthor = (path: string): FindAuthor => {
    const find = judge(path);
    return (line) => {
      const { session_id, turn } = find(line);
      return { sessionUid: session_id, turn };
    };
  };
  const authors = files.flatMap((file) => file.hunks.flatMap(listLineNumbers).map(findAuthor(file.path)));
  return {
    revision: null,
    files,
    modes: new Map(),
    findAuthor,
    isWholly: authors.length > 0 && authors.every(isTheirs),
    toPathNow: (path) => path,
  };
}

/** A file's text; null where it is not there, is no text, or is too large. */
export const readWorkingText = (file: string): string | null => refuseDamage(readWorkingFile(file).text);

/** Null for a text that would not be written back as it was read: bytes that are no UTF-8 became U+FFFD. */
const refuseDamage = (text: string | null): string | null =>
  text === null || /[\0\ufffd]/.test(text) ? null : text;

/** The files as they would be, each as far as it is taken back by now. */
class UndoDraft {
  private readonly files = new Map<string, PlannedFile>();

  constructor(private readonly readNow: (path: string) => Promise<string | null>) {}

  async takeBack(change: UndoSource, file: ChangedFile, after: string, isTheirs: IsTheirs): Promise<void> {
    const { path, oldPath, status, hunks } = file;
    const find = change.findAuthor(path);
    const own: StepHunk[] = hunks.map((hunk) => ({
      newStart: Math.max(hunk.newStart, 1),
      removed: hunk.removed,
      added: hunk.added,
      isTheirs: listLineNumbers(hunk).map((line) => isTheirs(find(line))),
      isTheirRemoval: change.isWholly,
    }));
    const isMove = status === "R" && oldPath !== null && change.isWholly;
    const isDeletion = status === "D" && change.isWholly;
    const hasOwn = own.some(
      (hunk) => hunk.isTheirs.includes(true) || (change.isWholly && hunk.added.length === 0),
    );
    const mode = change.isWholly ? change.modes.get(path) : undefined;
    if (!isMove && !isDeletion && !hasOwn && mode === undefined) return;
    const planned = await this.open((await this.readNow(path)) === null ? change.toPathNow(path) : path);
    if (isDeletion) restoreDeleted(planned, hunks);
    else if (planned.wanted !== null) {
      takeBackLines(planned, { after: after.split("\n"), hunks: own });
      if (status === "A" && planned.wanted === "") planned.wanted = null;
    }
    if (isMove && planned.wanted !== null) await this.moveBack(planned, oldPath);
    if (mode !== undefined && planned.wanted !== null) planned.isExecutable = mode.wasExecutable;
  }

  list(): PlannedFile[] {
    return [...this.files.values()]
      .filter((file) => isChanged(file) || file.conflicts.length > 0)
      .toSorted((a, b) => (a.path < b.path ? -1 : 1));
  }

  private async open(path: string): Promise<PlannedFile> {
    const now = this.files.has(path) ? null : await this.readNow(path);
    return getOrCreate(this.files, path, () => ({
      path,
      now,
      wanted: now,
      movesTo: null,
      isExecutable: null,
      removed: 0,
      restored: 0,
      conflicts: [],
    }));
  }

  private async moveBack(planned: PlannedFile, oldPath: string): Promise<void> {
    if ((await this.readNow(oldPath)) === null) planned.movesTo = oldPath;
    else planned.conflicts.push({ why: "place gone", now: [planned.path], before: [oldPath] });
  }
}

function takeBackLines(planned: PlannedFile, step: FileStep): void {
  const { lines, removed, restored, conflicts } = takeBack([step], planned.wanted!.split("\n"));
  planned.wanted = lines.join("\n");
  planned.removed += removed;
  planned.restored += restored;
  planned.conflicts.push(...conflicts);
}

/** A file that the session deleted is there again, unless another has taken its place. */
function restoreDeleted(planned: PlannedFile, hunks: readonly ChangedFile["hunks"][number][]): void {
  const before = hunks.flatMap(({ removed }) => removed);
  if (planned.wanted !== null) {
    planned.conflicts.push({ why: "place gone", now: planned.wanted.split("\n"), before });
    return;
  }
  planned.wanted = before.map((line) => `${line}\n`).join("");
  planned.restored += before.length;
}
