import picomatch from "picomatch";
import { listIdentifiers, nameKey } from "../../base/text/tokens.ts";
import { classifyPath } from "../../code/files/path-role.ts";
import type { ChunkId, SearchableIndex, StoredChunk } from "../../store/index/port.ts";
import type { SearchAsked } from "./search-asked.ts";
import type { ContextItem, PlaceFound, SearchSource } from "./source.ts";

/*
 * What an agent is about to search for, told before it searches: at most three places, and only where Pommel is sure: a name that
 * one definition has, and files that are called as they are looked for. What a search by meaning finds for a pattern is a guess: of
 * ten such answers, three were about something else. Measured by `npm run bench:before-search`.
 */

const maxPlaces = 3;
/** A name with more definitions is ambiguous. */
const maxDefinitions = 2;
const maxNames = 4;
const minNameChars = 4;

/** Words of languages, which stand in patterns beside what is looked for. */
const ofLanguages: ReadonlySet<string> = new Set(
  "func function class struct interface type const let var import export package return def async await public private static void string bool boolean int error errors true false null nil undefined self this test tests todo fixme from require include new case default switch range map".split(
    " ",
  ),
);

/** The names in a pattern, each once: without escapes, classes, words of languages, and words that hyphens join, as in "copy-button". */
export function namesIn(pattern: string): string[] {
  const plain = pattern
    .replace(/\\[bBdDsSwWAzZ]/g, " ")
    .replace(/\\(.)/g, "$1")
    .replace(/\[[^\]]*\]|\{\d+,?\d*\}|\(\?[:!=<][^)]*/g, " ")
    .replace(/\w+(?:-\w+)+/g, " ");
  const names = listIdentifiers(plain).filter(
    (name) => name.length >= minNameChars && !ofLanguages.has(name.toLowerCase()),
  );
  return [...new Set(names)];
}

/** Definitions of the names in a pattern; none where a name is anybody's. */
export async function findDefinitionsByName(
  index: SearchableIndex,
  names: readonly string[],
): Promise<PlaceFound[]> {
  if (names.length === 0 || names.length > maxNames) return [];
  const definitions = await index.findDefinitions([...new Set(names.map(nameKey))], 8 * maxDefinitions);
  const chunks = new Map<ChunkId, StoredChunk>();
  for (const chunk of await index.readChunks(definitions.map(({ id }) => id))) chunks.set(chunk.id, chunk);
  return names.flatMap((name) => {
    const found = definitions
      .filter((definition) => definition.name === name)
      .flatMap(({ id }) => chunks.get(id) ?? [])
      .filter(({ path }) => !["docs", "generated"].includes(classifyPath(path)));
    const outsideTests = found.filter(({ path }) => classifyPath(path) !== "test");
    const meant = outsideTests.length > 0 ? outsideTests : found;
    if (meant.length === 0 || meant.length > maxDefinitions) return [];
    return meant.map(({ path, startLine }) => ({ path, line: startLine, name }));
  });
}

/** A search that is less likely than this to have found what is meant is not told of. */
const minProbability = 0.75;
const maxQueryNames = 8;

/**
 * The places that a search is after, in a line; nothing where it is not sure.
 * @param known whether the session has opened a file already
 */
export async function findPlaceInjections(
  source: SearchSource,
  { pattern, path, isForFiles }: SearchAsked,
  known: (path: string) => boolean,
): Promise<ContextItem[]> {
  // Who searches in one file knows the place.
  if (/\.\w+$/.test(path) && !path.includes("*")) return [];
  const inPath = makePathFilter(path);
  const names = isForFiles ? namesOfFiles(pattern) : namesIn(pattern);
  if (names.length === 0 || names.length > maxQueryNames) return [];
  const found = isForFiles
    ? await searchPlaces(source, names, path, inPath)
    : (await source.definitions(names)).filter((one) => inPath(one.path));
  // Who looks for a file by its name is told of files that are called so.
  const isMeant = makePatternFilter(pattern);
  const places = isForFiles ? found.filter((one) => isMeant(one.path)) : found;
  // A name that many files have is told of none of them.
  if (isForFiles && places.length > maxPlaces) return [];
  const untold = places.filter((one) => !known(one.path)).slice(0, maxPlaces);
  if (untold.length === 0) return [];
  // An item each, as whether it is opened is known of each.
  return untold.map(({ path: file, line, name }) => ({
    ref: `code:${file}#${name}`,
    kind: "Likely",
    quote: `${file}:${line} ${name}`,
    place: "",
    why: "before a search",
    score: null,
  }));
}

/** Files in every directory: who looks for them wants all. */
const anyFile: ReadonlySet<string> = new Set("init index main mod lib readme test tests".split(" "));

/** What files are called that are looked for; of their directories and their kind alone nothing can be said. */
function namesOfFiles(pattern: string): string[] {
  const name = pattern.slice(pattern.lastIndexOf("/") + 1).replace(/(?<=.)\.[\w*{},]+$/, "");
  const names = namesIn(name.replace(/[*?-]+/g, " "));
  return names.filter((one) => !anyFile.has(one.toLowerCase().replace(/^_+|_+$/g, "")));
}

async function searchPlaces(
  source: SearchSource,
  names: readonly string[],
  path: string,
  inPath: (path: string) => boolean,
): Promise<PlaceFound[]> {
  const answer = await source.search(names.join(" "), path === "" || path === "." ? [] : [path]);
  if (answer === null || answer.verdict !== "found" || answer.probability < minProbability) return [];
  return answer.results
    .filter(({ file }) => inPath(file))
    .map(({ file, start_line, name }) => ({ path: file, line: start_line, name }));
}

/** Files that a glob means, from wherever it is; as shells and file systems differ, whatever the case of letters. */
function makePatternFilter(pattern: string): (path: string) => boolean {
  const plain = pattern.replace(/\\/g, "/").replace(/^(?:\.\/)+|^\/+/g, "");
  return picomatch([plain, `**/${plain}`], { dot: true, nocase: true });
}

function makePathFilter(path: string): (path: string) => boolean {
  const plain = path.replace(/^(?:\.\/)+/, "").replace(/\/+$/, "");
  if (plain === "" || plain === "." || plain.startsWith("/") || plain.startsWith("..")) return () => true;
  return picomatch([plain, `${plain}/**`], { dot: true });
}
