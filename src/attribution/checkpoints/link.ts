import { GitFailure, readGitBytes } from "../../git/git.ts";
import { splitLines } from "../../git/output-lines.ts";
import { listCheckpointPlaces, saveParents } from "../../store/memory/commits/checkpoints.ts";
import type { CheckpointRecord } from "../../store/memory/memory-records.ts";
import type { GitWork } from "./work.ts";

/**
 * The order of checkpoints: before each one comes the nearest one along its commit's first parents; without one, the
 * latest of all its ancestors. Only part of history is searched; if that finds nothing, the known order stays.
 */

/** Commits of history that are searched for one checkpoint, and for all of them. */
const maxCommitsForOne = 5000;
const maxCommitsForAll = 100_000;

/** Parents by commit, the commits as git lists them: the latest first. */
type Graph = Map<string, { place: number; parents: string[] }>;

/** A checkpoint that came to be known: which one is before it, and before which ones it is itself. */
export async function linkCheckpoint(
  work: GitWork,
  { uid, commit }: CheckpointRecord,
  signal?: AbortSignal,
): Promise<void> {
  const later = listCheckpointPlaces(work.memory, commit.committedAt).filter((place) => place.uid !== uid);
  const own = { uid, hash: commit.hash };
  await link(work, [own, ...later], maxCommitsForOne, signal);
}

/** Links all checkpoints, after many commits were recorded. */
export async function linkCheckpoints(work: GitWork, signal?: AbortSignal): Promise<void> {
  await link(work, listCheckpointPlaces(work.memory), maxCommitsForAll, signal);
}

async function link(
  work: GitWork,
  children: readonly { uid: string; hash: string }[],
  most: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { memory, project, log } = work;
  const uids = new Map(listCheckpointPlaces(memory).map(({ uid, hash }) => [hash, uid]));
  if (uids.size < 2) return;
  try {
    const graph = await readGraph(
      project.root,
      children.map(({ hash }) => hash),
      most,
      signal,
    );
    const parents = new Map<string, string | null>();
    const known: SearchedCommits = { first: new Map(), barren: new Set() };
    for (const { uid, hash } of children) {
      const parent = findNearestCheckpointBefore(graph, hash, (commit) => uids.has(commit), known);
      if (parent !== undefined) parents.set(uid, parent === null ? null : uids.get(parent)!);
    }
    saveParents(memory, parents);
  } catch (error) {
    if (!(error instanceof GitFailure)) throw error;
    log.warn(`Cannot determine the order of checkpoints: ${error.message}`);
  }
}

async function readGraph(
  dir: string,
  hashes: readonly string[],
  most: number,
  signal: AbortSignal | undefined,
): Promise<Graph> {
  const graph: Graph = new Map();
  const args = ["rev-list", "--parents", `--max-count=${most}`, "--ignore-missing", "--stdin"];
  const stdin = hashes.map((hash) => `${hash}\n`);
  for await (const lines of splitLines(readGitBytes(dir, args, { signal, stdin }))) {
    for (const line of lines) {
      const [hash, ...parents] = line.trimEnd().split(" ");
      if (hash) graph.set(hash, { place: graph.size, parents });
    }
  }
  return graph;
}

/** Results of the search through the graph so far. */
interface SearchedCommits {
  /** The checkpoint that first parents lead to, by commit; as `findAlongFirstParents`. */
  first: Map<string, string | null | undefined>;
  /** Commits that have no checkpoint, nor any among their ancestors. */
  barren: Set<string>;
}

/** @returns null: there is none; undefined: too little history was read to decide */
export function findNearestCheckpointBefore(
  graph: Graph,
  hash: string,
  isCheckpoint: (hash: string) => boolean,
  known: SearchedCommits = { first: new Map(), barren: new Set() },
): string | null | undefined {
  if (!graph.has(hash)) return undefined;
  return (
    findAlongFirstParents(graph, hash, isCheckpoint, known) ??
    findLatestBefore(graph, hash, isCheckpoint, known)
  );
}

function findAlongFirstParents(
  graph: Graph,
  hash: string,
  isCheckpoint: (hash: string) => boolean,
  { first }: SearchedCommits,
): string | null | undefined {
  const passed: string[] = [];
  let found: string | null | undefined;
  for (let at = hash; ; ) {
    if (first.has(at)) {
      found = first.get(at);
      break;
    }
    passed.push(at);
    const node = graph.get(at);
    const parent = node?.parents[0];
    if (parent === undefined) {
      found = node === undefined ? undefined : null;
      break;
    }
    if (isCheckpoint(parent)) {
      found = parent;
      break;
    }
    at = parent;
  }
  for (const commit of passed) first.set(commit, found);
  return found;
}

/** Walks a commit's ancestors, the latest first. */
function findLatestBefore(
  graph: Graph,
  hash: string,
  isCheckpoint: (hash: string) => boolean,
  { barren }: SearchedCommits,
): string | null | undefined {
  const seen = new Set([hash]);
  const waiting = [...graph.get(hash)!.parents];
  let isCutOff = false;
  const rankCommitInGraph = (commit: string) => graph.get(commit)?.place ?? Number.POSITIVE_INFINITY;
  while (waiting.length > 0) {
    // There are never many: as many as history has branches side by side.
    let latest = 0;
    for (let i = 1; i < waiting.length; i++) {
      if (rankCommitInGraph(waiting[i]!) < rankCommitInGraph(waiting[latest]!)) latest = i;
    }
    const [at] = waiting.splice(latest, 1) as [string];
    if (seen.has(at) || barren.has(at)) continue;
    if (isCheckpoint(at)) return at;
    seen.add(at);
    const node = graph.get(at);
    if (node === undefined) isCutOff = true;
    else waiting.push(...node.parents);
  }
  if (isCutOff) return undefined;
  seen.delete(hash);
  for (const commit of seen) barren.add(commit);
  return null;
}
