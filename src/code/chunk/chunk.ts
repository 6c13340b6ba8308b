import { hash } from "node:crypto";
import type { Level } from "../../base/levels.ts";
import { shortenLines } from "../../base/text/long-lines.ts";
import { makeTokenStream } from "../../base/text/tokens.ts";
import type { ChunkRecord, DocComment, SymbolRecord, Terms } from "../../store/index/records.ts";
import { describeKnownFile } from "../files/known-files.ts";
import { findGrammar, isScriptHost, type LanguageId } from "../languages/index.ts";
import { type ChunkSpan, cutTextIntoSpans, type PositionedDefinition, SpanBuilder } from "./chunk-spans.ts";
import { LineStarts, type Range } from "./lines.ts";
import { cutMarkdownIntoSpans } from "./markdown.ts";
import type { Syntax } from "./syntax.ts";

interface SourceText {
  /** Relative to the project's root, `/` between the parts. */
  path: string;
  language: LanguageId;
  text: string;
}

export interface CodeChunkOptions {
  /** Levels to emit. Code of other levels stays findable in the nearest enclosing chunk. */
  levels: ReadonlySet<Level>;
  /** Whether to fill `ChunkRecord.text` and `ChunkRecord.docs`, which the index itself does not keep. */
  withText: boolean;
  /** How the words of a text are given (token streams by default). */
  termsOf?: (text: string) => Terms;
}

export interface ChunkedSource {
  chunks: ChunkRecord[];
  symbols: SymbolRecord[];
  hasSyntaxErrors: boolean;
  /** Number of lines, at least 1. */
  lines: number;
}

/** Maximum text of a chunk for an embedder, and of its docs within that: some are longer than any code. Characters. */
const maxTextLength = 2000;
const maxDocs = 800;

/**
 * Cuts a file into chunks: one for the file, for every class and function, blocks of long functions, and windows of
 * lines for the rest. Parents come before their children.
 * @param syntax the file's, which the caller deletes; null cuts it by lines
 */
export function chunkSource(
  source: SourceText,
  syntax: Syntax | null,
  options: CodeChunkOptions,
): ChunkedSource {
  const lines = new LineStarts(source.text);
  const cutAll = !options.levels.has("file") && options.levels.has("lines");
  const grammar = findGrammar(source.language);
  let file: ChunkSpan;
  let positioned: PositionedDefinition[] = [];
  const isMarkdown = source.language === "markdown" || source.language === "mdx";
  const text = isMarkdown ? cutMarkdownIntoSpans(lines, cutAll) : null;
  if (syntax !== null && grammar !== null) {
    const builder = new SpanBuilder(lines, grammar, cutAll);
    const code = builder.build(syntax.tree.rootNode, syntax.outline);
    for (const span of text === null ? [] : code.children) if (span.name !== "") nestInSection(text!, span);
    file = text ?? code;
    positioned = builder.positioned.map((one) => (one.span === code ? { ...one, span: file } : one));
  } else {
    file = text ?? cutTextIntoSpans(lines, cutAll);
  }
  const emitter = new Emitter(source, lines, options);
  emitter.emitChunk(file);
  return {
    chunks: emitter.chunks,
    symbols: emitter.listSymbols(positioned),
    // What has no scripts has nothing to parse.
    hasSyntaxErrors: syntax?.hasSyntaxErrors ?? (grammar !== null && !isScriptHost(source.language)),
    lines: lines.count,
  };
}

/** Puts a definition into the section of a text that it is in. */
function nestInSection(around: ChunkSpan, span: ChunkSpan): void {
  const section = around.children.find(
    ({ level, start, end }) => level === "block" && start <= span.start && span.end <= end,
  );
  if (section !== undefined) {
    nestInSection(section, span);
    return;
  }
  around.children.push(span);
  around.children.sort((a, b) => a.start - b.start);
}

interface ChunkParent {
  parentId: string | null;
  /** Names of the enclosing definitions, outermost first. */
  names: string[];
  signature: string;
}

/** Makes records of spans. */
class Emitter {
  readonly chunks: ChunkRecord[] = [];
  readonly #source: SourceText;
  readonly #lines: LineStarts;
  readonly #options: CodeChunkOptions;
  readonly #termsOf: (text: string) => Terms;
  /** The id of a span's chunk, or of the nearest enclosing one. */
  readonly #chunkOf = new Map<ChunkSpan, string | null>();
  readonly #ordinals = new Map<string, number>();
  readonly #holdings: string;

  constructor(source: SourceText, lines: LineStarts, options: CodeChunkOptions) {
    this.#source = source;
    this.#lines = lines;
    this.#options = options;
    this.#termsOf = options.termsOf ?? makeTokenStream;
    this.#holdings = describeKnownFile(source.path);
  }

