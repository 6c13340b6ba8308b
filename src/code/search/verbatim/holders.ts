import { setImmediate as nextTurn } from "node:timers/promises";
import type { Level } from "../../../base/levels.ts";
import { isUtf16 } from "../../../base/text/decode.ts";
import type { HeldWord } from "../../../base/text/tokens.ts";
import type {
  ChunkId,
  FileId,
  IndexEntry,
  SearchableIndex,
  SearchScope,
  StoredChunk,
} from "../../../store/index/port.ts";
import { analyseQuery } from "../query.ts";
import { createLineLocator, readSource } from "../source.ts";
import type { NamedPlace } from "../types.ts";
import { heldBytes } from "./held-bytes.ts";
import type { Matcher } from "./matchers.ts";
import { collectPhrases } from "./phrases.ts";
import { findTemplate } from "./template.ts";

/** First and last line of a match; 1-based. */
type LineSpan = readonly [number, number];
type PlacesByFile = Map<FileId, LineSpan[]>;

/** The chunks that contain all required texts, and where. */
export interface Holders {
  /** The smallest chunks around the matches, with the lines on which these begin. */
  chunks: Map<ChunkId, number[]>;
  /** There are more: the number of files that are searched is limited. */
  isCut: boolean;
  /** There may be more: some files would have taken too long, or were too many. */
  isIncomplete: boolean;
}

/** How long a question may take. */
interface HolderLimits {
  /** One that takes longer answers with what it has. Milliseconds. */
  limitMs: number;
  /** A file is left out that would take more steps of a pattern, as nothing can stop it: some seconds. */
  maxSteps: number;
  /** If more files may hold a text, it is not looked for. */
  maxFilesRead: number;
}

const usualPatience: HolderLimits = { limitMs: 5000, maxSteps: 3e7, maxFilesRead: Number.POSITIVE_INFINITY };

/** A pattern that matches more files or more often finds nothing in particular. */
const maxFiles = 1000;
const maxMatchesPerFile = 200;
/** Of chunks of the same lines the first of these. */
const preferred: readonly Level[] = ["method", "class", "block", "lines", "file"];
/** After so much work others have their turn: the daemon answers meanwhile. Milliseconds. */
const sliceMs = 15;

/**
 * Finds what matches: the index narrows the files down where it knows a whole word, the text on disk decides.
 * @param message a message that may have quotes of its own: the strings that make it hold it as well; null: none
 */
export async function findHolders(
  index: SearchableIndex,
  root: string,
  matchers: readonly Matcher[],
  scope: SearchScope,
  message: string | null,
  { limitMs, maxSteps, maxFilesRead }: HolderLimits = usualPatience,
): Promise<Holders> {
  const places: PlacesByFile[] = [];
  const until = performance.now() + limitMs;
  let isCut = false;
  let isIncomplete = false;
  for (const matcher of matchers) {
    const looked = await findLiteralPlaces(index, root, matcher, scope, {
      until,
      maxSteps,
      maxFilesRead,
    });
    let found = looked.places;
    isIncomplete ||= looked.isIncomplete;
    if (found.size === 0 && matcher.mayBeRendered)
      found = await findTemplatePlaces(index, root, matcher.text, scope);
    isCut ||= found.size >= maxFiles;
    places.push(found);
  }
  const chunks = await findChunksAround(index, places, scope);
  if (message !== null) {
    const makers = await findTemplatePlaces(index, root, message, scope);
    for (const [id, lines] of await findChunksAround(index, [makers], scope)) chunks.set(id, lines);
  }
  return { chunks, isCut, isIncomplete };
}

async function findLiteralPlaces(
  index: SearchableIndex,
  root: string,
  matcher: Matcher,
  scope: SearchScope,
  { until, maxSteps, maxFilesRead }: { until: number } & Omit<HolderLimits, "limitMs">,
): Promise<{ places: PlacesByFile; isIncomplete: boolean }> {
  const places: PlacesByFile = new Map();
  let isIncomplete = false;
  let turnEnds = performance.now() + sliceMs;
  const holds = heldBytes();
  const mayHold = (bytes: Buffer) => isUtf16(bytes) || holds(bytes, matcher.bytes);
  const files = await findFilesWithWords(index, matcher.words, scope);
  if (files.length > maxFilesRead) return { places, isIncomplete: true };
  for (const { id, path } of files) {
    if (places.size >= maxFiles) break;
    if (performance.now() >= until) return { places, isIncomplete: true };
    if (performance.now() >= turnEnds) {
      await nextTurn();
      turnEnds = performance.now() + sliceMs;
    }
    const text = readSource(root, path, mayHold)?.text ?? "";
    if (text.length * matcher.cost > maxSteps && canMatchText(matcher, text)) {
      isIncomplete = true;
      continue;
    }
    const spans = findMatchSpans(matcher, text);
    if (spans.length > 0) places.set(id, spans);
  }
  return { places, isIncomplete };
}

function canMatchText({ parts }: Matcher, text: string): boolean {
  const lower = text.toLowerCase();
  return parts.every((part) => lower.includes(part.toLowerCase()));
}

