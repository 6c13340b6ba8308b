import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import ignore, { type Ignore } from "ignore";
import picomatch from "picomatch";
import type { Config } from "../../base/config/settings.ts";
import { listHomeWithin, readGitDir, resolveCommonDirectory, teamDirName } from "../../base/paths.ts";
import { detectNestedDirectory, type Nested } from "./nested.ts";
import { readTrackedFiles, type Tracked } from "./tracked.ts";
import { isVendored, isVendoredByName } from "./vendored.ts";

/** Why a path is excluded; null if it is not. */
export type Exclusion = "ignored" | "vendored" | Nested;
type IgnoreVerdict = Exclusion | null;

/** Decides which paths of a project are indexed. Paths are relative to its root, with `/`. */
export interface IgnoreRules {
  /** Whether the path, or a directory above it, is ignored or vendored. The path need not exist. */
  ignores(path: string, isDirectory: boolean): boolean;
  /** Whether a file is excluded by its path alone: what Pommel's own settings and the names of directories say. Looks at no file. */
  ignoresByName(path: string): boolean;
  /** As `ignores`, with the reason. */
  check(path: string, isDirectory: boolean): IgnoreVerdict;
  /**
   * As `check`, for many names in one directory ("" is the root): parents are checked once. Do not keep it: it does not
   * notice changes.
   */
  within(directory: string): (name: string, isDirectory: boolean) => IgnoreVerdict;
  /** Whether these rules depend on the path: after a change to it, `reload`. */
  isIgnoreFile(path: string): boolean;
  /** Absolute paths of files outside the tree that these rules come from; they need not exist. */
  readonly outsideFiles: readonly string[];
  /** Clears the cache, so that ignore files are read again. */
  reload(): void;
}

const ignoreFile = ".gitignore";
export const ownIgnoreFile = ".pommelignore";
/** State of version control and Pommel: always excluded. */
const neverLookedAt = new Set([".git", ".hg", ".svn", ".jj", teamDirName]);

/** Like git's default on case-insensitive file systems. */
const ignoreCase = process.platform === "darwin" || process.platform === "win32";

/** The rules for one directory's entries, including inherited patterns. */
interface DirectoryRules {
  verdict: IgnoreVerdict;
  /** Git's patterns: the user's, the repository's, then those of each .gitignore down to here. */
  git: Ignore;
  /** The patterns of each .pommelignore down to here. */
  own: Ignore;
}

/**
 * The rules of the project at `root`: git's for what it does not track (nested .gitignore, info/exclude, core.excludesFile; see gitignore(5)),
 * then .pommelignore in the same syntax, which overrides them, then `index.include` and `index.exclude`. A vendored
 * directory, and one with an index of its own, is read only if a .pommelignore includes it (`!vendor/`). Files are read when first needed. Never throws.
 * @param known what git tracks there, where that is known
 */
export function createIgnoreRules(root: string, config: Config, known: Tracked | null = null): IgnoreRules {
  const outsideFiles = listGitExcludeFiles(root);
  const ownHome = new Set(listHomeWithin(root));
  const isExcluded = createGlobMatcher(config["index.exclude"]);
  const isIncluded = createIncludeMatcher(config["index.include"]);
  const directories = new Map<string, DirectoryRules>();
  let tracked = known;

  /** Git's rules do not apply to what it tracks; directories lead to it. */
  function isTracked(path: string, isDirectory: boolean): boolean {
    tracked ??= readTrackedFiles(readGitDir(root));
    return (isDirectory ? tracked.directories : tracked.files).has(path);
  }

  function readDirectoryRules(directory: string): DirectoryRules {
    const known = directories.get(directory);
    if (known) return known;
    const rules = directory === "" ? readRules(readOutsideRules(), "") : readRulesBelow(directory);
    directories.set(directory, rules);
    return rules;
  }

  function readOutsideRules(): DirectoryRules {
    const git = ignore({ ignoreCase });
    for (const file of outsideFiles) git.add(parseIgnorePatterns(readText(file), ""));
    return { verdict: null, git, own: ignore({ ignoreCase }) };
  }

  function readRulesBelow(directory: string): DirectoryRules {
    const [above, name] = split(directory);
    const inherited = readDirectoryRules(above);
    const verdict = createJudge(above)(name, true);
    return verdict === null ? readRules(inherited, directory) : { ...inherited, verdict };
  }

  function readRules({ git, own }: DirectoryRules, directory: string): DirectoryRules {
    const extended = (inherited: Ignore, file: string): Ignore => {
      const text = readText(join(root, directory, file));
      if (text === null) return inherited;
      return ignore({ ignoreCase }).add(inherited).add(parseIgnorePatterns(text, directory));
    };
    return { verdict: null, git: extended(git, ignoreFile), own: extended(own, ownIgnoreFile) };
  }

  function createJudge(directory: string): (name: string, isDirectory: boolean) => IgnoreVerdict {
    const { verdict, git, own } = readDirectoryRules(directory);
    if (verdict !== null) return () => verdict;
    // An `Ignore` caches every path; these short-lived copies share its patterns.
    const all = ignore({ ignoreCase }).add(git).add(own);
    const owns = ignore({ ignoreCase }).add(own);
    return (name, isDirectory) => {
      const path = directory === "" ? name : `${directory}/${name}`;
      if (neverLookedAt.has(name) || ownHome.has(path)) return "ignored";
      const asPattern = isDirectory ? `${path}/` : path;
      if (isExcluded(path) || !isIncluded(path, isDirectory)) return "ignored";
      // Most of a project is tracked, and to match all patterns takes longer than to find that out.
      if ((!isTracked(path, isDirectory) || owns.ignores(asPattern)) && all.ignores(asPattern))
        return "ignored";
      if (!isDirectory) return null;
      const left = isVendored(root, path) ? "vendored" : detectNestedDirectory(root, path);
      return left !== null && owns.test(asPattern).unignored ? null : left;
    };
  }

  function check(path: string, isDirectory: boolean): IgnoreVerdict {
    if (path === "") return null;
    const [directory, name] = split(path);
    return createJudge(directory)(name, isDirectory);
  }

  return {
    ignores: (path, isDirectory) => check(path, isDirectory) !== null,
    ignoresByName: (path) =>
      isExcluded(path) ||
      !isIncluded(path, false) ||
      isVendoredByName(path) ||
      path.split("/").some((name) => neverLookedAt.has(name)),
    check,
    within: createJudge,
    isIgnoreFile(path) {
      const [directory, name] = split(path);
      const isRule =
        name === ignoreFile || name === ownIgnoreFile || (name === teamDirName && directory !== "");
      return isRule && readDirectoryRules(directory).verdict === null;
    },
    outsideFiles,
    reload() {
      directories.clear();
      tracked = null;
    },
  };
}

