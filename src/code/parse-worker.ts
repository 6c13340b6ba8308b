import { join } from "node:path";
import { parentPort, workerData } from "node:worker_threads";
import { chunkSource } from "./chunk.ts";
import { grammarOf, type LanguageId, languageOf } from "./languages/index.ts";
import { type ParseOutcome, type ParseRequest, progressIndex, type WorkerData } from "./parse-messages.ts";
import { SourceParser } from "./parser.ts";
import { readSource } from "./read-source.ts";

/**
 * A thread that reads, parses and chunks files, batch by batch. Whatever goes wrong in a grammar is thrown:
 * the thread dies, and the pool starts another and tries the file again without the grammar.
 */

const { settings, progress } = workerData as WorkerData;
const levels = new Set(settings.levels);
const wanted = new Set(settings.languages);
const parser = new SourceParser(settings.grammarDir);
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

async function parseFile({ stamp, knownHash, linesOnly }: ParseRequest): Promise<ParseOutcome> {
  const { path } = stamp;
  const { root, maxFileSize, withText } = settings;
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
  const tree = grammar === null ? null : await parser.parse(text, grammar);
  try {
    const chunked = chunkSource({ path, language, text }, tree, { levels, withText });
    return { status: "indexed", path, size, mtimeMs, hash, language, ...chunked };
  } finally {
    tree?.delete();
  }
}

function languageIn(path: string, text: string): LanguageId {
  if (path.endsWith(".h")) return settings.headerLanguage;
  return languageOf(path, text.slice(0, 200).split("\n", 1)[0]);
}
