import { existsSync } from "node:fs";
import { basename } from "node:path";
import { gitTextIfAny } from "../git/git.ts";
import { type Project, projectAt } from "../project/paths.ts";
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
