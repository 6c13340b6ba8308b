import { existsSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PommelError } from "../../base/errors.ts";
import { type Project, teamDirName, toRealPath } from "../../base/paths.ts";
import { isNamed } from "./recorded.ts";

/** More is not looked through to see whether a directory holds repositories. */
const maxEntriesSeen = 2000;

/** What a directory is that is no project by itself. */
interface PlainDirectory {
  /** Whether it may well be meant: nobody means a directory of temporary files, or one full of repositories. */
  isLikelyMeant: boolean;
  refusal: PommelError;
}

/**
 * What keeps the files of a project from being indexed; null: nothing. A repository is a project by itself. Anything may lie
 * below another directory, so that it takes its user's word (`pm init`).
 */
export function findIndexObstacle(project: Project): PlainDirectory | null {
  const { root } = project;
  if (existsSync(join(root, ".git")) || existsSync(join(root, teamDirName, "config.toml"))) return null;
  if (isNamed(project)) return null;
  const refuse = (isLikelyMeant: boolean, what: string): PlainDirectory => ({
    isLikelyMeant,
    refusal: new PommelError(
      "not_initialised",
      `${root} ${what}.`,
      "Go to a repository, or name it with -C. `pm init` makes this directory a project all the same.",
    ),
  });
  if ([tmpdir(), "/tmp", "/var/tmp"].some((dir) => toRealPath(dir) === root))
    return refuse(false, "is for temporary files, and no project");
  const repositories = countRepositories(root);
  if (repositories > 1) return refuse(false, `holds ${repositories} repositories, and is none itself`);
  return refuse(true, "is no git repository, and its files are not indexed unless you say so");
}

/** @throws PommelError `not_initialised` where the files of a project are not to be indexed */
export function requireIndexed(project: Project): void {
  const plain = findIndexObstacle(project);
  if (plain !== null) throw plain.refusal;
}

function countRepositories(dir: string): number {
  try {
    const entries = readdirSync(dir, { withFileTypes: true }).slice(0, maxEntriesSeen);
    return entries.filter((entry) => entry.isDirectory() && existsSync(join(dir, entry.name, ".git"))).length;
  } catch {
    return 0;
  }
}
