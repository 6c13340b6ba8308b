import { addTo, getOrCreate } from "../../../base/multimap.ts";
import { listIdentifiers, nameKey } from "../../../base/text/tokens.ts";
import type { ChunkId, FileId, SearchableIndex, SearchScope } from "../../../store/index/port.ts";
import { classifyPath, isAskedFor } from "../../files/path-role.ts";
import { detectLanguage, findGrammar } from "../../languages/index.ts";
import { collectCandidates, weighStems } from "../candidates.ts";
import { type Changes, findFilesChangedLikewise } from "../likewise.ts";
import { type AnalysedQuery, analyseQuery } from "../query.ts";
import { type ChunkCandidate, isInlineTest, measureDirectoriesFit, measureFileNameFit } from "../signals.ts";
import type { EmbeddedQuery } from "../vectors/query-embedder.ts";
import { findHolders } from "../verbatim/holders.ts";
import type { Weights } from "../weights.ts";
import { FileFinder, type NamedFiles } from "./named-files.ts";
import type { Report } from "./read-report.ts";
import { type FileEvidence, type ReportSignal, reportSignals } from "./report-signals.ts";
import { selectTellingWords } from "./telling-words.ts";

/** What the index answers to a report. */
export interface ReportEvidence {
  files: ReadonlyMap<FileId, FileEvidence>;
  /** Their chunks, with the best that any part of the report says for each. */
  candidates: ChunkCandidate[];
  /** The report as one query, of its most telling words. */
  query: AnalysedQuery;
  changes: Changes;
  /** How much it is a log: a stack trace that leads into this project, and few words beside it. 0 to 1. */
  isLog: number;
  /** Cosine of the chunk nearest to what is told, by the first model. */
  nearest: number | null;
  /** What was found of what it names, for a reader. */
  found: { frames: number; files: number; names: number };
}

/** Words that a long text asks with. */
const maxWords = 64;
/** Names that are looked up, and how many definitions a name may have that still means something. */
const maxNames = 300;
const maxDefinitions = 30;
/** A stack trace with so many words beside it is no longer a log. */
const wordsOfReport = 40;
/** Errors, the last ones, whose text is looked for. */
const maxErrors = 2;
/** What a failed test is called, and what it says: that a test is named does not mean that tests are asked for. */
const ofFailure = /\S*(?:\/|::|_|\.\w)\S*|\b\w*(?:Error|Exception|Failure)\b.*/g;
const codeName = /\p{Ll}\p{Lu}|_|\p{L}\d|\d\p{L}/u;
const dottedName = /\b[a-zA-Z_]\w*(?:\.[a-zA-Z_]\w*)+/g;

/**
 * Asks the index with each part of a report in its own way.
 * @param embed gives a text's vectors
 */
