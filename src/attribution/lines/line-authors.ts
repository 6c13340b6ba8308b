import { getOrCreate } from "../../base/multimap.ts";
import type { Project } from "../../base/paths.ts";
import { streamChangedFiles } from "../../git/diff/changes.ts";
import type { BlamedCommit, BlamedLine, ChangedFile } from "../../git/diff/changes-types.ts";
import { readHeadCommit } from "../../git/history/history.ts";
import type { LineAuthor } from "../../protocol/line-author.ts";
import { beforeAgents, unknownAuthor } from "../../protocol/line-author.ts";
import {
  type CommitPath,
  findRangeAtLine,
  formatCommitPathKey,
  readAttributionsByPath,
} from "../../store/memory/commits/attributions.ts";
import { findCheckpointOfCommit } from "../../store/memory/commits/checkpoints.ts";
import { readAttributedVersions } from "../../store/memory/commits/commits.ts";
import { countUnreadImports } from "../../store/memory/jobs/job-rows.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { AttributionRecord } from "../../store/memory/memory-records.ts";
import { findSessionByUid } from "../../store/memory/sessions/sessions.ts";
import { isBeforeAgents } from "../agents-since.ts";
import type { ForeignLines, ForeignNotes } from "../foreign/types.ts";

/**
 * The authors of lines, with other tools' evidence where there is none of our own. A note about a line makes it an
 * agent's; a note about a whole commit is only a hint.
 */
async function withForeignAuthors(
  project: Project,
  lines: readonly BlamedLine[],
  authors: readonly LineAuthor[],
  signal?: AbortSignal,
): Promise<LineAuthor[]> {
  const isUnknown = (i: number) => authors[i]?.author === "unknown";
  const hashes = lines.flatMap(({ commit }, i) => (commit !== null && isUnknown(i) ? [commit] : []));
  if (hashes.length === 0) return [...authors];
  const { readForeignNotes } = await import("../foreign/foreign-notes.ts");
  const notes = await readForeignNotes(project.root, [...new Set(hashes)], signal);
  if (notes.size === 0) return [...authors];
  // Lines of one author share an object, so its identity shows where a range ends.
  const known = new Map<unknown, LineAuthor>();
  return lines.map((line, i) => {
    const author = authors[i] ?? unknownAuthor;
    const note = line.commit === null || !isUnknown(i) ? undefined : notes.get(line.commit);
    if (!note) return author;
    const claim = findAuthorClaim(line, note);
    if (claim) return getOrCreate(known, claim, () => convertForeignLines(claim));
    const hint = { tools: note.tools, session_ids: note.sessions };
    if (hint.tools.length + hint.session_ids.length === 0) return author;
    return getOrCreate(known, line.commit, () => ({ ...unknownAuthor, hint }));
  });
}

function findAuthorClaim(
  { originalPath, originalLine }: BlamedLine,
  { lines }: ForeignNotes,
): ForeignLines | undefined {
  return lines.find(
    ({ path, first, last }) => path === originalPath && originalLine >= first && originalLine <= last,
  );
}

const convertForeignLines = ({ tool, model, session }: ForeignLines): LineAuthor => ({
  ...unknownAuthor,
  author: "agent",
  session_id: session,
  agent: tool,
  model,
  how: "note",
  basis: null,
  said_by: "note",
});

interface AuthorsOfLines {
  /** For each line, in the order of the request; consecutive lines of one author share the object. */
  authors: LineAuthor[];
  /** Commits of theirs that are not analysed yet. */
  unseen: string[];
}

/**
 * Who wrote the lines of a blame. Committed lines use their commits' attribution, uncommitted lines the sessions so
 * far, and lines with neither use other tools' notes. What is left is unknown, or from before agents.
 * @param memory null: there is no memory
 * @param file its name in the working tree
 * @param since when the first session began, and whether others before it may be missing; null without one
 */
export async function findLineAuthors(
  project: Project,
  memory: Memory | null,
  file: string,
  { lines, commits }: { lines: readonly BlamedLine[]; commits: ReadonlyMap<string, BlamedCommit> },
  since: { at: number; may_be_incomplete: boolean } | null,
  signal?: AbortSignal,
): Promise<AuthorsOfLines> {
  const remembered =
    memory === null
      ? { authors: lines.map(() => unknownAuthor), unseen: [] }
      : await findRememberedAuthors(project, memory, file, lines, signal);
  const authors = await withForeignAuthors(project, lines, remembered.authors, signal);
  if (memory === null || since === null) return { authors, unseen: remembered.unseen };
  // What nobody but a person can have written, or was there before any agent, is known once every session is read.
  if (countUnreadImports(memory) > 0)
    return {
      authors: authors.map((author) => (author.how === "absence" ? unknownAuthor : author)),
      unseen: remembered.unseen,
    };
  const isBefore = createBeforeAgentsCheck(memory, commits, since);
  return {
    authors: authors.map((author, i) =>
      author.author === "unknown" && author.hint === null && isBefore(lines[i]!.commit, author.basis)
        ? beforeAgents
        : author,
    ),
    unseen: remembered.unseen.filter((hash) => !isBefore(hash, null)),
  };
}

