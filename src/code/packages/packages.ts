import { readFileSync, statSync } from "node:fs";
import { join, posix } from "node:path";
import { performance } from "node:perf_hooks";
import { distance } from "fastest-levenshtein";
import picomatch from "picomatch";
import { PommelError } from "../../base/errors.ts";
import type { CodeIndex, SearchableIndex } from "../../store/index/port.ts";
import { classifyPath } from "../files/path-role.ts";
import { type PackageFormat, packageFormats } from "./formats.ts";

/** A part of a project with a name of its own: a workspace of npm, a crate, a Go module. */
interface Package {
  /** As its manifest says, else its directory's. */
  name: string;
  /** From the project's root, `/` between the parts; "" for the root itself. */
  dir: string;
  kind: string;
}

/** More manifests than this are not read, nor larger ones. */
const maxManifests = 5000;
const maxBytes = 1_000_000;

/** The files of a project that tell of its packages. */
const fileNames = new Set(
  packageFormats.flatMap(({ manifest, lists }) => [manifest?.file, ...lists.map(({ file }) => file)]),
);

/**
 * The packages of a project, in the order of their directories. Where a list of a format's packages covers a directory,
 * only what it names counts: other manifests there belong to fixtures and templates. Otherwise every manifest with a name
 * counts, except those of tests.
 * @param paths of the project's files
 */
export function findPackages(paths: readonly string[], read: (path: string) => string | null): Package[] {
  const telling = paths.filter((path) => fileNames.has(posix.basename(path))).slice(0, maxManifests);
  const texts = new Map(telling.map((path) => [path, read(path)]));
  const directories = listAncestorDirectories(paths);
  const found = packageFormats.flatMap((format) => findPackagesOfFormat(format, texts, directories));
  return found.sort((a, b) => (a.dir < b.dir ? -1 : a.dir > b.dir ? 1 : 0));
}

function findPackagesOfFormat(
  { kind, manifest, lists }: PackageFormat,
  texts: ReadonlyMap<string, string | null>,
  directories: ReadonlySet<string>,
): Package[] {
  const at = (file: string) => [...texts.keys()].filter((path) => posix.basename(path) === file);
  const workspaces = lists.flatMap(({ file, membersIn }) =>
    at(file).flatMap((path) => {
      const members = readOrNull(() => membersIn(texts.get(path) ?? ""));
      return members === null
        ? []
        : [{ dir: getParentPath(path), isMember: createMemberMatcher(getParentPath(path), members) }];
    }),
  );
  const isListed = (dir: string) => workspaces.some(({ isMember }) => isMember(dir));
  if (manifest === null) {
    const named = workspaces.length === 0 ? [] : [...directories].filter(isListed);
    return named.map((dir) => ({ name: posix.basename(dir), dir, kind }));
  }
  return at(manifest.file).flatMap((path): Package[] => {
    const dir = getParentPath(path);
    const name = readOrNull(() => manifest.nameIn(texts.get(path) ?? ""));
    const isCovered = workspaces.some((one) => one.dir !== dir && isBelow(dir, one.dir));
    const counts = isListed(dir) || (!isCovered && name !== null && classifyPath(path) !== "test");
    return counts && (name ?? dir) !== "" ? [{ name: name ?? posix.basename(dir), dir, kind }] : [];
  });
}

/** Whether a directory is a member of a workspace at `base`: by globs from there, of which those with `!` take away. */
function createMemberMatcher(base: string, members: readonly string[]): (dir: string) => boolean {
  const tidy = (glob: string) => posix.join(base, glob.replace(/\/+$/, ""));
  const wanted = picomatch(members.filter((glob) => !glob.startsWith("!")).map(tidy), { dot: true });
  const taken = members.filter((glob) => glob.startsWith("!")).map((glob) => tidy(glob.slice(1)));
  const isTaken = taken.length > 0 ? picomatch(taken, { dot: true }) : () => false;
  return (dir) => dir !== "" && wanted(dir) && !isTaken(dir);
}

function readOrNull<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    // A manifest that its own tool could not read, either.
    return null;
  }
}

function getParentPath(path: string): string {
  const slash = path.lastIndexOf("/");
  return slash < 0 ? "" : path.slice(0, slash);
}

const isBelow = (dir: string, above: string) => above === "" || dir.startsWith(`${above}/`);

