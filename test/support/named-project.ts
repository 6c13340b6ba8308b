import { mkdirSync } from "node:fs";
import { basename } from "node:path";
import { readFileId } from "../../src/base/files/file-id.ts";
import { makeNewProject, type Project } from "../../src/base/paths.ts";
import { Registry } from "../../src/store/registry.ts";

/** Makes the directory at `root` a project that is recorded, as `pm init` does, but touches nothing in it. */
export function nameProject(project: Project): Project {
  const { id, root } = project;
  const now = Date.now();
  const registry = Registry.open();
  const identity = { roots: [], remotes: [], within: "" };
  const known = { id, name: basename(root), isNamed: true, isOff: false, createdAt: now, lastUsedAt: now };
  registry.saveProject({ ...known, ...identity });
  const ids = { rootId: readFileId(root), gitId: readFileId(`${root}/.git`) };
  registry.saveCheckout({ root, project: id, ...ids, notice: null, lastUsedAt: now });
  mkdirSync(project.dataDir, { recursive: true, mode: 0o700 });
  mkdirSync(project.cacheDir, { recursive: true, mode: 0o700 });
  return project;
}

export const namedProject = (root: string): Project => nameProject(makeNewProject(root));
