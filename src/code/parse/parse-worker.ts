import { join } from "node:path";
import { parentPort, workerData } from "node:worker_threads";
import { explainError } from "../../base/errors.ts";
import { nameThread, readThreadId } from "../../base/thread.ts";
import { embedTexts } from "../../models/embed/embed-texts.ts";
import type { Embedder } from "../../models/embed/embedder.ts";
import { createStaticEmbedder } from "../../models/embed/static/static-embedder.ts";
import type { FileVectors } from "../../store/index/records.ts";
import { type ChunkedSource, chunkSource } from "../chunk/chunk.ts";
import { FileWords } from "../chunk/file-words.ts";
import { withFingerprints } from "../chunk/fingerprint.ts";
import { readSource } from "../files/read-source.ts";
import { extractGraph } from "../graph/extract.ts";
import { encodeGraph, type FileGraph } from "../graph/record.ts";
import {
  detectLanguage,
  detectLanguageOfHeader,
  findGrammar,
  isScriptHost,
  type LanguageId,
} from "../languages/index.ts";
import { extractScripts, parseNotebook } from "./embedded.ts";
import {
  type CachedFile,
  type ParsedFile,
  type ParseOutcome,
  type ParseRequest,
  progressIndex,
  type WorkerData,
} from "./parse-messages.ts";
import { SourceParser } from "./parser.ts";

/** A message for each file costs more than it brings; most batches are done before. Milliseconds. */
const answerAfterMs = 100;

/** Pause before loading a failed model again, which takes longer than parsing a file. Milliseconds. */
const modelRetryPauseMs = 30_000;

/** Embeds the chunks of files with the bundled model, in the thread that parses them. */
class ChunkEmbedder {
  private readonly embedder: Embedder;
  private readonly never = new AbortController().signal;
  private pausedUntil = 0;

  constructor(modelDir?: string) {
    this.embedder = createStaticEmbedder(modelDir, { manyTexts: true });
  }

  /** The vectors of a file's chunks, or the reason for their absence; neither during the pause after a failure. */
  async embed(texts: readonly string[]): Promise<{ vectors?: FileVectors; vectorProblem?: string }> {
    if (Date.now() < this.pausedUntil) return {};
    const { id: model, dimensions } = this.embedder;
    try {
      const vectors = packVectors(await embedTexts(this.embedder, texts, this.never), dimensions);
      return { vectors: { model, dimensions, vectors } };
    } catch (error) {
      this.pausedUntil = Date.now() + modelRetryPauseMs;
      return { vectorProblem: explainError(error) };
    }
  }
}

/** Copies vectors into one buffer: transferring many buffers is slow. */
function packVectors(vectors: readonly (Int8Array | null)[], dimensions: number): (Int8Array | null)[] {
  const data = new Int8Array(vectors.length * dimensions);
  return vectors.map((vector, i) => {
    if (vector === null) return null;
    data.set(vector, i * dimensions);
    return data.subarray(i * dimensions, (i + 1) * dimensions);
  });
}

/**
 * A thread that reads, parses, chunks and embeds files, batch by batch. Whatever goes wrong in a grammar is thrown:
 * the thread dies, and the pool starts another and tries the file again without the grammar.
 */

nameThread("pm-parse");
const { settings, progress } = workerData as WorkerData;
Atomics.store(progress, progressIndex.thread, readThreadId());
const levels = new Set(settings.levels);
const wanted = new Set(settings.languages);
const parser = new SourceParser(settings.grammarDir);
const embedder = new ChunkEmbedder(settings.modelDir);
const words = new FileWords();
const port = parentPort!;

// Without tree-sitter every file would fail, so fail at the start. Loading is asynchronous, so batches queue behind it.
let work = parser.start().then(() => {
  Atomics.store(progress, progressIndex.ready, 1);
});
port.on("message", (batch: ParseRequest[]) => {
  work = work.then(() => parseBatch(batch));
});

