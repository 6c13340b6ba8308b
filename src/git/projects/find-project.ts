import { existsSync, renameSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { getErrorCode, getErrorMessage, PommelError } from "../../base/errors.ts";
import { readFileId } from "../../base/files/file-id.ts";
import {
  findUpwards,
  makeProject,
  makeUniqueName,
  type Project,
  teamDirName,
  toCanonicalPath,
  toRealPath,
} from "../../base/paths.ts";
import { type KnownCheckout, type KnownProject, Registry } from "../../store/registry.ts";
import { dropReady } from "./drop-ready.ts";
import { type CheckoutIdentity, readCheckoutIdentity } from "./identity.ts";

/**
 * The project around `cwd`, as seen from the checkout that it lies in. A known directory costs a look into the registry; a
 * new one is recognised (`findMatchingProject`), and one that holds a known project is remembered with it at once. A project
 * that is new is not remembered before it is used (`rememberProject`).
 * @throws PommelError `not_initialised` for a home directory, the root of the file system, and a directory that is gone
 */
export const findProject = (cwd: string = process.cwd()): Promise<Project> =>
  findProjectAround(cwd, rememberCheckout);

/** As `findProject`, and remembers nothing: for whoever only looks. */
export const lookUpProject = (cwd: string = process.cwd()): Promise<Project> =>
  findProjectAround(cwd, () => {});

/** Whether it was ever used, in this checkout or another: else nothing is known of it. */
export const isRemembered = ({ dataDir }: Project): boolean => existsSync(dataDir);

async function findProjectAround(cwd: string, onRecognised: typeof rememberCheckout): Promise<Project> {
  const registry = Registry.openIfThere();
  const root = findCheckoutRoot(cwd, registry);
  const known = registry?.findCheckoutAt(root);
  if (known && isSameDirectory(known)) return makeProject(known.project, root);
  const identity = await readCheckoutIdentity(root);
  if (registry === null) return makeProject(makeUniqueName(root), root);
  const match = findMatchingProject(root, identity, {
    projects: registry.listRegisteredProjects(),
    checkouts: registry.listCheckouts(),
    isThere: (dir: string) => existsSync(dir),
  });
  if (match === null) return makeProject(chooseFreeId(root, registry), root);
  onRecognised(root, identity, match, registry);
  return makeProject(match.project, root);
}

/** As `findProject`, for commands that also work with the user's settings alone. */
export async function findProjectIfAny(
  cwd: string = process.cwd(),
  find: typeof findProject = findProject,
): Promise<Project | null> {
  try {
    return await find(cwd);
  } catch (error) {
    if (getErrorCode(error) === "not_initialised") return null;
    throw error;
  }
}

/** The project of a directory that the registry knows; null for any other. Asks neither git nor the user. */
export function findKnownProject(cwd: string): Project | null {
  try {
    const registry = Registry.openIfThere();
    const known = registry?.findCheckoutAt(findCheckoutRoot(cwd, registry));
    return known && isSameDirectory(known) ? makeProject(known.project, known.root) : null;
  } catch {
    return null;
  }
}

/**
 * The directory that counts as one checkout around `cwd`: the nearest of a known checkout, the top of a git working tree,
 * and a subdirectory with a team's configuration; else `cwd` itself.
 * @throws PommelError `not_initialised`
 */
function findCheckoutRoot(cwd: string, registry = Registry.openIfThere()): string {
  let dir: string;
  try {
    dir = toCanonicalPath(cwd);
  } catch (error) {
    throw new PommelError(
      "not_initialised",
      `Cannot enter ${cwd}: ${getErrorMessage(error)}.`,
      "Check the path.",
    );
  }
  for (let at = dir; ; at = dirname(at)) {
    const isOne =
      existsSync(join(at, ".git")) ||
      existsSync(join(at, teamDirName, "config.toml")) ||
      registry?.findCheckoutAt(at);
    if (isOne && !isTooWide(at)) return at;
    if (dirname(at) === at) break;
  }
  if (isTooWide(dir)) {
    throw new PommelError(
      "not_initialised",
      `${dir} is ${dirname(dir) === dir ? "the root of the file system" : "your home directory"}, not a project.`,
      "Go to a repository, or name it with -C.",
    );
  }
  return dir;
}

/** Everything of a person's lies in these: they are no project, whatever is in them. */
const isTooWide = (dir: string): boolean =>
  dirname(dir) === dir ||
  dir === toRealPath(process.env.HOME || process.getBuiltinModule("node:os").homedir());

/** The directory itself, not another one that has its path now. Without git, the path is all that counts. */
const isSameDirectory = ({ root, rootId, gitId }: KnownCheckout): boolean =>
  gitId === null
    ? !existsSync(join(root, ".git")) || rootId === readFileId(root)
    : rootId === readFileId(root);

/** Remembers a checkout with the project that it was recognised as. */
function rememberCheckout(
  root: string,
  identity: CheckoutIdentity,
  { project, movedFrom }: ProjectMatch,
  registry: Registry,
): void {
  const isKnown = movedFrom !== null || registry.findCheckoutAt(root)?.project === project;
  try {
    registry.runInTransaction(() => {
      if (movedFrom !== null) registry.removeCheckout(movedFrom);
      registry.saveCheckout({
        ...makeCheckout(root, project, identity),
        // What was only moved, or cloned again, is nothing new to its user.
        notice: isKnown ? null : makeSharingNotice(root, project, registry),
      });
    });
    if (movedFrom !== null) moveIndex(movedFrom, root);
  } catch {
    // Recognised the next time.
  }
}

function makeSharingNotice(root: string, project: string, registry: Registry): string {
  const others = registry.listCheckouts(project).filter((checkout) => checkout.root !== root);
  const other = others.find((checkout) => existsSync(checkout.root)) ?? others[0];
  const whose = other === undefined ? project : other.root;
  return `This is another checkout of ${whose}, and shares its sessions and notes. \`pm projects split .\` keeps it apart.`;
}

/** What is to be said about the checkout around `cwd`; it is said once. */
export function takeNotice(cwd: string): string | null {
  try {
    const registry = Registry.openIfThere();
    const checkout = registry?.findCheckoutAt(findCheckoutRoot(cwd, registry)) ?? null;
    if (checkout === null || checkout.notice === null) return null;
    registry!.saveCheckout({ ...checkout, notice: null });
    return checkout.notice;
  } catch {
    return null;
  }
}

/** A moved checkout keeps its index. */
function moveIndex(from: string, to: string): void {
  const [before, after] = [from, to].map((root) => makeProject("", root).cacheDir);
  if (existsSync(before!) && !existsSync(after!)) renameSync(before!, after!);
}

/** The id of a project that begins at `root`. */
export function chooseFreeId(root: string, registry: Registry): string {
  const id = makeUniqueName(root);
  if (registry.findProjectById(id) === null) return id;
  // Another repository lay there.
  for (let n = 2; ; n++) if (registry.findProjectById(`${id}-${n}`) === null) return `${id}-${n}`;
}

const makeCheckout = (root: string, project: string, identity: CheckoutIdentity): KnownCheckout => ({
  root,
  project,
  rootId: identity.rootId,
  gitId: identity.gitId,
  notice: null,
  lastUsedAt: Date.now(),
});

/**
 * Remembers a project and this checkout of it, and what tells it from others, as it is now.
 * @param how.named whether its user named it
 * @returns false where the home cannot be written
 */
export async function rememberProject(
  { id, root }: Project,
  { named, off, timeoutMs }: { named?: boolean; off?: boolean; timeoutMs?: number | null } = {},
): Promise<boolean> {
  const registry = Registry.openIfAny();
  if (registry === null) return false;
  const identity = await readCheckoutIdentity(root, timeoutMs);
  const now = Date.now();
  try {
    // Another process may name the project or turn it off at the same time.
    registry.runInTransaction(() => {
      const before = registry.findProjectById(id);
      registry.saveProject({
        id,
        name: before?.name ?? basename(root),
        roots: mergeUnique(before?.roots, identity.roots ?? []),
        remotes: mergeUnique(before?.remotes, identity.remote === null ? [] : [identity.remote]),
        within: before?.within ?? identity.within,
        isNamed: named ?? before?.isNamed ?? false,
        isOff: off ?? before?.isOff ?? false,
        createdAt: before?.createdAt ?? now,
        lastUsedAt: now,
      });
      const checkout = registry.findCheckoutAt(root);
      registry.saveCheckout({
        ...makeCheckout(root, id, identity),
        notice: checkout?.project === id ? checkout.notice : null,
      });
    });
    if (named !== undefined || off !== undefined) dropReady(makeProject(id, root));
    return true;
  } catch {
    return false;
  }
}

/**
 * Finds out what git could not say in time when a checkout was first seen: its root commits. A project that turns out to be
 * a known one becomes it if it has remembered nothing yet; else its user is told how to join them.
 */
export async function completeIdentity({ id, root, memoryDb }: Project): Promise<void> {
  const registry = Registry.openIfThere();
  const known = registry?.findProjectById(id) ?? null;
  const checkout = registry?.findCheckoutAt(root) ?? null;
  if (known === null || checkout === null || checkout.gitId === null || known.roots.length > 0) return;
  const identity = await readCheckoutIdentity(root, null);
  if (identity.roots === null || identity.roots.length === 0) return;
  const projects = registry!.listRegisteredProjects().filter((project) => project.id !== id);
  const checkouts = registry!.listCheckouts().filter((one) => one.project !== id);
  const match = findMatchingProject(root, identity, { projects, checkouts, isThere: existsSync });
  registry!.runInTransaction(() => {
    // It may have been forgotten, named or turned off meanwhile.
    const current = registry!.findProjectById(id);
    if (current === null) return;
    if (match === null || current.isOff || existsSync(memoryDb)) {
      registry!.saveProject({ ...current, roots: identity.roots! });
      if (match === null) return;
      const notice = `This seems to be another checkout of ${match.project}: \`pm projects join . ${match.project}\` makes their memories one.`;
      registry!.saveCheckout({ ...checkout, notice });
      return;
    }
    const notice = makeSharingNotice(root, match.project, registry!);
    registry!.saveCheckout({ ...checkout, project: match.project, notice });
    if (registry!.listCheckouts(id).length === 0) registry!.removeProject(id);
  });
}

const mergeUnique = (before: readonly string[] = [], more: readonly string[]) => [
  ...new Set([...before, ...more]),
];

/** The root that `pm init` chooses in `cwd`: the top of the git working tree, or `cwd` itself without git. */
export function chooseInitRoot(cwd: string = process.cwd()): string {
  return toCanonicalPath(findUpwards(cwd, ".git") ?? cwd);
}

/** What the registry knows, as far as it matters for recognising a checkout. */
export interface KnownHere {
  projects: readonly KnownProject[];
  checkouts: readonly KnownCheckout[];
  /** Whether a directory is still there. */
  isThere: (root: string) => boolean;
}

export interface ProjectMatch {
  project: string;
  /** The checkout that was moved to where this one is now; null where it is another one. */
  movedFrom: string | null;
}

/**
 * The project that a checkout holds, by the best evidence there is: the same directory, moved; a worktree of a known
 * repository; the directory that it was cloned from; the same root commits with the same remote. A repository that shares
 * its first commits but has another remote (a fork, a template) is another project.
 * @returns null for a project that is new
 */
export function findMatchingProject(
  root: string,
  identity: CheckoutIdentity,
  known: KnownHere,
): ProjectMatch | null {
  const { checkouts, isThere } = known;
  const projects = known.projects.filter(({ within }) => within === identity.within);
  const named = (id: string) => projects.find((project) => project.id === id);
  const others = checkouts.filter(
    (checkout) => checkout.root !== root && named(checkout.project) !== undefined,
  );

  const moved = others.find(
    ({ rootId, root: before }) => rootId !== null && rootId === identity.rootId && !isThere(before),
  );
  if (moved) return { project: moved.project, movedFrom: moved.root };
  if (identity.gitId !== null) {
    const worktree = others.find(({ gitId }) => gitId === identity.gitId);
    if (worktree) return { project: worktree.project, movedFrom: null };
  }
  const here = checkouts.find((checkout) => checkout.root === root);
  if (here && identity.gitId === null && here.gitId === null)
    return { project: here.project, movedFrom: null };
  if (identity.gitId === null) return null;

  const { clonedFrom } = identity;
  const source = clonedFrom === null ? undefined : others.find((checkout) => checkout.root === clonedFrom);
  const relatives = projects.filter((project) => isSameHistory(project, identity));
  if (source && (identity.roots === null || relatives.some(({ id }) => id === source.project)))
    return { project: source.project, movedFrom: null };
  const [best] = relatives
    .filter((project) => isSameOrigin(project, identity))
    .sort(
      (a, b) =>
        Number(hasRemote(b, identity)) - Number(hasRemote(a, identity)) ||
        Number(b.id === here?.project) - Number(a.id === here?.project) ||
        b.lastUsedAt - a.lastUsedAt,
    );
  return best ? { project: best.id, movedFrom: null } : null;
}

/** Where git does not know the first commits, the remote alone has to do. */
function isSameHistory(project: KnownProject, identity: CheckoutIdentity): boolean {
  if (identity.roots === null) return hasRemote(project, identity);
  return identity.roots.some((hash) => project.roots.includes(hash));
}

function isSameOrigin(project: KnownProject, identity: CheckoutIdentity): boolean {
  if (identity.roots === null) return hasRemote(project, identity);
  // Whoever hands out a copy without its remote may have put anything into it.
  if (identity.remote === null) return project.remotes.length === 0;
  return project.remotes.length === 0 || hasRemote(project, identity);
}

const hasRemote = ({ remotes }: KnownProject, { remote }: CheckoutIdentity) =>
  remote !== null && remotes.includes(remote);
