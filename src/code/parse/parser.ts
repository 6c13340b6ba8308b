import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { brotliDecompressSync } from "node:zlib";
import { Language, Parser } from "web-tree-sitter";
import { readThreadId, readWorkedMs } from "../../base/thread.ts";
import { parseSyntax, type Syntax } from "../chunk/syntax.ts";
import type { Grammar } from "../languages/language.ts";

/** How long a parse may take until it is aborted, and the file is cut by lines. Milliseconds. */
interface ParseLimits {
  /** What its thread may work: a busy machine is no reason to know less of a file. */
  worked: number;
  /** How long the thread has worked. */
  clock: () => number;
}
const thread = readThreadId();
const usual: ParseLimits = { worked: 2000, clock: () => readWorkedMs(thread) };

/**
 * Parses source files with tree-sitter's WASM build. Use one per thread, one call at a time: loading a
 * grammar is asynchronous and the parser is shared by all languages.
 */
export class SourceParser {
  readonly #grammarDir: string;
  readonly #languages = new Map<string, Language>();
  #parser: Parser | null = null;

  /** @param grammarDir where `scripts/copy-grammars.mjs` put the compressed .wasm files */
  constructor(grammarDir: string) {
    this.#grammarDir = grammarDir;
  }

  /** Loads tree-sitter. Fails when the installation is broken; `parse` calls it if needed. */
  async start(): Promise<void> {
    if (this.#parser !== null) return;
    await Parser.init({ wasmBinary: this.#read("web-tree-sitter") });
    this.#parser = new Parser();
  }

  /**
   * The syntax of `text`, to be deleted by the caller; null if parsing took too long.
   * @throws WebAssembly.RuntimeError if the grammar crashed: this thread's parser is then unusable
   */
  async parse(text: string, grammar: Grammar, patience = usual): Promise<Syntax | null> {
    const language = await this.loadLanguage(grammar.wasm);
    const parser = this.#parser!;
    parser.setLanguage(language);
    const isLate = createTimeoutCheck(patience);
    return parseSyntax(text, grammar, (source, includedRanges) => {
      // Short parses end before anyone asks.
      if (isLate()) return null;
      const tree = parser.parse(source, null, { includedRanges, progressCallback: isLate });
      // Otherwise the next parse would resume this one.
      if (tree === null) parser.reset();
      return tree;
    });
  }

  /** A grammar, loaded when first needed. */
  async loadLanguage(wasm: string): Promise<Language> {
    let language = this.#languages.get(wasm);
    if (language === undefined) {
      await this.start();
      language = await loadUnoptimised(this.#read(wasm));
      this.#languages.set(wasm, language);
    }
    return language;
  }

  /**
   * Decompressing takes 1 to 8 ms, less than compiling does: not worth keeping the result anywhere. On this thread, as the C library
   * keeps some megabytes of it for each thread that did it once.
   */
  #read(wasm: string): Buffer {
    return brotliDecompressSync(readFileSync(join(this.#grammarDir, `${wasm}.wasm.br`)));
  }
}

/**
 * V8 optimises hot WASM in the background, and a grammar's lexer is one huge function: seconds of CPU and
 * hundreds of megabytes that even process exit waits for. So grammars are compiled by the baseline compiler
 * only, while tree-sitter's core, compiled before, and all later WASM is optimised as usual.
 * (Node 24 ignores the flag at run time: correct, but slower.)
 */
async function loadUnoptimised(wasm: Uint8Array): Promise<Language> {
  setFlagsFromString("--liftoff-only");
  try {
    return await Language.load(wasm);
  } finally {
    setFlagsFromString("--no-liftoff-only");
  }
}

/** Says whether a parse that begins now has taken too long. The thread's clock is asked only where the other one says so. */
function createTimeoutCheck({ worked, clock }: ParseLimits): () => boolean {
  const before = clock();
  let asked = performance.now() + worked;
  return () => {
    const now = performance.now();
    if (now < asked) return false;
    const left = worked - (clock() - before);
    if (left <= 0) return true;
    asked = now + left;
    return false;
  };
}