/** Answers together, but what is done does not wait long for a file that takes its time. */
async function parseBatch(batch: ParseRequest[]): Promise<void> {
  let outcomes: (ParseOutcome | CachedFile)[] = [];
  let answered = performance.now();
  for (const [i, request] of batch.entries()) {
    const start = performance.now();
    if (outcomes.length > 0 && start - answered > answerAfterMs) {
      port.postMessage(outcomes);
      outcomes = [];
      answered = start;
    }
    const outcome = await parseFile(request);
    outcomes.push({ ...outcome, tookMs: performance.now() - start });
    Atomics.add(progress, progressIndex.finished, 1);
    if (i === batch.length - 1) port.postMessage(outcomes);
  }
}

async function parseFile(request: ParseRequest): Promise<ParseOutcome | CachedFile> {
  const { stamp, knownHash, cachedHashes, linesOnly, withText } = request;
  const { path } = stamp;
  const { root, maxFileSize, withVectors } = settings;
  const source =
    request.text === undefined
      ? readSource(join(root, path), stamp, { maxFileSize })
      : { ...stamp, kind: "text" as const, text: request.text, hash: "", isBuilt: false };
  if (source.kind === "gone") return { status: "gone", path };
  const { size, mtimeMs } = source;
  if (source.kind === "skip") return { status: "skipped", path, size, mtimeMs, reason: source.reason };
  const { hash, isBuilt } = source;
  if (hash === knownHash) return { status: "unchanged", path, size, mtimeMs };
  if (cachedHashes.includes(hash)) return { status: "cached", path, size, mtimeMs, hash };
  const notebook = path.endsWith(".ipynb") ? parseNotebook(source.text) : null;
  const { text, language } = notebook ?? {
    text: source.text,
    language: detectFileLanguage(path, source.text),
  };
  if (wanted.size > 0 && !wanted.has(language)) {
    return { status: "skipped", path, size, mtimeMs, reason: "language_off" };
  }
  const code = isScriptHost(language) ? extractScripts(language, text) : text;
  const grammar = linesOnly || code === null ? null : findGrammar(language);
  const syntax = grammar === null ? null : await parser.parse(code!, grammar);
  try {
    words.begin(text.length);
    const options = {
      levels,
      withText: withText || withVectors,
      termsOf: (of: string) => words.toWordNumbers(of),
    };
    const chunked = chunkSource({ path, language, text }, syntax, options);
    const graph = syntax === null ? null : extractGraph(syntax, code!, grammar!);
    if (notebook?.fileLines) moveToFileLines(notebook.fileLines, chunked, graph);
    const parsed: ParsedFile = {
      status: "indexed",
      path,
      size,
      mtimeMs,
      hash,
      language,
      isBuilt,
      ...chunked,
      words: words.all,
      chunks: withFingerprints(chunked.chunks, words.all),
      graph: graph && encodeGraph(graph),
    };
    return withVectors && !withText ? await embedFile(parsed) : parsed;
  } finally {
    syntax?.delete();
  }
}

/** Puts what was found in a notebook's code at the lines of its file. */
function moveToFileLines(
  fileLines: readonly number[],
  chunked: ChunkedSource,
  graph: FileGraph | null,
): void {
  const getFileLine = (line: number) => fileLines[line - 1] ?? fileLines.at(-1)!;
  for (const chunk of chunked.chunks) {
    chunk.startLine = getFileLine(chunk.startLine);
    chunk.endLine = getFileLine(chunk.endLine);
  }
  for (const symbol of chunked.symbols) symbol.line = getFileLine(symbol.line);
  chunked.lines = fileLines.at(-1)!;
  for (const definition of graph?.definitions ?? []) {
    definition.line = getFileLine(definition.line);
    definition.endLine = getFileLine(definition.endLine);
  }
  for (const field of graph?.fields ?? []) field.line = getFileLine(field.line);
  for (const reference of graph?.references ?? [])
    reference.lines = [...new Set(reference.lines.map(getFileLine))];
}

/** Replaces the texts, which are as long as the file, by vectors. */
async function embedFile(file: ParsedFile): Promise<ParsedFile> {
  const texts = file.chunks.map((chunk) => chunk.text);
  const chunks = file.chunks.map((chunk) => ({ ...chunk, text: "", docs: [] }));
  return { ...file, chunks, ...(await embedder.embed(texts)) };
}

function detectFileLanguage(path: string, text: string): LanguageId {
  if (path.endsWith(".h")) return detectLanguageOfHeader(text, settings.headerLanguage);
  return detectLanguage(path, text.slice(0, 200).split("\n", 1)[0]);
}
