import { createHash } from "node:crypto";
import type { CommitInfo } from "../../git/diff/changes-types.ts";
import { GitFailure, readGitTextIfAny } from "../../git/git.ts";
import { readCommits } from "../../git/history/commits.ts";
import { isValidAs } from "../../protocol/outside.ts";
import { listCommitsByPatch, listCommitsLike } from "../../store/memory/commits/commits.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type {
  Binding,
  CommitFileRecord,
  CommitRecord,
  CommitSeen,
} from "../../store/memory/memory-records.ts";
import { findSessionByUid } from "../../store/memory/sessions/sessions.ts";
import { readForeignNotes } from "../foreign/foreign-notes.ts";
import type { GitWork } from "./work.ts";

/** Subjects are cut here. Characters. */
const maxSubjectLength = 300;

/**
 * A commit as git has it; null where it does not.
 * @param hash whole
 * @throws GitFailure `not_installed`; the signal's reason
 */
export async function readCommitInfo(
  dir: string,
  hash: string,
  signal?: AbortSignal,
): Promise<CommitInfo | null> {
  if (!isValidAs("commit", hash)) return null;
  try {
    for await (const info of readCommits(dir, ["--no-walk", hash], { limit: 1, signal })) {
      if (info.hash === hash) return info;
    }
  } catch (error) {
    if (!(error instanceof GitFailure) || error.reason === "not_installed") throw error;
  }
  return null;
}

/** The first paragraph of a message in one line, as git shows it; "" where there is none. */
export function extractSubject(message: string): string {
  const [paragraph = ""] = message.trim().split(/\n\s*\n/, 1);
  const line = paragraph.replace(/\s+/g, " ").trim();
  return line.length <= maxSubjectLength ? line : `${line.slice(0, maxSubjectLength - 1)}…`;
}

/** What was done to HEAD here, and by whom. */
interface MovesHere {
  /** Of who works here. Lower case. */
  emails: ReadonlySet<string>;
  /** Hashes of commits that took the place of others, and may hold what was written after these. */
  amended: ReadonlySet<string>;
}

const moves = new WeakMap<GitWork, Promise<MovesHere>>();

function movesHere(work: GitWork): Promise<MovesHere> {
  const known = moves.get(work) ?? readMoves(work);
  moves.set(work, known);
  return known;
}

/** Whether a commit was made on this machine by who works here: its author, and how it came to be known. */
export async function isMadeHere(
  work: GitWork,
  { authorEmail }: CommitInfo,
  seen: CommitSeen,
): Promise<boolean> {
  if (seen !== "hook" && seen !== "reflog") return false;
  return (await movesHere(work)).emails.has(authorEmail.toLowerCase());
}

/** Whether git noted here that a commit was amended, or put together of several: its author's date is that of the first. */
export const wasAmended = async (
  work: GitWork,
  { hash, authoredAt, committedAt }: CommitInfo,
): Promise<boolean> => committedAt > authoredAt && (await movesHere(work)).amended.has(hash);

/** Moves of HEAD that are looked at, the latest first. */
const maxMoves = 1000;

const amending = /^(?:commit \(amend\)|rebase(?: -i)? \((?:squash|fixup|edit|reword|continue)\))/;

/**
 * Who works here: the author of a commit made now, and whoever moved HEAD. Environment variables may name an identity
 * (direnv, dev containers) that this process does not see; git notes it in the reflog.
 */
async function readMoves({ project, roots }: GitWork): Promise<MovesHere> {
  const author = await readGitTextIfAny(project.root, ["var", "GIT_AUTHOR_IDENT"]);
  const emails = [/<([^<>]*)> \d+ [+-]\d+$/.exec(author ?? "")?.[1]];
  const amended = new Set<string>();
  for (const root of roots) {
    const args = ["log", "--walk-reflogs", "--no-show-signature", "--no-color", `--max-count=${maxMoves}`];
    const text = await readGitTextIfAny(root, [...args, "--format=%H %ge%x09%gs", "HEAD", "--"]);
    for (const line of (text ?? "").split("\n")) {
      const [, hash = "", email = "", action = ""] = /^(\S+) ([^\t]*)\t(.*)$/.exec(line) ?? [];
      emails.push(email);
      if (amending.test(action)) amended.add(hash);
    }
  }
  return { emails: new Set(emails.flatMap((email) => email?.toLowerCase() || [])), amended };
}

