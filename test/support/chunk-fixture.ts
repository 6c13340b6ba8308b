import { fileURLToPath } from "node:url";
import { levels } from "../../src/base/levels.ts";
import { type ChunkedSource, type CodeChunkOptions, chunkSource } from "../../src/code/chunk/chunk.ts";
import { findGrammar, isScriptHost, type LanguageId } from "../../src/code/languages/index.ts";
import { extractScripts } from "../../src/code/parse/embedded.ts";
import { SourceParser } from "../../src/code/parse/parser.ts";

/** For tests: the grammars of the last build, and chunking in one step. */

export const grammarDir = fileURLToPath(new URL("../../dist/grammars", import.meta.url));

const parser = new SourceParser(grammarDir);

export const allLevels: CodeChunkOptions = { levels: new Set(levels), withText: true };

export async function chunk(
  path: string,
  language: LanguageId,
  text: string,
  options: CodeChunkOptions = allLevels,
): Promise<ChunkedSource> {
  const grammar = findGrammar(language);
  const code = isScriptHost(language) ? extractScripts(language, text) : text;
  const syntax = grammar === null || code === null ? null : await parser.parse(code, grammar);
  try {
    return chunkSource({ path, language, text }, syntax, options);
  } finally {
    syntax?.delete();
  }
}

/** Chunks below the file's as "level kind name first-last", indented under their parents. */
export function outline({ chunks }: ChunkedSource): string[] {
  const depth = new Map<string | null, number>([[null, -1]]);
  const rows: string[] = [];
  for (const { id, parentId, level, kind, name, startLine, endLine } of chunks) {
    const own = depth.get(parentId)! + 1;
    depth.set(id, own);
    if (level !== "file")
      rows.push(`${"  ".repeat(own - 1)}${level} ${kind} ${name} ${startLine}-${endLine}`);
  }
  return rows;
}

export function signatures({ chunks }: ChunkedSource): Record<string, string> {
  return Object.fromEntries(
    chunks.filter((c) => c.name !== "" && c.level !== "file").map((c) => [c.name, c.signature]),
  );
}
