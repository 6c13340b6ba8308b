import type { FileStamp } from "../../store/index/records.ts";
import { isGeneratedName } from "../files/file-kind.ts";
import { classifyPath, type PathRole } from "../files/path-role.ts";
import { detectLanguage, findGrammar } from "../languages/index.ts";

/** In the order in which they are indexed. */
const kinds = ["main source", "source", "test", "docs", "other text", "generated", "large"] as const;
type FileOrderKind = (typeof kinds)[number];

/** A language with a smaller share of a project's sources is none of its main ones. Of bytes. */
const mainShare = 0.1;
/** Larger files take as long as many others, and are mostly tables. Bytes. */
const maxUsualBytes = 150_000;

const kindOfRole: Readonly<Record<PathRole, FileOrderKind>> = {
  source: "source",
  barrel: "source",
  types: "source",
  legacy: "test",
  test: "test",
  example: "test",
  docs: "docs",
  changelog: "docs",
  generated: "generated",
  built: "generated",
};

/**
 * Puts files that are to be indexed in the order in which questions hit them: sources of the main languages first, tests, documents,
 * settings and data last; of the same kind those that changed lately, and often, before others.
 * @param all of the project's files, which say what its main languages are
 * @param lately paths that commits touched, those that they touched most and last in front
 */
export function sortByUse(
  files: readonly FileStamp[],
  all: readonly FileStamp[],
  lately: readonly string[],
): FileStamp[] {
  const main = findMainLanguages(all);
  const places = new Map(lately.map((path, i) => [path, i]));
  const keyed = files.map((file) => {
    const place = places.get(file.path) ?? Number.POSITIVE_INFINITY;
    return { file, kind: kinds.indexOf(classifyFile(file, main)), place };
  });
  return keyed
    .sort(
      (a, b) =>
        a.kind - b.kind ||
        (a.place === b.place ? 0 : a.place - b.place) ||
        b.file.mtimeMs - a.file.mtimeMs ||
        (a.file.path < b.file.path ? -1 : 1),
    )
    .map(({ file }) => file);
}

function classifyFile({ path, size }: FileStamp, main: ReadonlySet<string>): FileOrderKind {
  if (size > maxUsualBytes) return "large";
  if (isGeneratedName(path)) return "generated";
  const language = detectLanguage(path);
  const kind = kindOfRole[classifyPath(path)];
  if (kind === "source" && main.has(language)) return "main source";
  return kind === "docs" || findGrammar(language) !== null ? kind : "other text";
}

function findMainLanguages(files: readonly FileStamp[]): ReadonlySet<string> {
  const bytes = new Map<string, number>();
  let all = 0;
  for (const { path, size } of files) {
    const language = detectLanguage(path);
    if (size > maxUsualBytes || findGrammar(language) === null || kindOfRole[classifyPath(path)] !== "source")
      continue;
    bytes.set(language, (bytes.get(language) ?? 0) + size);
    all += size;
  }
  return new Set([...bytes].flatMap(([language, size]) => (size >= mainShare * all ? [language] : [])));
}
