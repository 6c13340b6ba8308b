import { dirname } from "node:path";
import * as z from "zod/mini";
import { PommelError } from "../../../base/errors.ts";
import { ensureKeeper, type Keeper, keeperShape } from "../../keeper.ts";
import { projectIdentity, readProjectFile } from "../../project-file.ts";
import type { Connection } from "../../sqlite/connection.ts";
import { Sqlite } from "../../sqlite/sqlite.ts";

/** Which project a memory is of, and who keeps it. It says so itself, as copies of it go anywhere. */

/** In `meta`, as JSON. */
const projectKey = "project";
const keeperKey = "keeper";

export type OwnProject = z.infer<typeof projectIdentity>;

/** Writes into a project's memory which one it is of, and who keeps it, where that has changed. */
export function nameMemory(memory: Connection): void {
  const project = readProjectBeside(memory.file);
  if (project === null) return;
  const facts = { [projectKey]: project, [keeperKey]: ensureKeeper() };
  for (const [key, fact] of Object.entries(facts)) {
    const text = fact && JSON.stringify(fact);
    if (memory.readMeta(key) !== text) memory.setMeta(key, text);
  }
}

/** The project in whose directory a memory lies; null where nothing says it. */
export function readProjectBeside(memoryDb: string): OwnProject | null {
  const file = readProjectFile(dirname(memoryDb));
  return file && z.parse(projectIdentity, file);
}

/** The project that a memory says it is of; null where it says none. @throws PommelError as `findDatabaseKey` */
export const readMemoryProject = (file: string): OwnProject | null =>
  readFact(file, projectKey, projectIdentity);

/** Who kept a memory, by what it says; null where it says nothing. @throws PommelError as `findDatabaseKey` */
export const readMemoryKeeper = (file: string): Keeper | null => readFact(file, keeperKey, keeperShape);

function readFact<T>(file: string, key: string, shape: z.ZodMiniType<T>): T | null {
  const db = new Sqlite(file, { mode: "read", timeoutMs: 5000 });
  try {
    const text = db.prepare("SELECT value FROM meta WHERE key = ?").pluck().get(key);
    return z.parse(shape, JSON.parse(String(text)));
  } catch (error) {
    if (error instanceof PommelError) throw error;
    return null;
  } finally {
    db.close();
  }
}

/** The same one, or as it is known on another machine: the same first commits and the same remote. */
export function isSameProject(one: OwnProject, other: OwnProject): boolean {
  if (one.id === other.id) return true;
  const share = (a: readonly string[], b: readonly string[]) => a.some((each) => b.includes(each));
  const isSameOrigin =
    share(one.remotes, other.remotes) || (one.remotes.length === 0 && other.remotes.length === 0);
  return one.within === other.within && share(one.roots, other.roots) && isSameOrigin;
}
