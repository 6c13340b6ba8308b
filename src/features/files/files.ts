import { computeShares, makeOnceFilter, readAuthoredTimes } from "../../answers/shares.ts";
import { openCommitFates } from "../../attribution/commit-fates.ts";
import type { Survival } from "../../attribution/survival.ts";
import { PommelError } from "../../base/errors.ts";
import { getOrCreate } from "../../base/multimap.ts";
import type { Project } from "../../base/paths.ts";
import { formatIsoTime } from "../../base/text/iso-time.ts";
import { GitFailure } from "../../git/git.ts";
import { listCommits } from "../../git/history/history.ts";
import { listWorkingFiles } from "../../git/working-files.ts";
import { addShare, makeEmptyShare, sumByEntry } from "../../protocol/reading/sum-shares.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import { findCheckpointOfCommit } from "../../store/memory/commits/checkpoints.ts";
import type { LinesOfAgents } from "../../store/memory/commits/commits.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { findSessionByUid } from "../../store/memory/sessions/sessions.ts";
import type {
  DirectoryAnswer,
  DirectoryEntry,
  DirectoryRequest,
  FilesAnswer,
  filesRequest,
} from "./operation.ts";
import { scorePathMatch } from "./path-match.ts";

const defaultLimit = 20;

/** Finds files by letters of their paths, as editors do: those whose names begin with them first. @throws GitFailure */
export async function findFiles(
  { root }: Project,
  { q, limit = defaultLimit }: Shaped<typeof filesRequest>,
  signal?: AbortSignal,
): Promise<FilesAnswer> {
  const letters = q.trim().toLowerCase().replace(/\s+/g, "");
  const found = (await listWorkingFiles(root, signal)).flatMap((path) => {
    const score = scorePathMatch(letters, path);
    return score === null ? [] : [{ path, score }];
  });
  found.sort((a, b) => b.score - a.score || a.path.length - b.path.length || (a.path < b.path ? -1 : 1));
  return { files: found.slice(0, limit).map(({ path }) => path), total: found.length };
}

/** Commits that are looked through for the last change of each entry. */
const maxCommits = 3000;

/**
 * What lies in a directory, who wrote it, and what changed it last.
 * @param memory null: there is no memory
 * @throws PommelError `not_found`; GitFailure without a repository
 */
export async function describeDirectory(
  project: Project,
  memory: Memory | null,
  { path: given = "", surviving = false }: DirectoryRequest,
  signal?: AbortSignal,
): Promise<DirectoryAnswer> {
  const path = given.replace(/^(?:\.\/)+|^\.$|^\/+|\/+$/g, "");
  const prefix = path === "" ? "" : `${path}/`;
  const entries = new Map<string, DirectoryEntry>();
  const files = await listWorkingFiles(project.root, signal);
  for (const file of files) {
    if (!file.startsWith(prefix)) continue;
    const [name = "", ...deeper] = file.slice(prefix.length).split("/");
    const made = {
      name,
      path: prefix + name,
      is_directory: deeper.length > 0,
      files: 0,
      share: makeEmptyShare(),
      surviving: null,
      changed: null,
    };
    getOrCreate(entries, name, () => made).files++;
  }
  if (entries.size === 0 && path !== "") {
    throw new PommelError("not_found", `No directory ${path} here.`, "Paths are from the project's root.");
  }
  const stats = await computeShares(project, memory, { files: true }, signal);
  const total = makeEmptyShare();
  for (const one of sumByEntry(stats.by_file ?? [], prefix)) {
    const name = one.path.slice(prefix.length).replace(/\/$/, "");
    const { path: _, ...share } = one;
    const known = entries.get(name);
    if (known) known.share = share;
    addShare(total, share);
  }
  let left: SurvivingLines = null;
  if (surviving && memory !== null) {
    const history = await readAuthoredTimes(project.root, signal);
    const once = makeOnceFilter(memory);
    const counts = (commit: LinesOfAgents) =>
      (history instanceof GitFailure || history.has(commit.hash)) && once(commit);
    for (const [file, one] of openCommitFates(project.root, memory).countAgentLinesLeft(
      new Set(files),
      counts,
    )) {
      if (!file.startsWith(prefix)) continue;
      const known = entries.get(file.slice(prefix.length).split("/", 1)[0]!);
      if (known) known.surviving = addSurvival(known.surviving, one);
      left = addSurvival(left, one);
    }
  }
  await findLastChanges(project.root, prefix, entries, memory, signal);
  return {
    path,
    entries: [...entries.values()].sort(compareByKindAndName),
    share: total,
    surviving: left,
    notes: stats.notes,
  };
}

type SurvivingLines = DirectoryAnswer["surviving"];

const addSurvival = (sum: SurvivingLines, { added, surviving }: Survival): SurvivingLines => ({
  added: (sum?.added ?? 0) + added,
  left: (sum?.left ?? 0) + surviving,
});

const compareByKindAndName = (a: DirectoryEntry, b: DirectoryEntry) =>
  Number(b.is_directory) - Number(a.is_directory) || a.name.localeCompare(b.name, "en");

/** Goes back in history until every entry was changed. */
async function findLastChanges(
  root: string,
  prefix: string,
  entries: ReadonlyMap<string, DirectoryEntry>,
  memory: Memory | null,
  signal?: AbortSignal,
): Promise<void> {
  const left = new Set(entries.keys());
  try {
    for await (const { hash, author, authoredAt, message, files } of listCommits(root, {
      limit: maxCommits,
      signal,
    })) {
      for (const file of files) {
        if (!file.startsWith(prefix)) continue;
        const [name = ""] = file.slice(prefix.length).split("/", 1);
        if (!left.delete(name)) continue;
        const session = memory === null ? undefined : findCheckpointOfCommit(memory, hash)?.sessions[0];
        entries.get(name)!.changed = {
          hash,
          subject: message.split("\n", 1)[0] ?? "",
          person: author,
          authored_at: formatIsoTime(authoredAt),
          session_title:
            session === undefined ? null : (findSessionByUid(memory!, session.sessionUid)?.title ?? null),
        };
      }
      if (left.size === 0) return;
    }
  } catch (error) {
    // Before the first commit nothing was changed yet.
    if (!(error instanceof GitFailure) || error.isBroken) throw error;
  }
}
