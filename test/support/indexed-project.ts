import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { levels } from "../../src/base/levels.ts";
import type { Project } from "../../src/base/paths.ts";
import { chunkSource } from "../../src/code/chunk/chunk.ts";
import { extractGraph } from "../../src/code/graph/extract.ts";
import { encodeGraph } from "../../src/code/graph/record.ts";
import { detectLanguage, findGrammar } from "../../src/code/languages/index.ts";
import { SourceParser } from "../../src/code/parse/parser.ts";
import { SqliteIndex } from "../../src/store/index/sqlite/sqlite-index.ts";
import { namedProject } from "./named-project.ts";

/** For tests: a directory with files, and its index without vectors. */
export interface IndexedProject {
  project: Project;
  index: SqliteIndex;
  /** Writes files, and indexes them. */
  write(files: Readonly<Record<string, string>>): Promise<void>;
  remove(): Promise<void>;
}

/** Shared: loading a grammar takes longer than a test. */
const parser = new SourceParser(fileURLToPath(new URL("../../dist/grammars", import.meta.url)));

export async function indexedProject(files: Readonly<Record<string, string>>): Promise<IndexedProject> {
  const project = namedProject(mkdtempSync(join(tmpdir(), "pommel-indexed-")));
  const index = SqliteIndex.open(project.indexDb, { readonly: false });
  const write = async (written: Readonly<Record<string, string>>) => {
    for (const [path, text] of Object.entries(written)) {
      mkdirSync(dirname(join(project.root, path)), { recursive: true });
      writeFileSync(join(project.root, path), text);
      const language = detectLanguage(path);
      const grammar = findGrammar(language);
      const syntax = grammar === null ? null : await parser.parse(text, grammar);
      const chunked = chunkSource({ path, language, text }, syntax, {
        levels: new Set(levels),
        withText: false,
      });
      const graph = syntax === null ? null : extractGraph(syntax, text, grammar!);
      await index.replace({
        status: "indexed",
        path,
        size: text.length,
        mtimeMs: 1,
        hash: text,
        language,
        ...chunked,
        graph: graph && encodeGraph(graph),
      });
      syntax?.delete();
    }
  };
  await write(files);
  return {
    project,
    index,
    write,
    async remove() {
      await index.close();
      rmSync(project.root, { recursive: true, force: true });
    },
  };
}