/** The lines of the first matches. */
function findMatchSpans(matcher: Matcher, text: string): LineSpan[] {
  const spans: LineSpan[] = [];
  let lineAt: ((offset: number) => number) | null = null;
  for (const [start, end] of matcher.matchesIn(text)) {
    lineAt ??= createLineLocator(text);
    spans.push([lineAt(start), lineAt(Math.max(start, end - 1))]);
    if (spans.length === maxMatchesPerFile) break;
  }
  return spans;
}

/** Files of the scope that may hold the words, by path. */
async function findFilesWithWords(
  index: SearchableIndex,
  words: readonly HeldWord[],
  scope: SearchScope,
): Promise<IndexEntry[]> {
  const files =
    index.findFilesHolding && words.length > 0
      ? await index.findFilesHolding(words)
      : await findFilesWithRarestWord(
          index,
          words.flatMap(({ text, is }) => (is === "whole" ? text : [])),
        );
  const wanted = scope.files && new Set(scope.files);
  return files.filter(({ id }) => wanted?.has(id) ?? true).sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Files that hold the rarest of the words; all where there is none. */
async function findFilesWithRarestWord(
  index: SearchableIndex,
  words: readonly string[],
): Promise<IndexEntry[]> {
  const files = await index.files();
  const { holding } = await index.countFrequencies(words);
  const rarest = words.toSorted((a, b) => (holding.get(a) ?? 0) - (holding.get(b) ?? 0))[0];
  if (rarest === undefined) return files;
  const [ids = []] = await index.findPhrases([rarest], Number.MAX_SAFE_INTEGER);
  const holders = new Set((await index.readOutlines(ids)).map(({ file }) => file));
  return files.filter(({ id }) => holders.has(id));
}

/** Where a string with placeholders stands that makes the text. */
async function findTemplatePlaces(
  index: SearchableIndex,
  root: string,
  text: string,
  scope: SearchScope,
): Promise<PlacesByFile> {
  const places: PlacesByFile = new Map();
  const phrases = await collectPhrases(index, analyseQuery(text).sequence);
  const wanted = scope.files && new Set(scope.files);
  for (const chunk of await index.readChunks([...phrases.keys()])) {
    if (wanted && !wanted.has(chunk.file)) continue;
    const source = readSource(root, chunk.path)?.text ?? "";
    const template = findTemplate(source, text);
    if (template === null) continue;
    const line = createLineLocator(source)(template.at);
    places.set(chunk.file, [[line, line]]);
  }
  return places;
}

/** The smallest chunk around a place: of the file with that path, else of those whose paths end so. */
export async function findChunksAtPlace(
  index: SearchableIndex,
  { file, first, last }: NamedPlace,
  scope: SearchScope,
): Promise<Holders> {
  const files = await index.files();
  const exact = files.filter(({ path }) => path === file);
  const named = exact.length > 0 ? exact : files.filter(({ path }) => path.endsWith(`/${file}`));
  const places: PlacesByFile = new Map(named.map(({ id }) => [id, [[first, last]]]));
  return { chunks: await findChunksAround(index, [places], scope), isCut: false, isIncomplete: false };
}

/** The smallest chunk around each match of the first that has one of every other in it as well. */
async function findChunksAround(
  index: SearchableIndex,
  [first = new Map(), ...others]: readonly PlacesByFile[],
  { levels }: SearchScope,
): Promise<Map<ChunkId, number[]>> {
  const found = new Map<ChunkId, number[]>();
  const files = [...first.keys()].filter((file) => others.every((places) => places.has(file)));
  const ofFile = new Map<FileId, StoredChunk[]>(files.map((file) => [file, []]));
  for (const chunk of await index.readChunksOfFiles(files)) ofFile.get(chunk.file)?.push(chunk);
  for (const file of files) {
    const chunks = (ofFile.get(file) ?? [])
      .filter(({ level }) => levels === null || levels.includes(level))
      .sort(
        (a, b) =>
          countChunkLines(a) - countChunkLines(b) || preferred.indexOf(a.level) - preferred.indexOf(b.level),
      );
    const rest = others.map((places) => places.get(file) ?? []);
    for (const span of first.get(file) ?? []) {
      const holds = (chunk: StoredChunk) =>
        isIn(chunk, span) && rest.every((spans) => spans.some((one) => isIn(chunk, one)));
      const holder = chunks.find(holds);
      if (!holder) continue;
      const lines = found.get(holder.id) ?? [];
      found.set(holder.id, lines);
      for (const [line] of [span, ...rest.flat().filter((one) => isIn(holder, one))]) {
        if (!lines.includes(line)) lines.push(line);
      }
    }
  }
  for (const lines of found.values()) lines.sort((a, b) => a - b);
  return found;
}

const countChunkLines = ({ startLine, endLine }: StoredChunk) => endLine - startLine;

const isIn = ({ startLine, endLine }: StoredChunk, [from, to]: LineSpan) =>
  startLine <= from && to <= endLine;