function split(path: string): [directory: string, name: string] {
  const slash = path.lastIndexOf("/");
  return slash < 0 ? ["", path] : [path.slice(0, slash), path.slice(slash + 1)];
}

/** The patterns in the text of an ignore file, made relative to the root: one list then judges any path. */
function parseIgnorePatterns(text: string | null, directory: string): string[] {
  if (text === null) return [];
  const lines = text.replace(/^\ufeff/, "").split("\n");
  return lines.map((line) => anchorPattern(line.replace(/\r$/, ""), directory)).filter((line) => line !== "");
}

/** A pattern of the ignore file in `directory`, rewritten for the root; "" for none. */
function anchorPattern(line: string, directory: string): string {
  const isNegative = line.startsWith("!");
  const pattern = isNegative ? line.slice(1) : line;
  // "/" alone matches nothing, but would become the directory itself.
  if (line.startsWith("#") || /^\/? *$/.test(pattern)) return "";
  if (directory === "") return line;
  // Only a slash before the end ties a pattern to its directory; others match at any depth.
  const isTied = pattern.replace(/ +$/, "").slice(0, -1).includes("/");
  const base = `/${directory.replace(/[\\*?[\]]/g, "\\$&")}/${isTied ? "" : "**/"}`;
  return (isNegative ? "!" : "") + base + (isTied ? pattern.replace(/^\//, "") : pattern);
}

const globOptions = { dot: true, nonegate: true };

/** "./src/" -> "src" */
function tidyGlobs(patterns: readonly string[]): string[] {
  return patterns.map((pattern) => pattern.replace(/^\.?\//, "").replace(/\/+$/, "")).filter(Boolean);
}

/** Matches the files that the globs name, and everything below. One without a slash matches at any depth. */
function createGlobMatcher(patterns: readonly string[]): (path: string) => boolean {
  const tidy = tidyGlobs(patterns).map((pattern) => (pattern.includes("/") ? pattern : `**/${pattern}`));
  if (tidy.length === 0) return () => false;
  const matches = picomatch([...tidy, ...tidy.map((pattern) => `${pattern}/**`)], globOptions);
  return (path) => matches(path);
}

/** Whether a file is included, or a directory can hold one that is. */
function createIncludeMatcher(patterns: readonly string[]): (path: string, isDirectory: boolean) => boolean {
  const tidy = tidyGlobs(patterns);
  if (tidy.length === 0) return () => true;
  const matches = createGlobMatcher(tidy);
  // The literal beginning of each glob: "src/*.ts" can match only below "src".
  const bases = tidy.map((glob) => (glob.includes("/") ? picomatch.scan(glob).base : ""));
  const leadsTo = (path: string, base: string) =>
    base === "" || `${base}/`.startsWith(`${path}/`) || path.startsWith(`${base}/`);
  return (path, isDirectory) => matches(path) || (isDirectory && bases.some((base) => leadsTo(path, base)));
}

/** The text of a file, or null if it is missing or unreadable. */
function readText(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}

/**
 * The files outside the tree that tell git what to ignore in it, lowest precedence first: the user's
 * (core.excludesFile) and the repository's (info/exclude). They need not exist. Reads git's files instead
 * of asking git: no process, and it works where git is not installed. Conditional includes in git's
 * configuration are not followed.
 */
function listGitExcludeFiles(root: string, env: NodeJS.ProcessEnv = process.env): string[] {
  const home = env.HOME || homedir();
  const configDir = join(env.XDG_CONFIG_HOME || join(home, ".config"), "git");
  const gitDir = resolveCommonDirectory(readGitDir(root) ?? join(root, ".git"));
  const configs = env.GIT_CONFIG_GLOBAL
    ? [env.GIT_CONFIG_GLOBAL]
    : [join(configDir, "config"), join(home, ".gitconfig")];
  configs.push(join(gitDir, "config"));

  let usersExcludes = join(configDir, "ignore");
  for (const config of configs) {
    const value = parseExcludesFile(readText(config) ?? "");
    if (value !== null) usersExcludes = resolve(root, value.replace(/^~(?=\/)/, home));
  }
  return [usersExcludes, join(gitDir, "info", "exclude")];
}

/** The value of `excludesFile` in the section `[core]`, the last one given. */
function parseExcludesFile(config: string): string | null {
  let section = "";
  let value: string | null = null;
  for (const line of config.split("\n")) {
    section = /^\s*\[\s*([^\]\s]+)/.exec(line)?.[1]?.toLowerCase() ?? section;
    if (section !== "core") continue;
    const found = /^\s*(?:\[[^\]]*\]\s*)?excludesfile\s*=\s*("?)(.*?)\1\s*$/i.exec(line)?.[2];
    if (found !== undefined) value = found;
  }
  return value;
}
