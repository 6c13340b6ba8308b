import { loadConfig } from "../base/config/config.ts";
import { PommelError } from "../base/errors.ts";
import type { Project } from "../base/paths.ts";
import { findPackagesOfIndex, requirePackage } from "../code/packages/packages.ts";
import { withIndex } from "./open.ts";

/**
 * Replaces the package that a request names by the package's directory, as its `file`.
 * @throws PommelError `usage` if the package is unknown, or if the request also names files; what `withIndex` throws
 */
export async function expandPackageToFiles<
  R extends { package?: string | undefined; file?: string[] | undefined },
>(project: Project, request: R): Promise<R> {
  const { package: asked, file } = request;
  if (asked === undefined) return request;
  if (file !== undefined) {
    throw new PommelError(
      "usage",
      "A search is limited to a package or to files, not to both.",
      "Omit one of them.",
    );
  }
  const { dir } = await withIndex(project, loadConfig(project).config, async (index) =>
    requirePackage(await findPackagesOfIndex(index, project.root), asked),
  );
  return { ...request, package: undefined, file: [dir || "."] };
}
