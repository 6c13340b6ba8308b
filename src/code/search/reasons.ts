import { shortenLines } from "../../base/text/long-lines.ts";
import { listIdentifiers, nameKey, splitIdentifier, stem } from "../../base/text/tokens.ts";
import type { PackageMap } from "../packages/packages.ts";
import { findHeldWords, formatMentions } from "./mentioned.ts";
import type { AnalysedQuery } from "./query.ts";
import type { RankedChunk } from "./signals.ts";
import { findNamingDirectory } from "./signals.ts";
import type { Matcher } from "./verbatim/matchers.ts";
import { findTemplate } from "./verbatim/template.ts";

/** Characters of a chunk that are searched for the query's words, its long lines shortened. */
const maxLook = 100_000;

/** Below this, nearness moves a result without being a reason to show it, unless there is no other. A cosine. */
const minNearness = 0.4;
/** The same of a signal's contribution. */
const minContribution = 0.05;

/** Fewer words in a row do not count as a quotation. */
const minQuotation = 3;

/** Why a result was found, strongest reason first: "defines JoinHandle", "mentions retry, backoff". Never empty. */
export function listCodeReasons(
  { candidate, signals, change }: RankedChunk,
  query: AnalysedQuery,
  content: string,
  matchers: readonly Matcher[],
  packages: PackageMap | null = null,
): string[] {
  const { chunk, defines, semantic, fileSemantic } = candidate;
  const text = shortenLines(content).slice(0, maxLook);
  const held = matchers.map((matcher) => findHeldReason(matcher, content));
  const quoted =
    candidate.phrase > 0 && held.every((reason) => reason === "") ? describeQuotation(query, text) : "";
  const isDefined = (signals.definition ?? 0) >= minContribution;
  // What a stronger reason names already.
  const isOther = (word: string) =>
    !quoted.includes(word) && (!isDefined || !defines.some(({ key }) => key === nameKey(word)));
  const mentions = formatMentions(findHeldWords(query.words, text).filter(isOther)) ?? "";
  const telling: [number, string][] = [
    ...held.map((reason): [number, string] => [Number.POSITIVE_INFINITY, reason]),
    [signals.definition ?? 0, `defines ${defines[0]?.name ?? chunk.name}`],
    [signals.path ?? 0, "the requested file"],
    [signals.phrase ?? 0, quoted],
    [signals.lexical ?? 0, mentions],
    [signals.file_name ?? 0, describeFileNameMatch(chunk.path)],
    [isDefined ? 0 : (signals.name ?? 0), "name matches"],
    [signals.directories ?? 0, describeDirectoryMatch(query, chunk.path)],
  ];
  // True of most results: said where there is nothing better to say.
  const vague: [number, string][] = [
    [semantic >= minNearness ? (signals.semantic ?? 0) : 0, "similar in meaning"],
    [
      semantic < minNearness && fileSemantic >= minNearness ? (signals.file_semantic ?? 0) : 0,
      "file is similar in meaning",
    ],
    [signals.coherence ?? 0, "more of the file matches"],
    [Math.log(signals.history ?? 1), `changed by "${change?.subject}"`],
  ];
  const [strong, weak] = [selectStrongest(telling), selectStrongest(vague)];
  const found =
    strong.length > 0 ? strong : weak.length > 0 ? weak.slice(0, 1) : [chooseWeakReason(candidate, mentions)];
  // A reason for its place, never for being found.
  return signals.near === undefined
    ? found
    : [...found, `in ${packages?.findAround(chunk.path)?.name}, where you work`];
}

const maxReasons = 3;

function selectStrongest(reasons: readonly [contribution: number, reason: string][]): string[] {
  const counted = reasons.filter(
    ([contribution, reason]) => contribution >= minContribution && reason !== "",
  );
  return [...new Set(counted.sort(([a], [b]) => b - a).map(([, reason]) => reason))].slice(0, maxReasons);
}

/** For a result with weak evidence. */
function chooseWeakReason({ lexical, semantic }: RankedChunk["candidate"], mentioned: string): string {
  if (mentioned !== "") return mentioned;
  if (semantic > 0) return "loosely similar in meaning";
  return lexical > 0 ? "its context mentions words of the query" : "its file matches loosely";
}

function findHeldReason({ reason, text, mayBeRendered, matchesIn }: Matcher, content: string): string {
  for (const _ of matchesIn(content)) return reason;
  const template = mayBeRendered ? findTemplate(content, text) : null;
  return template ? `message "${template.text}"` : "";
}

/** The literal part of the query in the chunk: a message that it makes, or the longest row of the query's words. */
function describeQuotation(query: AnalysedQuery, content: string): string {
  const template = findTemplate(content, query.raw);
  if (template) return `message "${template.text}"`;
  const asked = query.sequence.map((word) => word.toLowerCase());
  const held = listIdentifiers(content).map((word) => word.toLowerCase());
  let longest: readonly string[] = [];
  for (let from = 0; from < asked.length; from++) {
    for (let at = held.indexOf(asked[from]!); at >= 0; at = held.indexOf(asked[from]!, at + 1)) {
      let words = 1;
      while (from + words < asked.length && asked[from + words] === held[at + words]) words++;
      if (words > longest.length) longest = query.sequence.slice(from, from + words);
    }
  }
  return longest.length < minQuotation ? "" : `words in a row: ${longest.join(" ")}`;
}

function describeFileNameMatch(path: string): string {
  const directory = findNamingDirectory(path);
  return directory === "" ? "file name matches" : `directory matches (${directory}/)`;
}

/** The directories of a path that the query mentions. */
function describeDirectoryMatch({ stems }: AnalysedQuery, path: string): string {
  const asked = new Set(stems);
  const matching = path
    .split("/")
    .slice(0, -1)
    .filter((name) => splitIdentifier(name).some((part) => asked.has(stem(part))));
  return matching.length === 0 ? "" : `directory matches (${matching.map((name) => `${name}/`).join(", ")})`;
}
