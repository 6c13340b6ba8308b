import { withMemoryIfAny } from "../../answers/open.ts";
import { gitAiRef, readAuthorshipLog } from "../../attribution/foreign/git-ai.ts";
import type { AttributedLines } from "../../attribution/foreign/types.ts";
import { loadConfig } from "../../base/config/config.ts";
import { addTo } from "../../base/multimap.ts";
import type { Project } from "../../base/paths.ts";
import { blameFile } from "../../git/diff/blame.ts";
import { findPlaceInRepository, streamChangedFiles, type WhatChanged } from "../../git/diff/changes.ts";
import type { BlamedLine, ChangedHunk } from "../../git/diff/changes-types.ts";
import { GitFailure, readGitText } from "../../git/git.ts";
import { listGitNotes } from "../../git/notes.ts";
import { type ReadObjects, withObjects } from "../../git/objects.ts";
import {
  findRangeAtLine,
  formatCommitPathKey,
  listAttributions,
} from "../../store/memory/commits/attributions.ts";
import { findCommitByHash } from "../../store/memory/commits/commits.ts";
import { findSessionByUid } from "../../store/memory/sessions/sessions.ts";
import { buildItemPath } from "../../sync/branch/manifest.ts";
import { decode } from "../../sync/branch/shared-file.ts";
import { remoteRef } from "../../sync/remote.ts";

/** Larger files and notes are left out. Bytes. */
const maxBytes = 5_000_000;

type AuthorsByPath = Map<string, AttributedLines[]>;

/**
 * Who wrote the lines of commits, from all there is without a daemon: this memory, the branch of the shared memory if it is
 * not encrypted, notes of Git AI. The first one counts that knows an author of any line. Paths are from the top of the repository.
 * @param project initialised or not
 */
async function readRecordedAuthors(
  project: Project,
  top: string,
  hashes: readonly string[],
  signal?: AbortSignal,
): Promise<AuthorsByPath> {
  const { prefix } = await findPlaceInRepository(project.root, signal);
  const sources: AuthorsByPath[] = [await readFromMemory(project, prefix, hashes)];
  await withObjects(top, { maxBytes, type: "blob", signal }, async (read) => {
    const branch = loadConfig(project).config["sync.branch"];
    sources.push(await readFromBranch(read, await listMemoryRefs(top, branch, signal), prefix, hashes));
    sources.push(await readFromNotes(read, top, hashes));
  });
  const commits: AuthorsByPath = new Map();
  for (const hash of hashes) {
    const known = sources
      .map((found) => found.get(hash) ?? [])
      .find((lines) => lines.some(({ author }) => author !== "unknown"));
    if (known !== undefined) commits.set(hash, known);
  }
  return commits;
}

const toPrefixedLines = (
  prefix: string,
  path: string,
  { first, last, author, session, model, tool_use }: SharedRange,
  tool: string | null,
): AttributedLines => ({
  path: prefix + path,
  first,
  last,
  author,
  session,
  model,
  tool,
  call: tool_use,
  person: null,
});

/** A range as the shared memory and ours have it. */
interface SharedRange extends Pick<AttributedLines, "first" | "last" | "author" | "session" | "model"> {
  tool_use: string | null;
}

function readFromMemory(project: Project, prefix: string, hashes: readonly string[]): Promise<AuthorsByPath> {
  return withMemoryIfAny(project, (memory) => {
    const found: AuthorsByPath = new Map();
    for (const hash of memory === null ? [] : hashes) {
      const commit = findCommitByHash(memory!, hash);
      if (commit === null) continue;
      const lines = listAttributions(memory!, commit.id).map(({ path, sessionUid, toolUse, ...range }) =>
        toPrefixedLines(
          prefix,
          path,
          { ...range, first: range.firstLine, last: range.lastLine, session: sessionUid, tool_use: toolUse },
          sessionUid === null ? null : (findSessionByUid(memory!, sessionUid)?.agent ?? null),
        ),
      );
      found.set(hash, lines);
    }
    return found;
  });
}

/** Every ref that may be the shared memory: ours, and what was fetched of others'. */
async function listMemoryRefs(top: string, branch: string, signal?: AbortSignal): Promise<string[]> {
  const patterns = [remoteRef, `refs/remotes/*/${branch}`, `refs/heads/${branch}`];
  const refs = await readGitText(top, ["for-each-ref", "--format=%(refname)", ...patterns], signal);
  return refs.split("\n").filter((ref) => ref !== "");
}

async function readFromBranch(
  read: ReadObjects,
  refs: readonly string[],
  prefix: string,
  hashes: readonly string[],
): Promise<AuthorsByPath> {
  const found: AuthorsByPath = new Map();
  for (const ref of refs) {
    const missing = hashes.filter((hash) => !found.has(hash));
    const nameAttributionObject = (id: string) =>
      `${ref}:${buildItemPath({ kind: "attribution", id, part: "whole" })}`;
    const files = await read(missing.map(nameAttributionObject));
    const records = missing.flatMap((hash) => {
      const text = files.get(nameAttributionObject(hash))?.toString();
      const record = text === undefined ? null : decode("attribution", text).record;
      return record?.commit.hash === hash ? [record] : [];
    });
    const ranges = records.flatMap(({ files }) => Object.values(files).flat());
    const agents = await readAgentsOnBranch(read, ref, [
      ...new Set(ranges.flatMap(({ session }) => session ?? [])),
    ]);
    for (const { commit, files } of records) {
      const lines = Object.entries(files).flatMap(([path, ranges]) =>
        ranges.map((range) =>
          toPrefixedLines(
            prefix,
            path,
            range,
            range.session === null ? null : (agents.get(range.session) ?? null),
          ),
        ),
      );
      found.set(commit.hash, lines);
    }
  }
  return found;
}

