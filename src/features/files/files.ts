import { commitFatesOf } from "../../attribution/commit-fates.ts";
import type { Survival } from "../../attribution/survival.ts";
import { PommelError } from "../../base/errors.ts";
import { entry } from "../../base/multimap.ts";
import type { Project } from "../../base/paths.ts";
import { isoTime } from "../../base/text/iso-time.ts";
import { GitFailure } from "../../git/git.ts";
import { commitsOf } from "../../git/history/history.ts";
import { filesIn } from "../../git/working-files.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import { blameAuthors } from "../../protocol/values.ts";
import { checkpointOfCommit } from "../../store/memory/commits/checkpoints.ts";
import type { LinesOfAgents } from "../../store/memory/commits/commits.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { sessionByUid } from "../../store/memory/sessions/sessions.ts";
import type { Share, StatsAnswer } from "../stats/operation.ts";
import { countedOnce, historyOf, noLines, sharesOf } from "../stats/stats.ts";
import type {
  DirectoryAnswer,
  DirectoryEntry,
  DirectoryRequest,
  FilesAnswer,
  filesRequest,
} from "./operation.ts";

const listed = 20;

/** Finds files by letters of their paths, as editors do: those whose names begin with them first. @throws GitFailure */
export async function findFiles(
  { root }: Project,
  { q, limit = listed }: Shaped<typeof filesRequest>,
  signal?: AbortSignal,
): Promise<FilesAnswer> {
  const letters = q.trim().toLowerCase().replace(/\s+/g, "");
  const found = (await filesIn(root, signal)).flatMap((path) => {
    const score = fitOf(letters, path);
    return score === null ? [] : [{ path, score }];
  });
  found.sort((a, b) => b.score - a.score || a.path.length - b.path.length || (a.path < b.path ? -1 : 1));
  return { files: found.slice(0, limit).map(({ path }) => path), total: found.length };
}

/** How well a path fits letters that it has in their order: more is better; null: it has not. */
export function fitOf(letters: string, path: string): number | null {
  const lower = path.toLowerCase();
  const name = lower.slice(lower.lastIndexOf("/") + 1);
  if (name.startsWith(letters)) return 4;
  if (name.includes(letters)) return 3;
  if (lower.includes(letters)) return 2;
  let at = -1;
  let breaks = 0;
  for (const letter of letters) {
    const next = lower.indexOf(letter, at + 1);
    if (next === -1) return null;
    if (next !== at + 1) breaks++;
    at = next;
  }
  return 1 - breaks / (letters.length + 1);
}

/** Commits that are looked through for the last change of each entry. */
const maxCommits = 3000;

/**
 * What lies in a directory, who wrote it, and what changed it last.
 * @param memory null: there is no memory
 * @throws PommelError `not_found`; GitFailure without a repository
 */
export async function directoryOf(
  project: Project,
  memory: Memory | null,
  { path: given = "", surviving = false }: DirectoryRequest,
  signal?: AbortSignal,
): Promise<DirectoryAnswer> {
  const path = given.replace(/^(?:\.\/)+|^\.$|^\/+|\/+$/g, "");
  const prefix = path === "" ? "" : `${path}/`;
  const entries = new Map<string, DirectoryEntry>();
  const files = await filesIn(project.root, signal);
  for (const file of files) {
    if (!file.startsWith(prefix)) continue;
    const [name = "", ...deeper] = file.slice(prefix.length).split("/");
    const made = {
      name,
      path: prefix + name,
      is_directory: deeper.length > 0,
      files: 0,
      share: noLines(),
      surviving: null,
      changed: null,
    };
    entry(entries, name, () => made).files++;
  }
  if (entries.size === 0 && path !== "") {
    throw new PommelError("not_found", `No directory ${path} here.`, "Paths are from the project's root.");
  }
  const stats = await sharesOf(project, memory, { files: true }, signal);
  const total = noLines();
  for (const one of summedUp(stats.by_file ?? [], prefix)) {
    const name = one.path.slice(prefix.length).replace(/\/$/, "");
    const { path: _, ...share } = one;
    const known = entries.get(name);
    if (known) known.share = share;
    add(total, share);
  }
  let left: Surviving = null;
  if (surviving && memory !== null) {
    const history = await historyOf(project.root, signal);
    const once = countedOnce(memory);
    const counts = (commit: LinesOfAgents) =>
      (history instanceof GitFailure || history.has(commit.hash)) && once(commit);
    for (const [file, one] of commitFatesOf(project.root, memory).agentLinesLeft(new Set(files), counts)) {
      if (!file.startsWith(prefix)) continue;
      const known = entries.get(file.slice(prefix.length).split("/", 1)[0]!);
      if (known) known.surviving = plus(known.surviving, one);
      left = plus(left, one);
    }
  }
  await findLastChanges(project.root, prefix, entries, memory, signal);
  return {
    ...{ path, entries: [...entries.values()].sort(byKindAndName) },
    ...{ share: total, surviving: left, notes: stats.notes },
  };
}

type Surviving = DirectoryAnswer["surviving"];

const plus = (sum: Surviving, { added, surviving }: Survival): Surviving => ({
  added: (sum?.added ?? 0) + added,
  left: (sum?.left ?? 0) + surviving,
});

function add(sum: Share, share: Share): void {
  for (const key of ["lines", ...blameAuthors] as const) sum[key] += share[key];
}

export interface SharedEntry extends Share {
  /** A file, or with a slash at its end a directory. From the project's root. */
  path: string;
}

/** Files summed up by what lies directly in a directory; most lines first. */
export function summedUp(files: NonNullable<StatsAnswer["by_file"]>, prefix: string): SharedEntry[] {
  const entries = new Map<string, SharedEntry>();
  for (const { file, ...share } of files) {
    if (!file.startsWith(prefix)) continue;
    const end = file.indexOf("/", prefix.length);
    const path = end < 0 ? file : file.slice(0, end + 1);
    add(
      entry(entries, path, () => ({ path, ...noLines() })),
      share,
    );
  }
  return [...entries.values()].sort((a, b) => b.lines - a.lines);
}

const byKindAndName = (a: DirectoryEntry, b: DirectoryEntry) =>
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
    for await (const { hash, author, authoredAt, message, files } of commitsOf(root, {
      limit: maxCommits,
      signal,
    })) {
      for (const file of files) {
        if (!file.startsWith(prefix)) continue;
        const [name = ""] = file.slice(prefix.length).split("/", 1);
        if (!left.delete(name)) continue;
        const session = memory === null ? undefined : checkpointOfCommit(memory, hash)?.sessions[0];
        entries.get(name)!.changed = {
          hash,
          subject: message.split("\n", 1)[0] ?? "",
          person: author,
          authored_at: isoTime(authoredAt),
          session_title:
            session === undefined ? null : (sessionByUid(memory!, session.sessionUid)?.title ?? null),
        };
      }
      if (left.size === 0) return;
    }
  } catch (error) {
    // Before the first commit nothing was changed yet.
    if (!(error instanceof GitFailure) || error.isBroken) throw error;
  }
}
