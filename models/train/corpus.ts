/** Cuts the sources into pairs, with the very chunker whose chunks the model will embed. */
import { createWriteStream, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { levels } from "../../src/base/levels.ts";
import { decodeText } from "../../src/base/text/decode.ts";
import { chunkSource } from "../../src/code/chunk/chunk.ts";
import { hasGeneratedHeader, isGeneratedName, withoutMinified } from "../../src/code/files/file-kind.ts";
import { detectLanguage, findGrammar } from "../../src/code/languages/index.ts";
import { SourceParser } from "../../src/code/parse/parser.ts";
import { codeExtensions, type Pair, pairOfSection, pairsOfChunk, pairsOfCommit } from "./pairs.ts";
import { seeded, shuffle } from "./random.ts";
import { type Blob, Repository, type Source } from "./repository.ts";

const sources: readonly Source[] = JSON.parse(readFileSync(new URL("sources.json", import.meta.url), "utf8"));

/** At most so many pairs of a kind from one repository: none should set the tone. */
const most: Record<Pair["kind"], number> = { doc: 5000, name: 1500, heading: 1500, commit: 2500 };
const commitsRead = 5000;
const codeGlobs = codeExtensions.map((extension) => `*.${extension}`);

const parser = new SourceParser(fileURLToPath(new URL("../../dist/grammars", import.meta.url)));
const wantedLevels = new Set(levels);
const isUnwanted =
  /(^|\/)(node_modules|vendor|third_party|third-party|dist|testdata|fixtures?|locales?|i18n)\//;

async function pairsOfFile({ path, bytes }: Blob): Promise<Omit<Pair, "repository">[]> {
  const decoded = decodeText(bytes);
  const text = decoded && withoutMinified(path, decoded);
  if (text === null || hasGeneratedHeader(path, text)) return [];
  const language = detectLanguage(path, text.slice(0, 200).split("\n", 1)[0]);
  if (language === "markdown") {
    const { chunks } = chunkSource({ path, language, text }, null, { levels: wantedLevels, withText: true });
    return chunks.filter(({ kind }) => kind === "heading").flatMap((chunk) => pairOfSection(path, chunk));
  }
  const grammar = findGrammar(language);
  const syntax = grammar && (await parser.parse(text, grammar));
  if (!syntax) return [];
  try {
    const { chunks } = chunkSource({ path, language, text }, syntax, {
      levels: wantedLevels,
      withText: true,
    });
    return chunks.flatMap((chunk) => pairsOfChunk(path, chunk));
  } finally {
    syntax.delete();
  }
}

/** The pairs of one source, shuffled, each question once. */
async function pairsOf(source: Source, clones: string): Promise<Pair[]> {
  const repository = Repository.open(source, clones);
  const found: Omit<Pair, "repository">[] = [];
  const wanted = (path: string) => !isUnwanted.test(path) && !isGeneratedName(path) && /\.\w+$/.test(path);
  for (const blob of repository.files(wanted)) found.push(...(await pairsOfFile(blob)));
  for (const commit of repository.commits(commitsRead, codeGlobs)) found.push(...pairsOfCommit(commit));
  shuffle(found, seeded(1));
  const counts: Partial<Record<Pair["kind"], number>> = {};
  const seen = new Set<string>();
  return found.flatMap((pair) => {
    const count = counts[pair.kind] ?? 0;
    const key = pair.question.toLowerCase();
    if (count >= most[pair.kind] || seen.has(key)) return [];
    seen.add(key);
    counts[pair.kind] = count + 1;
    return [{ ...pair, repository: source.repository }];
  });
}

/** Writes `pairs.jsonl` and `holdout.jsonl` into `dir`. */
export async function buildCorpus(clones: string, dir: string): Promise<void> {
  mkdirSync(dir, { recursive: true });
  const train = createWriteStream(join(dir, "pairs.jsonl"));
  const holdout = createWriteStream(join(dir, "holdout.jsonl"));
  for (const source of sources) {
    const pairs = await pairsOf(source, clones);
    const out = source.holdout ? holdout : train;
    for (const pair of pairs) out.write(`${JSON.stringify(pair)}\n`);
    console.error(`${source.repository}: ${pairs.length} pairs`);
  }
  await Promise.all([train, holdout].map((out) => new Promise((resolve) => out.end(resolve))));
}
