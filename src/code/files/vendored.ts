import { existsSync } from "node:fs";
import { join, posix } from "node:path";
import vendored from "./vendored.json" with { type: "json" };

/** Names of directories that hold other people's code or a tool's output, wherever they are. */
const always = new Set(vendored.always);

/**
 * Names that are an ordinary word as well ("vendor" in a shop). They count where a package manager would put them:
 * beside its manifest, or with its metadata inside (paths relative to the directory above).
 */
const besides = new Map(Object.entries(vendored.besides));

/** Marker files of virtual environments and caches (Cargo's target, mypy, uv). */
const { marks } = vendored;

/** Names that are vendored at the top of any project. */
export const vendoredNames: readonly string[] = [...always];

/** Whether a directory above a file is vendored by its name alone. */
export const isVendoredByName = (path: string): boolean =>
  path
    .split("/")
    .slice(0, -1)
    .some((name) => always.has(name));

/**
 * Whether a directory holds code that is not the project's own: installed packages, caches, copies.
 * @param path relative to `root`
 */
export function isVendored(root: string, path: string): boolean {
  const name = posix.basename(path);
  if (always.has(name)) return true;
  const directory = join(root, path);
  const siblings = besides.get(name);
  if (siblings?.some((sibling) => existsSync(join(directory, "..", sibling)))) return true;
  return marks.some((mark) => existsSync(join(directory, mark)));
}
