import { existsSync, readdirSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { isInside, makeProject, type Project } from "../../base/paths.ts";
import { Registry } from "../../store/registry.ts";
import { GitFailure, readGitFields, readGitTextIfAny } from "../git.ts";
import { defaultBranches } from "../history/head.ts";
import { findCommitHashes } from "../history/history.ts";
import { findProjectIfAny } from "./find-project.ts";
import { listWorktrees } from "./roots.ts";

/**
 * The project of a directory that is gone: people delete worktrees when they are done with them, and what was worked there
 * belongs to their repository.
 */

/** What a session left that tells which repository it was in. */
export interface SessionTraces {
  branches: readonly string[];
  /** Files that it read or changed, absolute. */
  files: readonly string[];
  /** Commits that it made, abbreviated. */
  commits: readonly string[];
}

/** A directory with more in it is no place for the worktrees of one repository. */
const maxBeside = 500;
/** Of a session, so many files are looked for. */
const maxFilesCompared = 50;
/** A smaller share of a session's files may lie in any repository: README.md, src/index.ts. */
const minSharedFiles = 0.5;
const minFiles = 2;

/**
 * The project that a directory held, which is gone. Known checkouts come first; then the repository that it lay in; then one
 * that lies beside it or that is known, if the session's commits, or two of the directory's name, the branch and the files say so.
 * @returns null where nothing says which, or several could be
 */
export async function findGoneProject(
  cwd: string,
  traces: () => Promise<SessionTraces>,
): Promise<Project | null> {
  if (!isAbsolute(cwd)) return null;
  const dir = resolve(cwd);
  const known = findKnownCheckoutAround(dir);
  if (known !== null) return known;
  const above = findNearestDirectory(dir);
  const around = await findProjectIfAny(above);
  if (around !== null && isRepository(around)) return around;
  const left = await traces();
  const judged: { root: string; points: number }[] = [];
  for (const root of listCandidates(dir, above)) {
    const points = await judge(root, dir, left);
    if (points >= minPoints) judged.push({ root, points });
  }
  const projects = new Map<string, { project: Project; points: number }>();
  for (const { root, points } of judged) {
    const project = await findProjectIfAny(root);
    if (project !== null && points > (projects.get(project.id)?.points ?? 0))
      projects.set(project.id, { project, points });
  }
  const [best, second] = [...projects.values()].sort((a, b) => b.points - a.points);
  return best === undefined || best.points === second?.points ? null : best.project;
}

/** Has a directory that is gone count as a checkout of its project from now on. */
export function rememberGone(project: Project, dir: string): void {
  const registry = Registry.openIfAny();
  if (registry === null || isInside(dir, project.root) || findKnownCheckoutAround(dir) !== null) return;
  const nobody = { rootId: null, gitId: null, notice: null, lastUsedAt: 0 };
  registry.saveCheckout({ root: dir, project: project.id, ...nobody });
}

/** The nearest checkout that is known, and gone as well. */
function findKnownCheckoutAround(dir: string): Project | null {
  const registry = Registry.openIfThere();
  for (let at = dir; !existsSync(at); at = dirname(at)) {
    const known = registry?.findCheckoutAt(at);
    if (known) return makeProject(known.project, findLivingRoot(known.project) ?? at);
  }
  return null;
}

const findLivingRoot = (project: string): string | undefined =>
  Registry.openIfThere()
    ?.listCheckouts(project)
    .map(({ root }) => root)
    .find((root) => existsSync(root));

function findNearestDirectory(dir: string): string {
  let at = dir;
  while (!existsSync(at)) at = dirname(at);
  return at;
}

const isRepository = ({ root }: Project): boolean =>
  existsSync(join(root, ".git")) || (Registry.openIfThere()?.findCheckoutAt(root) ?? null) !== null;

/** Repositories beside what is gone, and all that are known. */
function listCandidates(dir: string, above: string): string[] {
  const [gone = ""] = relative(above, dir).split(sep);
  const beside = listDirectories(above)
    .filter((name) => isNamedAfter(gone, name))
    .map((name) => join(above, name));
  const known = (Registry.openIfThere()?.listCheckouts() ?? []).map(({ root }) => root);
  return [...new Set([...beside, ...known])].filter((root) => existsSync(join(root, ".git")));
}

function listDirectories(dir: string): string[] {
  try {
    const names = readdirSync(dir, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    return names.length > maxBeside ? [] : names.map(({ name }) => name);
  } catch {
    return [];
  }
}

/** Whether a name is another's with something more: `shop-wt`, `shop.worktrees`, `wt-shop`, `shop2`. */
function isNamedAfter(name: string, repository: string): boolean {
  const [long, short] = [name.toLowerCase(), repository.toLowerCase()];
  if (short === "") return false;
  if (long === short) return true;
  const rest = long.startsWith(short)
    ? long.slice(short.length)
    : long.endsWith(short)
      ? long.slice(0, -short.length)
      : "";
  return rest !== "" && (/^[^a-z0-9]|^\d+$/.test(rest) || /[^a-z0-9]$/.test(rest));
}

const points = { worktree: 5, commit: 4, name: 1, branch: 1, files: 1 } as const;
const minPoints = 2;

async function judge(
  root: string,
  dir: string,
  { branches, files, commits }: SessionTraces,
): Promise<number> {
  // Until it is pruned, git knows a worktree that was deleted.
  if ((await listWorktrees(root)).some((worktree) => isInside(dir, worktree))) return points.worktree;
  if (commits.length > 0 && (await findCommitHashes(root, commits)).size > 0) return points.commit;
  const names = dir.split(sep);
  const isNamed = names.some((name) => isNamedAfter(name, basename(root)));
  return (
    (isNamed ? points.name : 0) +
    ((await hasBranch(root, branches)) ? points.branch : 0) +
    ((await hasFiles(root, dir, files)) ? points.files : 0)
  );
}

/** Every repository has the default branches. */
async function hasBranch(root: string, branches: readonly string[]): Promise<boolean> {
  for (const branch of branches.filter((one) => !defaultBranches.includes(one)))
    if ((await readGitTextIfAny(root, ["rev-parse", "--verify", "--quiet", `refs/heads/${branch}`])) !== null)
      return true;
  return false;
}

async function hasFiles(root: string, dir: string, files: readonly string[]): Promise<boolean> {
  const inside = files.filter((file) => isInside(file, dir) && file !== dir).slice(0, maxFilesCompared);
  if (inside.length < minFiles) return false;
  const paths = inside.map((file) => relative(dir, file).split(sep).join("/"));
  const found: string[] = [];
  try {
    const args = ["--literal-pathspecs", "ls-files", "-z", "--", ...paths];
    for await (const path of readGitFields(root, args)) found.push(path);
  } catch (error) {
    if (!(error instanceof GitFailure)) throw error;
  }
  return found.length / paths.length >= minSharedFiles;
}