function listAncestorDirectories(paths: readonly string[]): Set<string> {
  const found = new Set<string>();
  for (const path of paths) {
    for (let dir = getParentPath(path); dir !== "" && !found.has(dir); dir = getParentPath(dir))
      found.add(dir);
  }
  return found;
}

/** The packages of a project, and which of them a path belongs to: the nearest above it. */
export class PackageMap {
  private readonly byDir: ReadonlyMap<string, Package>;

  constructor(readonly packages: readonly Package[]) {
    // Of two in one directory, the first format's.
    this.byDir = new Map(packages.toReversed().map((one) => [one.dir, one]));
  }

  /** The package that a file or directory lies in; null: none. */
  findAround(path: string): Package | null {
    for (let dir = path; ; dir = getParentPath(dir)) {
      const found = this.byDir.get(dir);
      if (found !== undefined || dir === "") return found ?? null;
    }
  }

  /** The package of this name or directory; of names without their scope only if one alone has it. */
  findNamed(asked: string): Package | null {
    const dir = asked.replace(/^(\.\/)+/, "").replace(/\/+$/, "");
    const exact = this.packages.find(({ name }) => name === asked) ?? this.byDir.get(dir === "." ? "" : dir);
    const short = this.packages.filter(({ name }) => getShortName(name) === asked);
    return exact ?? (short.length === 1 ? short[0]! : null);
  }

  /** Names that somebody may have meant, the likeliest first. */
  suggestNames(asked: string, limit = 5): string[] {
    const wanted = getShortName(asked.toLowerCase());
    return this.packages
      .map(({ name }) => ({ name, short: getShortName(name.toLowerCase()) }))
      .map(({ name, short }) => ({
        name,
        far: short.includes(wanted) ? 0 : distance(wanted, short) / wanted.length,
      }))
      .filter(({ far }) => far <= maxDistance)
      .sort((a, b) => a.far - b.far)
      .slice(0, limit)
      .map(({ name }) => name);
  }
}

/** More edits than this share of a name make another name. */
const maxDistance = 0.5;

/**
 * The package that somebody names.
 * @throws PommelError `usage` for an unknown one
 */
export function requirePackage(packages: PackageMap, asked: string): Package {
  const found = packages.findNamed(asked);
  if (found !== null) return found;
  const near = packages.suggestNames(asked);
  throw new PommelError(
    "usage",
    packages.packages.length === 0
      ? `There is no package ${JSON.stringify(asked)}: this project has none.`
      : `There is no package ${JSON.stringify(asked)}.`,
    near.length > 0
      ? `Did you mean ${near.join(", ")}? \`pm code packages\` lists all.`
      : "`pm code packages` lists what there is; --path limits a search to a directory.",
  );
}

/** `web` of `@acme/web`. */
const getShortName = (name: string) => name.slice(name.lastIndexOf("/") + 1);

interface CachedPackages {
  revision: string;
  map: PackageMap;
  /** When the packages may be looked for again. Milliseconds of `performance`. */
  staleAt: number;
}

const packagesByIndex = new WeakMap<object, CachedPackages>();

/** Looking for packages after changes of the index takes no more than this share of the time. */
const shareOfTime = 0.05;

/**
 * The packages of an index's project, found anew when the index has changed; in an index that always changes, as often as
 * the time that it takes allows.
 */
export async function findPackagesOfIndex(
  index: Pick<SearchableIndex, "revision" | "files"> & Partial<Pick<CodeIndex, "skipped">>,
  root: string,
): Promise<PackageMap> {
  const revision = await index.revision();
  const start = performance.now();
  const before = packagesByIndex.get(index);
  if (before && (before.revision === revision || start < before.staleAt)) return before.map;
  // Manifests of a language that is not indexed are known as skipped.
  const [files, skipped] = await Promise.all([index.files(), index.skipped?.() ?? []]);
  const map = new PackageMap(
    findPackages(
      [...files, ...skipped].map(({ path }) => path),
      (path) => readManifest(join(root, path)),
    ),
  );
  const end = performance.now();
  packagesByIndex.set(index, { revision, map, staleAt: end + (end - start) / shareOfTime });
  return map;
}

function readManifest(path: string): string | null {
  try {
    const { size } = statSync(path);
    return size > maxBytes ? null : readFileSync(path, "utf8").replace(/^\ufeff/, "");
  } catch {
    return null;
  }
}
