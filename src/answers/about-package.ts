import { loadConfig } from "../base/config/config.ts";
import { PommelError } from "../base/errors.ts";
import type { Project } from "../base/paths.ts";
import { findPackagesOfIndex, requirePackage } from "../code/packages/packages.ts";
import { withIndex } from "./open.ts";

/**
 * A request about sessions or commits with its package as the files to be about.
 * @throws PommelError `usage` for an unknown package, or with files as well; as `withIndex`
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