  emitChunk(span: ChunkSpan, context: ChunkParent = { parentId: null, names: [], signature: "" }): void {
    const names = [...context.names, span.owner, span.name].filter((name) => name !== "");
    // Numbered whether emitted or not, so that ids do not depend on the levels asked for.
    const id = this.#nextId(span.level, names.join("."));
    let { parentId } = context;
    if (this.#options.levels.has(span.level)) {
      this.chunks.push(this.#record(span, id, context));
      parentId = id;
    }
    this.#chunkOf.set(span, parentId);
    for (const child of span.children) {
      this.emitChunk(child, { parentId, names, signature: span.signature });
    }
  }

  /** For each definition the smallest chunk that holds it; without one it is left out. */
  listSymbols(positioned: readonly PositionedDefinition[]): SymbolRecord[] {
    return positioned.flatMap(({ definition, span }) => {
      const { name, kind, declaration, start } = definition;
      // A definition with a chunk of its own is that chunk, even if it was cut into parts.
      const isOwn = span.name === name && span.start === start;
      const plain = span.children.find(
        (child) => child.name === "" && child.start <= declaration && declaration < child.end,
      );
      const chunkId = this.#chunkOf.get(isOwn ? span : (plain ?? span)) ?? null;
      return chunkId === null ? [] : [{ name, kind, line: this.#lines.findLineAt(declaration), chunkId }];
    });
  }

  #nextId(level: Level, qualifiedName: string): string {
    const place = `${this.#source.path}\n${level}\n${qualifiedName}`;
    const ordinal = this.#ordinals.get(place) ?? 0;
    this.#ordinals.set(place, ordinal + 1);
    return hash("sha256", `${place}\n${ordinal}`, "hex").slice(0, 16);
  }

  #record(span: ChunkSpan, id: string, context: ChunkParent): ChunkRecord {
    const { level, kind, signature } = span;
    const name = level === "file" ? getBaseName(this.#source.path) : span.name;
    const [startLine, endLine] = this.#lines.findLineSpan(span);
    const docs = span.docs.map(({ start, end }) => this.#source.text.slice(start, end)).join("\n");
    const around = [this.#holdings, ...context.names, span.owner].join(" ");
    const head = `${around} ${signature || context.signature} ${docs}`;
    const body = this.#codeOf(span);
    return {
      id,
      parentId: context.parentId,
      level,
      kind,
      name,
      signature,
      startLine,
      endLine,
      terms: { name: this.#termsOf(name), head: this.#termsOf(head), body: this.#termsOf(body) },
      text: this.#options.withText ? this.#textOf(context, signature, docs, body) : "",
      docs: this.#options.withText ? this.#docsOf(span) : [],
    };
  }

  /** Its docs, with those joined that only blanks keep apart: line comments are a comment a line. */
  #docsOf(span: ChunkSpan): DocComment[] {
    const { text } = this.#source;
    const runs: Range[] = [];
    for (const { start, end } of span.docs.toSorted((a, b) => a.start - b.start)) {
      const last = runs.at(-1);
      if (last && text.slice(last.end, start).trim() === "") last.end = end;
      else runs.push({ start, end });
    }
    return runs.map(({ start, end }) => ({ start, end, text: text.slice(start, end) }));
  }

  /** The code of a chunk: its span without its docs and without code that has its own chunk. */
  #codeOf(span: ChunkSpan): string {
    const left: (Range & { instead: string })[] = span.docs.map((range) => ({ ...range, instead: "" }));
    for (const child of this.#emittedIn(span)) {
      // A function's blocks are for aiming better; the function itself stays whole.
      if (span.level === "method" && child.level === "block") continue;
      left.push({ start: child.start, end: child.end, instead: child.signature });
    }
    left.sort((a, b) => a.start - b.start);
    let code = "";
    let next = span.start;
    for (const { start, end, instead } of left) {
      code += this.#source.text.slice(next, Math.max(next, start));
      if (instead !== "") code += `${instead}\n`;
      next = Math.max(next, end);
    }
    return shortenLines(code + this.#source.text.slice(next, Math.max(next, span.end)));
  }

  #emittedIn(span: ChunkSpan): ChunkSpan[] {
    return span.children.flatMap((child) =>
      this.#options.levels.has(child.level) ? [child] : this.#emittedIn(child),
    );
  }

  #textOf(context: ChunkParent, signature: string, docs: string, code: string): string {
    const place = [
      this.#source.path,
      this.#holdings,
      ...context.names,
      signature || context.signature,
    ].filter((part) => part !== "");
    return [place.join(" > "), docs.slice(0, maxDocs), code.trim()]
      .filter((part) => part !== "")
      .join("\n")
      .slice(0, maxTextLength);
  }
}

function getBaseName(path: string): string {
  const filename = path.slice(path.lastIndexOf("/") + 1);
  const dot = filename.lastIndexOf(".");
  return dot > 0 ? filename.slice(0, dot) : filename;
}
