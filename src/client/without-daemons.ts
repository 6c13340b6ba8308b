import { existsSync } from "node:fs";
import { projectRoots } from "../git/project-roots.ts";
import { type Project, projectAt } from "../project/paths.ts";
import { acquireWriterLock, type WriterLock } from "../store/sqlite/lock.ts";
import { findOrStartDaemon } from "./connect.ts";
import { stopDaemon } from "./stop-daemon.ts";

/**
 * Stops the daemons that share a memory, keeps new ones from starting while `work` runs, and starts those again that ran.
 * @param owner who it is that keeps them from starting
 * @param work is given the projects, this one first
 * @throws PommelError `locked` when another process writes an index, as `stopDaemon`
 */
export async function withoutDaemons<T>(
  project: Project,
  owner: string,
  work: (sharing: readonly Project[]) => T | Promise<T>,
): Promise<T> {
  const locks: WriterLock[] = [];
  const stopped: Project[] = [];
  try {
    const all = await sharing(project);
    for (const one of all) {
      if (await stopDaemon(one)) stopped.push(one);
      locks.push(acquireWriterLock(one, owner));
    }
    return await work(all);
  } finally {
    for (const lock of locks) lock.release();
    for (const one of stopped) await findOrStartDaemon(one);
  }
}

/** The project, and those of its worktrees that use the same memory. */
async function sharing(project: Project): Promise<Project[]> {
  const others = (await projectRoots(project.root).catch(() => []))
    .filter((root) => root !== project.root)
    .map(projectAt)
    .filter((other) => other.memoryDb === project.memoryDb && existsSync(other.configFile));
  return [project, ...others];
}
