import { isAbsolute, relative, resolve, sep } from "node:path";
import { PommelError } from "../base/errors.ts";
import type { CallContext } from "./tool.ts";

/**
 * Paths and globs from the project's root, as an agent in `cwd` names them.
 * @throws PommelError `usage` for what lies outside of the project
 */
export function toProjectPaths({ project, cwd }: CallContext, files: readonly string[]): string[] {
  return files.flatMap((file) => {
    const fromHere = toPathBelow(project.root, resolve(cwd, file));
    const fromRoot = isAbsolute(file) ? null : toPathBelow(project.root, resolve(project.root, file));
    const named = [fromHere, fromRoot].filter((path) => path !== null);
    if (named.length > 0) return [...new Set(named)];
    throw new PommelError(
      "usage",
      `${JSON.stringify(file)} is outside the project ${project.root}.`,
      "Name files of this project, relative to its root.",
    );
  });
}

/** "**" for the root itself. */
function toPathBelow(root: string, path: string): string | null {
  const fromRoot = relative(root, path);
  if (fromRoot === "") return "**";
  if (fromRoot === ".." || fromRoot.startsWith(`..${sep}`) || isAbsolute(fromRoot)) return null;
  return fromRoot.split(sep).join("/");
}
