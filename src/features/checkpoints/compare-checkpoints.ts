import { resolveCommit } from "../../answers/named-commit.ts";
import { PommelError } from "../../base/errors.ts";
import type { Project } from "../../base/paths.ts";
import { shortenHash } from "../../base/text/short-hash.ts";
import { readGitBytes, readGitFields } from "../../git/git.ts";
import { findCommitHash } from "../../git/history/history.ts";
import { splitLines } from "../../git/output-lines.ts";
import { readTurnPrompts } from "../../sessions/turn-prompts.ts";
import { findCheckpointOfCommit, listCheckpointPlaces } from "../../store/memory/commits/checkpoints.ts";
import { findCommitByHash } from "../../store/memory/commits/commits.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { CheckpointRecord } from "../../store/memory/memory-records.ts";
import { findSessionByUid } from "../../store/memory/sessions/sessions.ts";
import type { ComparedSide, DiffAnswer, FileDifference } from "./operation.ts";

/** Maximum number of commits between two checkpoints; sessions that led to any beyond it are left out. */
const maxBetween = 20_000;

/**
 * Compares the trees of two checkpoints or commits, and lists the sessions that led from one to the other.
 * @throws PommelError as `resolveCommit`, `not_found` also if git lacks one of them
 */
export async function diffCheckpoints(
  project: Project,
  memory: Memory,
  names: { from: string; to: string },
): Promise<DiffAnswer> {
  const from = await resolveCommitHere(project, memory, names.from);
  const to = await resolveCommitHere(project, memory, names.to);
  const files = await readDifferences(project.root, from.commit, to.commit);
  const sum = (of: (file: FileDifference) => number | null) =>
    files.reduce((total, file) => total + (of(file) ?? 0), 0);
  const between = await listCheckpointsBetween(project.root, memory, from.commit, to.commit);
  return {
    from: toComparedSide(memory, from),
    to: toComparedSide(memory, to),
    files,
    insertions: sum(({ insertions }) => insertions),
    deletions: sum(({ deletions }) => deletions),
    sessions: [
      ...listSessionsBetween(memory, between.from, "from"),
      ...listSessionsBetween(memory, between.to, "to"),
    ],
  };
}

async function resolveCommitHere(project: Project, memory: Memory, name: string) {
  const found = await resolveCommit(project, memory, name);
  if ((await findCommitHash(project.root, found.commit)) !== null) return found;
  throw new PommelError(
    "not_found",
    `Commit ${shortenHash(found.commit)} is not in this repository.`,
    "It may be on another machine or garbage-collected: try `git fetch`.",
  );
}

function toComparedSide(
  memory: Memory,
  { commit, checkpoint }: { commit: string; checkpoint: CheckpointRecord | null },
): ComparedSide {
  return {
    id: checkpoint?.id ?? null,
    commit,
    subject: checkpoint?.commit.subject ?? findCommitByHash(memory, commit)?.subject ?? null,
  };
}

const inProject = ["--relative", "--no-ext-diff", "--no-textconv", "-M"];

/** git's own output: `--stat`, or the whole difference. */
export function streamGitDiff(
  project: Project,
  { from, to }: { from: string; to: string },
  { patch, color, columns }: { patch: boolean; color: boolean; columns: number },
): AsyncGenerator<Buffer, void, undefined> {
  const shown = patch ? ["--patch"] : [`--stat=${columns}`];
  const args = ["diff", ...inProject, `--color=${color ? "always" : "never"}`, ...shown, from, to, "--"];
  return readGitBytes(project.root, args);
}

/** `1\t2\tpath`, for a rename `1\t2\t` and both names after it; `-` for binary files. */
async function readDifferences(dir: string, from: string, to: string): Promise<FileDifference[]> {
  const files: FileDifference[] = [];
  const fields = readGitFields(dir, ["diff", ...inProject, "--numstat", "-z", from, to, "--"]);
  for await (const field of fields) {
    const [, insertions = "", deletions = "", path = ""] = /^(-|\d+)\t(-|\d+)\t(.*)$/s.exec(field) ?? [];
    const oldPath: string | null = path === "" ? ((await fields.next()).value ?? null) : null;
    files.push({
      path: path === "" ? ((await fields.next()).value ?? "") : path,
      old_path: oldPath,
      insertions: insertions === "-" ? null : Number(insertions),
      deletions: deletions === "-" ? null : Number(deletions),
    });
  }
  return files;
}

/** Checkpoints that one side has and the other has not, the latest first. */
async function listCheckpointsBetween(
  dir: string,
  memory: Memory,
  from: string,
  to: string,
): Promise<Record<"from" | "to", CheckpointRecord[]>> {
  const between: Record<"from" | "to", CheckpointRecord[]> = { from: [], to: [] };
  const known = new Set(listCheckpointPlaces(memory).map(({ hash }) => hash));
  const args = ["rev-list", "--left-right", `--max-count=${maxBetween}`, `${from}...${to}`, "--"];
  for await (const lines of splitLines(readGitBytes(dir, args))) {
    for (const line of lines) {
      const hash = line.slice(1);
      const checkpoint = known.has(hash) ? findCheckpointOfCommit(memory, hash) : null;
      if (checkpoint !== null) between[line.startsWith("<") ? "from" : "to"].push(checkpoint);
    }
  }
  return between;
}

function listSessionsBetween(
  memory: Memory,
  checkpoints: readonly CheckpointRecord[],
  side: "from" | "to",
): DiffAnswer["sessions"] {
  const bySession = new Map<string, { checkpoints: string[]; turns: Set<number> }>();
  for (const { id, sessions } of checkpoints) {
    for (const { sessionUid, turns } of sessions) {
      const known = bySession.get(sessionUid) ?? { checkpoints: [], turns: new Set() };
      known.checkpoints.push(id);
      for (const turn of turns) known.turns.add(turn);
      bySession.set(sessionUid, known);
    }
  }
  return [...bySession].map(([uid, { checkpoints, turns }]) => ({
    session_id: uid,
    title: findSessionByUid(memory, uid)?.title ?? null,
    side,
    checkpoints,
    turns: readTurnPrompts(
      memory,
      uid,
      [...turns].sort((a, b) => a - b),
    ),
  }));
}
