import { statSync } from "node:fs";
import { gitDirectoryOf, headLogOf } from "../git/git-dir.ts";
import type { Project } from "../project/paths.ts";
import { stateOf } from "../queries/status/state.ts";

/** Milliseconds. */
const pollIntervalMs = 2_000;

/** Calls back when the memory, the index or HEAD of one of the projects has changed: it only looks at a few files. */
export function watchProjects(
  projects: () => Promise<readonly Project[]>,
  onChange: (roots: readonly string[]) => void,
): void {
  let before: ReadonlyMap<string, string> = new Map();
  const look = async () => {
    try {
      const now = new Map((await projects()).map((project) => [project.root, markOf(project)]));
      const changed = [...now].filter(([root, mark]) => before.has(root) && before.get(root) !== mark);
      before = now;
      if (changed.length > 0) onChange(changed.map(([root]) => root));
    } catch {
      // A directory went away meanwhile: it is looked at again.
    }
    setTimeout(look, pollIntervalMs).unref();
  };
  void look();
}

function markOf(project: Project): string {
  const git = gitDirectoryOf(project.root);
  const head = git === null ? undefined : statSync(headLogOf(git), { throwIfNoEntry: false });
  return JSON.stringify([stateOf(project), head?.mtimeMs, head?.size]);
}