/** Whether an unknown line is from before agents. */
function createBeforeAgentsCheck(
  memory: Memory,
  commits: ReadonlyMap<string, BlamedCommit>,
  since: { at: number; may_be_incomplete: boolean },
): (commit: string | null, basis: LineAuthor["basis"]) => boolean {
  const known = new Map<string, boolean>();
  return (hash, basis) => {
    if (hash === null) return false;
    const hasSession = getOrCreate(known, hash, () => findCheckpointOfCommit(memory, hash) !== null);
    const authoredAt = commits.get(hash)?.authoredAt ?? Number.POSITIVE_INFINITY;
    return isBeforeAgents({ hasSession, authoredAt }, basis, since);
  };
}

async function findRememberedAuthors(
  project: Project,
  memory: Memory,
  file: string,
  lines: readonly BlamedLine[],
  signal?: AbortSignal,
): Promise<AuthorsOfLines> {
  const places = new Map<string, CommitPath>();
  for (const { commit, originalPath } of lines) {
    if (commit === null) continue;
    const commitPath = { hash: commit, path: originalPath };
    places.set(formatCommitPathKey(commitPath), commitPath);
  }
  const known = readAttributionsByPath(memory, [...places.values()]);
  const hashes = [...new Set([...places.values()].map(({ hash }) => hash))];
  const versions = readAttributedVersions(memory, hashes);
  const isAnyNew = lines.some(({ commit }) => commit === null);
  const uncommitted = isAnyNew ? await findUncommittedRanges(project, memory, file, signal) : [];
  const describe = createAuthorDescriber(memory);
  const authors = lines.map(({ commit, originalPath, originalLine, line }) => {
    const range =
      commit === null
        ? findRangeAtLine(uncommitted, line)
        : findRangeAtLine(
            known.get(formatCommitPathKey({ hash: commit, path: originalPath })) ?? [],
            originalLine,
          );
    return range ? describe(range) : unknownAuthor;
  });
  return { authors, unseen: hashes.filter((hash) => !versions.get(hash)) };
}

/** Who wrote the uncommitted lines of a file of the working tree. */
async function findUncommittedRanges(
  project: Project,
  memory: Memory,
  file: string,
  signal?: AbortSignal,
): Promise<AttributionRecord[]> {
  const files: ChangedFile[] = [];
  const change = { from: "HEAD", to: null };
  for await (const changed of streamChangedFiles(project.root, change, {
    paths: [file],
    ...(signal && { signal }),
  })) {
    if (changed.path === file) files.push(changed);
  }
  const ranges = await attributeUncommitted(project, memory, files, signal);
  return ranges.filter(({ path }) => path === file);
}

/** Who wrote the lines that are not committed yet, judged by the sessions so far: by file and line. */
export async function judgeUncommitted(
  project: Project,
  memory: Memory,
  files: readonly ChangedFile[],
  signal?: AbortSignal,
): Promise<(path: string) => (line: number) => LineAuthor> {
  const byPath = new Map<string, AttributionRecord[]>();
  for (const range of await attributeUncommitted(project, memory, files, signal)) {
    getOrCreate(byPath, range.path, () => []).push(range);
  }
  const describe = createAuthorDescriber(memory);
  return (path) => (line) => {
    const range = findRangeAtLine(byPath.get(path) ?? [], line);
    return range ? describe(range) : unknownAuthor;
  };
}

/** In the order of their lines. */
async function attributeUncommitted(
  project: Project,
  memory: Memory,
  files: readonly ChangedFile[],
  signal?: AbortSignal,
): Promise<AttributionRecord[]> {
  if (files.length === 0) return [];
  const [{ attributeChange }, { listProjectRoots }] = await Promise.all([
    import("./attribute.ts"),
    import("../../git/projects/roots.ts"),
  ]);
  const worktrees = (await listProjectRoots(project.root, signal)).filter((root) => root !== project.root);
  const now = Date.now();
  const { ranges } = await attributeChange(
    { memory, root: project.root, worktrees },
    {
      hash: null,
      authoredAt: now,
      committedAt: now,
      parent: await readHeadCommit(project.root),
      subject: "",
      branch: null,
      predecessors: [],
      isOwn: true,
      files: [...files],
    },
    signal,
  );
  return ranges.sort((a, b) => a.firstLine - b.firstLine);
}

/** Describes the authors of ranges; ranges that differ only in their lines share the object. */
function createAuthorDescriber(memory: Memory): (range: AttributionRecord) => LineAuthor {
  const described = new Map<string, LineAuthor>();
  const ofRange = new Map<AttributionRecord, LineAuthor>();
  const sessions = new Map<string, { title: string | null; agent: string } | null>();
  const findSessionCached = (uid: string) => {
    let session = sessions.get(uid);
    if (session === undefined) {
      session = findSessionByUid(memory, uid);
      sessions.set(uid, session);
    }
    return session;
  };
  return (range) => {
    const known = ofRange.get(range);
    if (known) return known;
    const { path: _, firstLine, lastLine, ...claim } = range;
    const key = JSON.stringify(claim);
    let author = described.get(key);
    if (author === undefined) {
      const session = range.sessionUid === null ? null : findSessionCached(range.sessionUid);
      author = {
        author: range.author,
        session_id: range.sessionUid,
        session_title: session?.title ?? null,
        agent: session?.agent ?? null,
        model: range.model,
        turn: range.turn,
        tool_use: range.toolUse,
        confidence: range.confidence,
        how: range.how,
        basis: range.basis ?? null,
        said_by: range.author === "unknown" ? null : range.how === "note" ? "note" : "pommel",
        hint: null,
      };
      described.set(key, author);
    }
    ofRange.set(range, author);
    return author;
  };
}