/** The id of a commit's checkpoint, the same on every machine: twelve hexadecimal digits. */
export function makeCheckpointUid(hash: string): string {
  return createHash("sha256").update(`pommel checkpoint ${hash}`).digest("hex").slice(0, 12);
}

/** More say nothing new. */
const maxPredecessorHashes = 100;

/**
 * Hashes of commits whose authors a commit may have inherited: those that git reports as replaced, stored ones with the
 * same patch (a rebase, a cherry-pick), and stored ones of the same author, time and subject (an amend without a hook).
 * The latter two must have existed before.
 */
export function findPredecessors(
  memory: Memory,
  commit: Pick<
    CommitRecord,
    "hash" | "author" | "authoredAt" | "committedAt" | "subject" | "patchId" | "rewrittenFrom"
  >,
): string[] {
  const alike = [
    ...(commit.patchId === null ? [] : listCommitsByPatch(memory, commit.patchId)),
    ...listCommitsLike(memory, commit),
  ].filter(({ committedAt, attributed }) => attributed > 0 && committedAt <= commit.committedAt);
  const hashes = new Set([...commit.rewrittenFrom, ...alike.map(({ hash }) => hash)]);
  hashes.delete(commit.hash);
  return [...hashes].slice(0, maxPredecessorHashes);
}

/** Another tool's word in a commit's message that it knows the sessions. */
const trailer = /^Entire-Checkpoint:/m;
/** How sure it is that a session led to a commit that another tool names it in: where it was at work shortly before, and else. */
const trailerConfidence = { atWork: 0.8, earlier: 0.5 } as const;
const atWorkMs = 60 * 60_000;
/** Two clocks. Milliseconds. */
const clockMs = 5 * 60_000;

/**
 * The stored sessions that another tool names as the source of a commit. Only used without evidence of our own, as
 * anybody may have written those names.
 */
export async function findSessionsNamedByTools(
  { project, memory, trustsTrailers = true }: GitWork,
  { hash, message, authoredAt }: CommitInfo,
  signal?: AbortSignal,
): Promise<Binding[]> {
  if (!trustsTrailers || !trailer.test(message)) return [];
  try {
    const notes = await readForeignNotes(project.root, [hash], signal);
    return (notes.get(hash)?.sessions ?? []).flatMap((sessionUid) => {
      const session = findSessionByUid(memory, sessionUid);
      if (session === null) return [];
      const { startedAt, lastAt } = session;
      // A tool may name every session that it has not put into a commit yet, days later.
      const isAtWork =
        (startedAt ?? 0) <= authoredAt + clockMs && (lastAt ?? startedAt ?? 0) >= authoredAt - atWorkMs;
      const confidence = isAtWork ? trailerConfidence.atWork : trailerConfidence.earlier;
      return [{ sessionUid, turns: [], lines: 0, how: "trailer" as const, confidence }];
    });
  } catch (error) {
    if (!(error instanceof GitFailure)) throw error;
    return [];
  }
}

/** Files that are named before the rest is counted. */
const maxNamedFiles = 3;

/** A commit's changes in a line: "3 files, +120 -14: src/a.ts (+80 -2), src/b.ts (+40 -12), logo.png". */
export function formatDiffSummary(files: readonly Omit<CommitFileRecord, "added" | "oldPath">[]): string {
  if (files.length === 0) return "no files";
  const sum = (of: (file: (typeof files)[number]) => number) =>
    files.reduce((total, file) => total + of(file), 0);
  const most = [...files]
    .sort((a, b) => countChangedLines(b) - countChangedLines(a) || a.path.localeCompare(b.path))
    .slice(0, maxNamedFiles);
  const names = most.map((file) => {
    const change =
      countChangedLines(file) === 0 ? "" : ` (${formatInsertionsDeletions(file.insertions, file.deletions)})`;
    return `${file.path}${change}`;
  });
  const rest = files.length - most.length;
  const total = formatInsertionsDeletions(
    sum(({ insertions }) => insertions),
    sum(({ deletions }) => deletions),
  );
  const count = `${files.length} ${files.length === 1 ? "file" : "files"}`;
  return `${count}, ${total}: ${names.join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
}

const countChangedLines = ({ insertions, deletions }: { insertions: number; deletions: number }) =>
  insertions + deletions;

const formatInsertionsDeletions = (insertions: number, deletions: number) => `+${insertions} -${deletions}`;
