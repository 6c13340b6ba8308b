import type { KnownCheckout, KnownProject } from "../../store/registry.ts";
import type { CheckoutIdentity } from "./identity.ts";

/** What the registry knows, as far as it matters for recognising a checkout. */
export interface KnownHere {
  projects: readonly KnownProject[];
  checkouts: readonly KnownCheckout[];
  /** Whether a directory is still there. */
  isThere: (root: string) => boolean;
}

export interface Match {
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
export function matchingProject(root: string, identity: CheckoutIdentity, known: KnownHere): Match | null {
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
