import picomatch from "picomatch";
import type { IndexEntry, SearchableIndex } from "../../store/index/port.ts";
import { findPackagesOfIndex, requirePackage } from "../packages/packages.ts";
import type { CodeQuery } from "./types.ts";

/**
 * The indexed files that a search is limited to, in the project at `root`; empty lists limit nothing.
 * @throws PommelError `usage` for an unknown package
 */
export async function findFilesInScope(
  index: SearchableIndex,
  root: string,
  { paths, languages, package: asked }: Pick<CodeQuery, "paths" | "languages" | "package">,
): Promise<IndexEntry[]> {
  const matches = paths.length > 0 ? picomatch([...paths], { dot: true }) : () => true;
  const wanted = new Set(languages);
  const packages = asked === undefined ? null : await findPackagesOfIndex(index, root);
  const only = packages && asked !== undefined ? requirePackage(packages, asked) : null;
  return (await index.files()).filter(
    ({ path, language }) =>
      matches(path) &&
      (wanted.size === 0 || wanted.has(language)) &&
      (only === null || packages?.findAround(path) === only),
  );
}