/** The agents of sessions on the branch, by the session. */
async function readAgentsOnBranch(
  read: ReadObjects,
  ref: string,
  uids: readonly string[],
): Promise<Map<string, string>> {
  const nameSessionObject = (id: string) => `${ref}:${buildItemPath({ kind: "session", id, part: "meta" })}`;
  const files = await read(uids.map(nameSessionObject));
  return new Map(
    uids.flatMap((uid): [string, string][] => {
      const text = files.get(nameSessionObject(uid))?.toString();
      const record = text === undefined ? null : decode("meta", text).record;
      return record === null ? [] : [[uid, record.agent]];
    }),
  );
}

async function readFromNotes(
  read: ReadObjects,
  top: string,
  hashes: readonly string[],
): Promise<AuthorsByPath> {
  const notes = await listGitNotes(top, `refs/${gitAiRef}`);
  const asked = hashes.flatMap((hash) => notes.get(hash) ?? []);
  const texts = await read(asked);
  return new Map(
    hashes.flatMap((hash): [string, AttributedLines[]][] => {
      const text = texts.get(notes.get(hash) ?? "");
      return text === undefined ? [] : [[hash, readAuthorshipLog(text.toString())]];
    }),
  );
}

/** A line and who wrote it; paths from the top of the repository. */
export interface AuthoredLine {
  path: string;
  line: number;
  /** null: nobody says. */
  by: AttributedLines | null;
}

/** A line of a file in one revision, to be looked up in another. */
interface SoughtLine {
  path: string;
  line: number;
  /** Its number in the revision that is asked; null: it is not there. */
  asked: number | null;
}

/**
 * Who wrote the lines that a commit added, according to the history of another one that it was made of: a line counts if the
 * diff between the two leaves it alone.
 * @throws GitFailure
 */
export async function findCarriedAuthors(
  project: Project,
  top: string,
  { from, to }: { from: string; to: string },
  signal?: AbortSignal,
): Promise<AuthoredLine[]> {
  const added = await listAddedLines(top, { commit: to }, signal);
  const paths = [...new Set(added.map(({ path }) => path))];
  const hunks = new Map<string, ChangedHunk[] | null>();
  for await (const file of streamChangedFiles(top, { from, to }, { paths, signal })) {
    // A file that is new, or was no text, is nowhere else.
    hunks.set(file.path, file.isText && file.status === "M" ? file.hunks : null);
  }
  const wanted = added.map((one) => ({ ...one, asked: findLineBefore(hunks.get(one.path), one.line) }));
  return findAuthorsAt(project, top, from, wanted, signal);
}

async function listAddedLines(top: string, what: WhatChanged, signal?: AbortSignal): Promise<SoughtLine[]> {
  const wanted: SoughtLine[] = [];
  for await (const { path, hunks } of streamChangedFiles(top, what, { signal })) {
    for (const { newStart, added } of hunks) {
      for (let i = 0; i < added.length; i++) wanted.push({ path, line: newStart + i, asked: newStart + i });
    }
  }
  return wanted;
}

/**
 * The number of a line before a change; null: the change added it.
 * @param hunks left out: the file is as it was; null: there is no such file
 */
function findLineBefore(hunks: readonly ChangedHunk[] | null | undefined, line: number): number | null {
  if (hunks === null) return null;
  let shift = 0;
  for (const { newStart, added, removed } of hunks ?? []) {
    if (line < newStart) break;
    if (line < newStart + added.length) return null;
    shift += removed.length - added.length;
  }
  return line + shift;
}

async function findAuthorsAt(
  project: Project,
  top: string,
  revision: string,
  wanted: readonly SoughtLine[],
  signal?: AbortSignal,
): Promise<AuthoredLine[]> {
  const asked = new Map<string, number[]>();
  for (const { path, asked: line } of wanted) {
    if (line === null) continue;
    addTo(asked, path, line);
  }
  const blamed = new Map<string, BlamedLine>();
  for (const [path, lines] of asked) {
    const found = await blameIfAny(top, path, { ranges: toRanges(lines), revision, signal });
    for (const line of found) blamed.set(`${path}:${line.line}`, line);
  }
  const hashes = [...new Set([...blamed.values()].flatMap(({ commit }) => commit ?? []))];
  const recorded = await readRecordedAuthors(project, top, hashes, signal);
  const ranges = new Map<string, { firstLine: number; lastLine: number; by: AttributedLines }[]>();
  for (const [hash, lines] of recorded) {
    for (const by of [...lines].sort((a, b) => a.first - b.first)) {
      const key = formatCommitPathKey({ hash, path: by.path });
      const range = { firstLine: by.first, lastLine: by.last, by };
      addTo(ranges, key, range);
    }
  }
  return wanted.map(({ path, line, asked }) => {
    const at = asked === null ? undefined : blamed.get(`${path}:${asked}`);
    const key = at?.commit ? formatCommitPathKey({ hash: at.commit, path: at.originalPath }) : "";
    return { path, line, by: findRangeAtLine(ranges.get(key) ?? [], at?.originalLine ?? 0)?.by ?? null };
  });
}

/** Nothing where git sees no text. */
async function blameIfAny(
  top: string,
  path: string,
  options: Parameters<typeof blameFile>[2],
): Promise<BlamedLine[]> {
  try {
    return (await blameFile(top, path, options)).lines;
  } catch (error) {
    if (!(error instanceof GitFailure) || error.isBroken) throw error;
    return [];
  }
}

/** Numbers in order, as ranges. */
function toRanges(lines: readonly number[]): [number, number][] {
  const found: [number, number][] = [];
  for (const line of lines) {
    const before = found.at(-1);
    if (before && before[1] === line - 1) before[1] = line;
    else found.push([line, line]);
  }
  return found;
}
