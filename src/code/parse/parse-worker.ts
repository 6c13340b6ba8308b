import { join } from "node:path";
import { parentPort, workerData } from "node:worker_threads";
import { chunkSource } from "../chunk/chunk.ts";
import { readSource } from "../files/read-source.ts";
import { ChunkEmbedder } from "../index/chunk-embedder.ts";
import { grammarOf, type LanguageId, languageOf, languageOfHeader } from "../languages/index.ts";
import {
  type ParsedFile,
  type ParseOutcome,
  type ParseRequest,
  progressIndex,
  type WorkerData,
} from "./parse-messages.ts";
import { SourceParser } from "./parser.ts";

/**
 * A thread that reads, parses, chunks and embeds files, batch by batch. Whatever goes wrong in a grammar is thrown:
 * the thread dies, and the pool starts another and tries the file again without the grammar.
 */

const { settings, progress } = workerData as WorkerData;
const levels = new Set(settings.levels);
const wanted = new Set(settings.languages);
const parser = new SourceParser(settings.grammarDir);
const embedder = new ChunkEmbedder(settings.modelDir);
const port = parentPort!;

// Without tree-sitter every single file would fail: better to fail at once, and for all to see.
// Loading awaits, so a batch that arrives meanwhile has to queue behind what is under way.
let work = parser.start().then(() => {
  Atomics.store(progress, progressIndex.ready, 1);
});
port.on("message", (batch: ParseRequest[]) => {
  work = work.then(async () => port.postMessage(await parseBatch(batch)));
});

async function parseBatch(batch: ParseRequest[]): Promise<ParseOutcome[]> {
  const outcomes: ParseOutcome[] = [];
  for (const request of batch) {
    outcomes.push(await parseFile(request));
    Atomics.add(progress, progressIndex.finished, 1);
  }
  return outcomes;
}

async function parseFile(request: ParseRequest): Promise<ParseOutcome> {
  const { stamp, knownHash, linesOnly, withText } = request;
  const { path } = stamp;
  const { root, maxFileSize, withVectors } = settings;
  const source = readSource(join(root, path), stamp, { maxFileSize });
  if (source.kind === "gone") return { status: "gone", path };
  const { size, mtimeMs } = source;
  if (source.kind === "skip") return { status: "skipped", path, size, mtimeMs, reason: source.reason };
  const { text, hash } = source;
  if (hash === knownHash) return { status: "unchanged", path, size, mtimeMs };
  const language = languageIn(path, text);
  if (wanted.size > 0 && !wanted.has(language)) {
    return { status: "skipped", path, size, mtimeMs, reason: "language_off" };
  }
  const grammar = linesOnly ? null : grammarOf(language);
  const syntax = grammar === null ? null : await parser.parse(text, grammar);
  try {
    const options = { levels, withText: withText || withVectors };
    const chunked = chunkSource({ path, language, text }, syntax, options);
    const parsed: ParsedFile = { status: "indexed", path, size, mtimeMs, hash, language, ...chunked };
    return withVectors && !withText ? await embedded(parsed) : parsed;
  } finally {
    syntax?.delete();
  }
}

/** The file with vectors in the place of its texts, which are as long as the file itself. */
async function embedded(file: ParsedFile): Promise<ParsedFile> {
  const texts = file.chunks.map((chunk) => chunk.text);
  const chunks = file.chunks.map((chunk) => ({ ...chunk, text: "", docs: [] }));
  return { ...file, chunks, ...(await embedder.embed(texts)) };
}

function languageIn(path: string, text: string): LanguageId {
  if (path.endsWith(".h")) return languageOfHeader(text, settings.headerLanguage);
  return languageOf(path, text.slice(0, 200).split("\n", 1)[0]);
}
