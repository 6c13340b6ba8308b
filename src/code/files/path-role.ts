import { memoize } from "../../base/text/memoize.ts";
import data from "./path-roles.json" with { type: "json" };

/** A file's purpose, judged by its path. Ranking pushes all but "source" down unless the query asks for it. */
export type PathRole =
  | "source"
  | "test"
  | "example"
  | "changelog"
  | "docs"
  | "legacy"
  | "generated"
  | "built"
  | "barrel"
  | "types";

/** A role, and the words of a query (stems) that show it wants such files. */
const rules = data.map(({ role, path, askedForBy }) => ({
  role: role as PathRole,
  pattern: new RegExp(path, "i"),
  askedForBy,
}));

/** Roles that what is built may have by its path alone. */
const ofSources: ReadonlySet<PathRole> = new Set(["source", "barrel", "types"]);

const roleByPath = memoize<PathRole>(
  100_000,
  (path) => rules.find(({ pattern }) => pattern.test(path))?.role ?? "source",
);

/**
 * The role of a path relative to the project's root.
 * @param isBuilt a compiler or a bundler wrote the file, as its content shows
 */
export function classifyPath(path: string, isBuilt = false): PathRole {
  const role = roleByPath(path);
  return isBuilt && ofSources.has(role) ? "built" : role;
}

/** Whether the query mentions such files. */
export function isAskedFor(role: PathRole, stems: ReadonlySet<string>): boolean {
  return rules.some((rule) => rule.role === role && rule.askedForBy.some((word) => stems.has(word)));
}

const versionDirectory = /^(.*?\/)?v(\d+)\//;

/**
 * If versions of the code are side by side (`v3/`, `v4/`), a question is about the newest unless it names another.
 * Judged by the candidates: an old version alone is not an older one.
 */
export function createOlderVersionCheck(
  paths: readonly string[],
): (path: string, words: ReadonlySet<string>) => boolean {
  const newest = new Map<string, number>();
  for (const path of paths) {
    const [, parent = "", version] = versionDirectory.exec(path) ?? [];
    if (version !== undefined) newest.set(parent, Math.max(newest.get(parent) ?? 0, Number(version)));
  }
  if (newest.size === 0) return () => false;
  return (path, words) => {
    const [, parent = "", version] = versionDirectory.exec(path) ?? [];
    return version !== undefined && Number(version) < newest.get(parent)! && !words.has(`v${version}`);
  };
}
