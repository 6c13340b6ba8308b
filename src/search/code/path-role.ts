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

const rules: readonly [PathRole, RegExp][] = [
  [
    "test",
    /(^|\/)(tests?|__tests__|specs?|testing|testdata|fixtures?|__mocks__|mocks?|e2e)\/|[._-](test|tests|spec|e2e|bench)\.[^/]+$|(^|\/)(test_[^/]+|conftest\.py)$|_(test|spec)\.[^/]+$|Tests?\.(java|kt|cs|swift|scala|php)$/i,
  ],
  ["example", /(^|\/)(examples?|samples?|demos?|benchmarks?|bench|playground|tutorials?)\//i],
  [
    "changelog",
    /(^|\/)(change_?logs?|changes|history|news|releases?|release[_-]notes)(\.(md|rst|txt|adoc))?$|(^|\/)\.?changesets?\//i,
  ],
  ["docs", /(^|\/)docs?(_src)?\/|\.(md|mdx|rst|adoc|txt)$/i],
  [
    "legacy",
    /(^|\/)(legacy|deprecated|compat|_?vendor(ed)?|third_party|old)(\/|\.[^/]+$)|[._-](legacy|deprecated|compat)\.[^/]+$/i,
  ],
  ["generated", /(^|\/)(generated|__generated__|gen)\/|\.(pb|g|generated|designer)\.[^/]+$|_pb2?\.[^/]+$/i],
  ["built", /(^|\/)(dist|bundles?|priv\/static|node_modules)\/|[.-](min|bundle|umd)\.[^/]+$|\.map$/i],
  ["barrel", /(^|\/)(index\.[cm]?[jt]sx?|__init__\.py|mod\.rs|lib\.rs|package-info\.java|init\.lua)$/i],
  ["types", /\.d\.[cm]?ts$/i],
];

/** Roles that what is built may have by its path alone. */
const ofSources: ReadonlySet<PathRole> = new Set(["source", "barrel", "types"]);

/** The words of a query (stems) that show it wants files of that role. */
const askedForBy: Record<PathRole, readonly string[]> = {
  source: [],
  test: ["test", "spec", "mock", "fixtur", "unittest", "assert"],
  example: ["exampl", "sampl", "demo", "benchmark", "tutori"],
  changelog: ["changelog", "changeset", "releas", "histori"],
  docs: ["doc", "document", "readm", "guid"],
  legacy: ["legaci", "deprec", "compat", "old", "vendor"],
  generated: ["gener", "protobuf"],
  built: ["dist", "bundl", "minifi", "umd"],
  barrel: ["index", "export", "init", "packag", "modul"],
  types: ["type", "declar"],
};

const known = new Map<string, PathRole>();

/**
 * The role of a path relative to the project's root.
 * @param isBuilt a compiler or a bundler wrote the file, as its content shows
 */
export function roleOf(path: string, isBuilt = false): PathRole {
  let role = known.get(path);
  if (role === undefined) {
    role = rules.find(([, pattern]) => pattern.test(path))?.[0] ?? "source";
    if (known.size > 100_000) known.clear();
    known.set(path, role);
  }
  return isBuilt && ofSources.has(role) ? "built" : role;
}

/** Whether the query mentions such files. */
export function isAskedFor(role: PathRole, stems: ReadonlySet<string>): boolean {
  return askedForBy[role].some((word) => stems.has(word));
}

const versionDirectory = /^(.*?\/)?v(\d+)\//;

/**
 * If versions of the code are side by side (`v3/`, `v4/`), a question is about the newest unless it names another.
 * Judged by the candidates: an old version alone is not an older one.
 */
export function olderVersions(
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