export async function collectReportEvidence(
  index: SearchableIndex,
  report: Report,
  {
    root,
    scope,
    weights,
    embed,
  }: { root: string; scope: SearchScope; weights: Weights; embed: (text: string) => Promise<EmbeddedQuery> },
): Promise<ReportEvidence> {
  const told = `${report.title}\n${report.prose}`;
  const quoted = [report.code, ...report.errors].join("\n");
  const select = async (text: string): Promise<AnalysedQuery> => ({
    ...analyseQuery((await selectTellingWords(index, text, maxWords)).join(" ")),
    intent: "language",
  });
  const [title, toldWords] = [analyseQuery(report.title), await select(told)];
  // What is told weighs twice what is quoted.
  const whole = await select(`${told}\n${told}\n${quoted}`);
  const plain = { ...weights, phrase: 0, definitionsPerName: 0 };
  const files = new Map<FileId, FileEvidence>();
  const merged = new Map<ChunkId, ChunkCandidate>();
  const paths = new Map<FileId, string>();
  const getEvidence = (file: FileId, path: string): FileEvidence => {
    paths.set(file, path);
    return getOrCreate(
      files,
      file,
      () => Object.fromEntries(reportSignals.map((signal) => [signal, 0])) as FileEvidence,
    );
  };
  const ask = async (
    query: AnalysedQuery,
    meaning: EmbeddedQuery,
    signals: readonly (readonly [keyof ChunkCandidate, ReportSignal])[],
  ) => {
    if (query.tokens.length === 0) return null;
    const { candidates, nearest } = await collectCandidates(index, query, meaning, scope, plain, null);
    for (const candidate of candidates) {
      merge(merged, candidate);
      if (isInlineTest(candidate.chunk)) continue;
      const evidence = getEvidence(candidate.chunk.file, candidate.chunk.path);
      for (const [value, signal] of signals)
        evidence[signal] = Math.max(evidence[signal], candidate[value] as number);
    }
    return nearest;
  };
  await ask(title, await embed(report.title), [
    ["lexical", "title_words"],
    ["semantic", "title_meaning"],
    ["fileSemantic", "title_file_meaning"],
  ]);
  const nearest = await ask(whole, await embed(told), [
    ["lexical", "words"],
    ["file", "file_words"],
    ["semantic", "told_meaning"],
    ["fileSemantic", "told_file_meaning"],
  ]);

  const named = await findNamedFiles(index, report, told, quoted);
  const definitions = await findNamedDefinitions(index, report, told, quoted);
  const makers = await findMakers(index, root, report, scope);
  const fresh = [...definitions.ids.keys(), ...makers].filter((id) => !merged.has(id));
  const ofNamed = named.entries.map(({ id }) => id).filter((id) => !files.has(id));
  const chunks = [...(await index.readOutlines(fresh)), ...(await index.readChunksOfFiles(ofNamed))];
  const isWanted = (file: FileId) => scope.files === null || scope.files.includes(file);
  for (const chunk of chunks.filter(
    ({ file, level }) => isWanted(file) && (scope.levels?.includes(level) ?? true),
  )) {
    merge(merged, {
      chunk,
      lexical: 0,
      phrase: 0,
      quoted: 0,
      semantic: 0,
      fileSemantic: 0,
      fileNearness: 0,
      defines: [],
      file: 0,
    });
    getEvidence(chunk.file, chunk.path);
  }
  for (const candidate of merged.values()) {
    const evidence = files.get(candidate.chunk.file);
    if (evidence === undefined) continue;
    if (makers.has(candidate.chunk.id)) evidence.message = 1;
    for (const { signal, share } of definitions.ids.get(candidate.chunk.id) ?? []) evidence[signal] += share;
  }
  const titleWeights = await weighStems(index, title);
  const toldWeights = await weighStems(index, toldWords);
  const changes = await findFilesChangedLikewise(
    index.commits,
    { ...title, intent: "language" },
    titleWeights,
  );
  const asked = new Set(analyseQuery(report.title.replace(ofFailure, " ")).stems);
  for (const [file, evidence] of files) {
    const path = paths.get(file)!;
    for (const signal of ["names_told", "names_quoted", "names_called"] as const)
      evidence[signal] = Math.log1p(evidence[signal]);
    evidence.file_name_title = measureFileNameFit(path, title, titleWeights);
    evidence.file_name_told = measureFileNameFit(path, toldWords, toldWeights);
    evidence.directories_title = measureDirectoriesFit(path, titleWeights);
    evidence.path = named.paths.get(path) ?? 0;
    evidence.module = named.modules.get(path) ?? 0;
    evidence.frame = named.frames.get(path) ?? 0;
    evidence.innermost_frame = named.innermost.get(path) ?? 0;
    evidence.history = changes.get(path)?.strength ?? 0;
    const role = classifyPath(path);
    if (role !== "source") {
      evidence[role] = 1;
      evidence.kind_asked = Number(isAskedFor(role, asked));
    }
    evidence.no_code = Number(findGrammar(detectLanguage(path)) === null);
  }
  return {
    files,
    candidates: [...merged.values()].filter(({ chunk }) => files.has(chunk.file)),
    query: whole,
    changes,
    isLog:
      named.frames.size === 0
        ? 0
        : Math.max(0, 1 - report.prose.split(/\s+/).filter(Boolean).length / wordsOfReport),
    nearest,
    found: { frames: named.innermost.size, files: named.entries.length, names: definitions.names },
  };
}

/** The best that any part of a report says for a chunk. */
function merge(merged: Map<ChunkId, ChunkCandidate>, candidate: ChunkCandidate): void {
  const known = merged.get(candidate.chunk.id);
  if (known === undefined) {
    merged.set(candidate.chunk.id, { ...candidate });
    return;
  }
  for (const value of ["lexical", "semantic", "fileSemantic", "fileNearness", "file"] as const)
    known[value] = Math.max(known[value], candidate[value]);
}

