import { PommelError } from "../base/errors.ts";
import type { Project } from "../base/paths.ts";
import { shortenHash } from "../base/text/short-hash.ts";
import { readCommits } from "../git/history/commits.ts";
import { findCommitHash, findHistoryProblem, isShallow } from "../git/history/history.ts";
import { findCheckpoint, findCheckpointOfCommit } from "../store/memory/commits/checkpoints.ts";
import { readAttributedVersions } from "../store/memory/commits/commits.ts";
import type { Memory } from "../store/memory/memory.ts";
import type { CheckpointRecord } from "../store/memory/memory-records.ts";
import { analyseFor } from "./analyse.ts";

/**
 * The checkpoint that a person means: its id, its commit's hash, a beginning of either that no other has, or what git
 * takes for a commit (`HEAD~2`, a branch, a tag).
 * @throws PommelError `not_found`; `usage` for a beginning that several have
 */
export async function resolveCheckpoint(
  project: Project,
  memory: Memory,
  name: string,
): Promise<CheckpointRecord> {
  const { commit, checkpoint } = await resolveCommit(project, memory, name);
  if (checkpoint !== null) return checkpoint;
  throw new PommelError(
    "not_found",
    `No recorded session led to commit ${shortenHash(commit)}.`,
    "`pm checkpoint backfill` analyses past commits; `pm checkpoint rewind` works with any commit.",
  );
}

/** The hash of what git takes for a commit. @throws PommelError `not_found` */
export async function findNamedCommit(root: string, name: string): Promise<string> {
  const hash = await findCommitHash(root, name);
  if (hash !== null) return hash;
  throw new PommelError("not_found", `No commit ${JSON.stringify(name)}.`, "git log --oneline lists them.");
}

/** Both ends of `main..HEAD` or `main...HEAD`; an end that is left out is HEAD. null: this is no range. */
export function splitRange(range: string): [from: string, to: string] | null {
  const ends = /^(.*?)\.{2,3}(.*)$/s.exec(range);
  return ends && [ends[1] || "HEAD", ends[2] || "HEAD"];
}

/** As `resolveCheckpoint`, also of commits that have none. */
export async function resolveCommit(
  project: Project,
  memory: Memory,
  name: string,
): Promise<{ commit: string; checkpoint: CheckpointRecord | null }> {
  try {
    const checkpoint = findCheckpoint(memory, name);
    return { commit: checkpoint.commit.hash, checkpoint };
  } catch (error) {
    if (!(error instanceof PommelError) || error.code !== "not_found") throw error;
  }
  const commit = await findCommitHash(project.root, name);
  if (commit !== null) {
    if (!readAttributedVersions(memory, [commit]).get(commit)) {
      const analyse = analyseFor(project, memory);
      for await (const info of readCommits(project.root, [commit, "--no-walk"])) await analyse([info]);
    }
    return { commit, checkpoint: findCheckpointOfCommit(memory, commit) };
  }
  const problem = await findHistoryProblem(project.root);
  if (problem?.isBroken) throw problem;
  throw new PommelError(
    "not_found",
    `No checkpoint or commit ${JSON.stringify(name)}.`,
    (await isShallow(project.root).catch(() => false))
      ? "This clone is shallow: `git fetch --unshallow` fetches the rest."
      : "`pm checkpoint list` and `git log --oneline` list them.",
  );
}
