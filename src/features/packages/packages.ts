import { withIndex } from "../../answers/open.ts";
import { loadConfig } from "../../base/config/config.ts";
import type { Project } from "../../base/paths.ts";
import { findPackagesOfIndex } from "../../code/packages/packages.ts";
import type { PackagesAnswer, PackagesRequest } from "./operation.ts";

/** The packages of a project. Errors as `withIndex`. */
export function listPackages(project: Project, { near }: PackagesRequest): Promise<PackagesAnswer> {
  return withIndex(project, loadConfig(project).config, async (index) => {
    const map = await findPackagesOfIndex(index, project.root);
    const files = new Map<string, number>();
    for (const { path } of await index.files()) {
      const dir = map.findAround(path)?.dir;
      if (dir !== undefined) files.set(dir, (files.get(dir) ?? 0) + 1);
    }
    return {
      packages: map.packages.map(({ name, dir, kind }) => ({
        name,
        dir: dir || ".",
        kind,
        files: files.get(dir) ?? 0,
      })),
      current: near === undefined ? null : (map.findAround(near)?.name ?? null),
    };
  });
}