/** Chunks with a string that makes one of the last errors. */
async function findMakers(
  index: SearchableIndex,
  root: string,
  { errors, title }: Report,
  scope: SearchScope,
): Promise<Set<ChunkId>> {
  const makers = new Set<ChunkId>();
  for (const error of [...errors.slice(-maxErrors), title]) {
    const message = error
      .replace(/^(?:E\s+)?(?:[\w$.]+(?:Error|Exception|Warning)|[Ee]rror(?:\[\w+\])?): */, "")
      .slice(0, 300);
    const { chunks } = await findHolders(index, root, [], scope, message);
    for (const id of chunks.keys()) makers.add(id);
  }
  return makers;
}

interface FoundFiles {
  paths: NamedFiles;
  modules: NamedFiles;
  /** Of a stack trace; `innermost`: less for each file of this project that is nearer to where it ends. */
  frames: NamedFiles;
  innermost: NamedFiles;
  entries: { id: FileId; path: string }[];
}

async function findNamedFiles(
  index: SearchableIndex,
  report: Report,
  told: string,
  quoted: string,
): Promise<FoundFiles> {
  const paths = new Map<string, number>();
  const modules = new Map<string, number>();
  const frames = new Map<string, number>();
  const innermost = new Map<string, number>();
  const dotted = new Set([told, quoted].flatMap((text) => text.match(dottedName) ?? []));
  const isNaming = report.paths.length > 0 || report.frames.length > 0 || dotted.size > 0;
  const all = isNaming ? await index.files() : [];
  const finder = new FileFinder(all);
  const raise = (map: Map<string, number>, found: NamedFiles, share = 1) => {
    for (const [path, sure] of found) map.set(path, Math.max(map.get(path) ?? 0, sure * share));
  };
  for (const path of report.paths) raise(paths, finder.findByPath(path));
  for (const name of dotted) raise(modules, finder.findByModule(name));
  let depth = 0;
  for (const { path } of report.frames) {
    const found = finder.findByPath(path);
    if (found.size === 0) continue;
    raise(frames, found);
    raise(innermost, found, 1 / (1 + depth++));
  }
  const named = new Set([...paths.keys(), ...modules.keys(), ...frames.keys()]);
  return { paths, modules, frames, innermost, entries: all.filter(({ path }) => named.has(path)) };
}

/** Chunks that define names of a report, each with its share of the name: one that many define means none of them. */
async function findNamedDefinitions(
  index: SearchableIndex,
  report: Report,
  told: string,
  quoted: string,
): Promise<{ ids: Map<ChunkId, { signal: ReportSignal; share: number }[]>; names: number }> {
  const inCode = [...told.matchAll(/`([^`\n]+)`/g)].flatMap(([, span]) => listIdentifiers(span!));
  const called = [...told.matchAll(/([\w$]+)\(/g)].map(([, name]) => name!);
  const dotted = (told.match(dottedName) ?? []).flatMap((name) => name.split("."));
  const asked: [ReportSignal, readonly string[]][] = [
    [
      "names_told",
      [...inCode, ...called, ...dotted, ...listIdentifiers(told).filter((word) => codeName.test(word))],
    ],
    ["names_quoted", listIdentifiers(quoted)],
    ["names_called", report.frames.flatMap(({ name }) => name ?? [])],
  ];
  const ids = new Map<ChunkId, { signal: ReportSignal; share: number }[]>();
  const names = new Set<string>();
  for (const [signal, written] of asked) {
    const keys = [...new Set(written.map(nameKey))].filter((key) => key.length > 2).slice(0, maxNames);
    if (keys.length === 0) continue;
    const ofKey = new Map<string, ChunkId[]>();
    for (const { key, id } of await index.findDefinitions(keys, maxDefinitions)) addTo(ofKey, key, id);
    for (const [key, found] of ofKey) {
      if (found.length >= maxDefinitions) continue;
      names.add(key);
      for (const id of found) addTo(ids, id, { signal, share: 1 / found.length });
    }
  }
  return { ids, names: names.size };
}
