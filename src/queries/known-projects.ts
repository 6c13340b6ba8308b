import { existsSync } from "node:fs";
import { basename, resolve } from "node:path";
import { gitTextIfAny } from "../git/git.ts";
import { PommelError } from "../project/errors.ts";
import { type Project, projectAt } from "../project/paths.ts";
import { memoryCounts } from "../store/memory/sessions/sessions.ts";
import { withMemory } from "../store/memory/with-memory.ts";
import {
  type KnownProject,
  registeredProjects,
  registerProject,
  unregisterProjects,
} from "../store/registry.ts";

/** A project of this user's, and whether it still is one. */
export interface ListedProject extends KnownProject {
  project: Project;
  /** Its directory is gone, or no longer a Pommel project. */
  isGone: boolean;
}

/** Records in the registry that a project is used. Never fails: the caller's work does not depend on it. */
export async function rememberProject(project: Project): Promise<void> {
  try {
    registerProject({
      root: project.root,
      name: basename(project.root),
      remote: await remoteOf(project.root),
      memoryDb: project.memoryDb,
    });
  } catch {
    // It is in it the next time.
  }
}

/** The address of a repository's origin, without user and password; null where there is none. */
export async function remoteOf(root: string): Promise<string | null> {
  const url = await gitTextIfAny(root, ["config", "--get", "remote.origin.url"]);
  return url ? withoutCredentials(url) : null;
}

/**
 * An address in any form that git accepts: URLs, `user@host:path`, paths. The part before the host, and a query, may be
 * secret.
 */
export function withoutCredentials(url: string): string {
  const [, scheme, rest] = /^([a-z][a-z0-9+.-]*:\/\/)(.*)$/is.exec(url) ?? [];
  if (scheme === undefined || rest === undefined) return url.replace(/^[^@/\s]*@(?=[^/\s]+:)/, "");
  const [place = "", ...path] = rest.split("/");
  const host = place.slice(place.lastIndexOf("@") + 1);
  return `${scheme}${[host, ...path].join("/")}`.replace(/[?#].*$/s, "");
}

/** Every registered project, the last used first; none if the registry cannot be read. */
export function listProjects(): ListedProject[] {
  return (registeredProjects() ?? []).map((known) => {
    const project = projectAt(known.root);
    return { ...known, project, isGone: !existsSync(project.configFile) };
  });
}

/** How much a project remembers; null where its memory is missing or cannot be read. */
export async function memorySize(
  project: Project,
): Promise<{ sessions: number | null; turns: number | null }> {
  try {
    const { sessions, turns } = await withMemory(project, memoryCounts);
    return { sessions, turns };
  } catch {
    return { sessions: null, turns: null };
  }
}

/**
 * A registered project by its directory (from `cwd`), or by a name that only one has.
 * @throws PommelError `usage`
 */
export function projectCalled(name: string, cwd: string): Project {
  const known = listProjects().filter(({ isGone }) => !isGone);
  const path = resolve(cwd, name);
  const called = known.filter((listed) => listed.root === path);
  const found = called.length > 0 ? called : known.filter((listed) => listed.name === name);
  const [first, ...others] = found;
  if (first && others.length === 0) return first.project;
  const roots = (first ? found : known).slice(0, 10).map(({ root }) => root);
  throw new PommelError(
    "usage",
    first ? `${found.length} projects are called ${name}.` : `There is no project ${name} on this machine.`,
    roots.length === 0 ? "`pm init` makes a directory a project." : `Choose from: ${roots.join(", ")}.`,
  );
}

/**
 * Takes projects off the list, and leaves all that is theirs.
 * @param root null: those that are gone
 * @returns the roots that were taken off
 */
export function forgetProjects(root: string | null): string[] {
  const wanted = listProjects().filter((listed) => (root === null ? listed.isGone : listed.root === root));
  const roots = wanted.map((listed) => listed.root);
  unregisterProjects(roots);
  return roots;
}
