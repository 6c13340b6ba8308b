import type { Node } from "web-tree-sitter";
import type { Level } from "../../base/levels.ts";
import type { Grammar } from "../languages/language.ts";
import { type Definition, type FileOutline, maxNestingDepth } from "./chunk-definitions.ts";
import { type Border, cutIntoWindows, findTextBorders, type LineStarts, type Range } from "./lines.ts";

/** A future chunk: its span and its name. Ranges are UTF-16 offsets. */
export interface ChunkSpan extends Range {
  level: Level;
  kind: string;
  name: string;
  owner: string;
  signature: string;
  docs: Range[];
  children: ChunkSpan[];
}

/** A definition and the smallest span of a definition (or the file) that holds it. */
export interface PositionedDefinition {
  definition: Definition;
  span: ChunkSpan;
}

/** Up to this many lines a function is one chunk, with everything nested in it. */
const longMethod = 80;
/** Functions nested in a long one get a chunk of their own from this many lines on. */
const longNested = 10;
/** Constants and aliases get a chunk of their own from this many lines on. */
const longConstant = 10;
const longType = 4;
/** Code that no definition covers is cut if it is longer than this, as far as its runs have this many lines. */
const longRest = 60;
const longRun = 15;
/** The same of a text, in characters: its windows have half of that, or a line. */
const longText = 16_000;
const codeWindow = { size: 40, overlap: 3 };
const textWindow = { size: 40, overlap: 5 };

export function makeFileSpan(lines: LineStarts, docs: Range[] = []): ChunkSpan {
  return { ...makePlainSpan("file", { start: 0, end: lines.text.length }), docs };
}

function makePlainSpan(level: Level, range: Range): ChunkSpan {
  const { start, end } = range;
  return { level, kind: "", name: "", owner: "", signature: "", docs: [], start, end, children: [] };
}

/** The spans of a file without syntax: windows of lines, if it is long. */
export function cutTextIntoSpans(lines: LineStarts, cutAll: boolean): ChunkSpan {
  const file = makeFileSpan(lines);
  file.children = cutTextIntoWindows(lines, file, cutAll);
  return file;
}

/** Windows over the part of a text; none if it is short, unless `cutAll`. */
export function cutTextIntoWindows(lines: LineStarts, range: Range, cutAll: boolean): ChunkSpan[] {
  if (range.end <= range.start) return [];
  const [first, last] = lines.findLineSpan(range);
  const length = range.end - range.start;
  if (!cutAll && last - first + 1 <= longRest && length <= longText) return [];
  const size = Math.max(Math.floor((longText * (last - first + 1)) / (2 * length)), 1);
  const windows = { size: Math.min(size, textWindow.size), overlap: Math.min(size - 1, textWindow.overlap) };
  return cutIntoWindows(first, last, findTextBorders(lines, first, last), windows).flatMap((window) =>
    trimBlankLines(lines, ...window).map((run) => makePlainSpan("lines", run)),
  );
}

/** The range of lines without the blank ones at its ends; none if all are blank. */
function trimBlankLines(lines: LineStarts, first: number, last: number): Range[] {
  while (first <= last && lines.isBlank(first)) first++;
  while (last > first && lines.isBlank(last)) last--;
  return first > last ? [] : [{ start: lines.getLineStart(first), end: lines.getLineEnd(last) }];
}

/** Turns an outline into spans: decides what is worth a chunk and cuts what is too long for one. */
export class SpanBuilder {
  readonly positioned: PositionedDefinition[] = [];
  readonly #lines: LineStarts;
  readonly #blockKinds: Set<string>;
  /** Whether the file's own code must become `lines` however short, because its chunk is not wanted. */
  readonly #cutAll: boolean;

  constructor(lines: LineStarts, grammar: Grammar, cutAll: boolean) {
    this.#lines = lines;
    this.#blockKinds = new Set(grammar.block);
    this.#cutAll = cutAll;
  }

  build(root: Node, outline: FileOutline): ChunkSpan {
    const file = makeFileSpan(this.#lines, outline.docs);
    this.#place(outline.definitions, file);
    this.#cutRest(file, root, "lines", this.#cutAll ? 0 : longRest);
    return file;
  }

  #place(definitions: Definition[], enclosing: ChunkSpan): void {
    for (const definition of definitions) {
      const level = this.#levelOf(definition, enclosing);
      if (level === null) {
        this.positioned.push({ definition, span: enclosing });
        this.#place(definition.children, enclosing);
        continue;
      }
      const span = this.#spanOf(definition, level);
      this.positioned.push({ definition, span });
      enclosing.children.push(span);
      this.#place(definition.children, span);
      if (level === "method") this.#cutRest(span, definition.node, "block", longMethod);
      else this.#cutRest(span, definition.node, "lines", longRest);
    }
  }

  #spanOf(definition: Definition, level: Level): ChunkSpan {
    const { name, owner, start, end, docs } = definition;
    const kind = definition.level === "constant" && level === "class" ? "object" : definition.kind;
    const signature = extractSignature(this.#lines.text, definition);
    return { level, kind, name, owner, signature, docs, start, end, children: [] };
  }

  /** The level of a definition's own chunk, or null if it is part of the enclosing one. */
  #levelOf(definition: Definition, enclosing: ChunkSpan): Level | null {
    const { level, inline } = definition;
    const length = this.#length(definition);
    if (enclosing.level === "method") {
      if (level === "constant" || length < longNested || this.#length(enclosing) <= longMethod) return null;
    }
    switch (level) {
      case "class":
        return "class";
      case "method":
        return inline && length === 1 ? null : "method";
      case "type":
        return length >= longType ? "class" : null;
      case "constant":
        if (definition.children.some((child) => child.level === "method" && this.#length(child) > 1))
          return "class";
        return length >= longConstant ? "lines" : null;
    }
  }

  #length(range: Range): number {
    const [first, last] = this.#lines.findLineSpan(range);
    return last - first + 1;
  }

  /** Cuts what a span's children leave uncovered into chunks, if it is long. */
  #cutRest(span: ChunkSpan, node: Node, level: "lines" | "block", limit: number): void {
    if (this.#length(span) <= limit) return;
    const runs = this.#uncovered(span);
    const total = runs.reduce((sum, run) => sum + this.#length(run), 0);
    if (total <= limit) return;
    const borders = this.#bordersIn(node, runs);
    for (const run of runs) {
      const [first, last] = this.#lines.findLineSpan(run);
      if (limit > 0 && last - first + 1 < longRun) continue;
      const inside = borders.filter(({ line }) => line > first && line <= last);
      for (const window of cutIntoWindows(first, last, inside, codeWindow)) {
        for (const range of trimBlankLines(this.#lines, ...window)) {
          span.children.push(
            makePlainSpan(level, {
              start: Math.max(range.start, span.start),
              end: Math.min(range.end, span.end),
            }),
          );
        }
      }
    }
    span.children.sort((a, b) => a.start - b.start);
  }

  /** The runs of whole lines between a span's docs and children, without blank lines at their ends. */
  #uncovered(span: ChunkSpan): Range[] {
    const [first, last] = this.#lines.findLineSpan(span);
    const runs: Range[] = [];
    let next = first;
    for (const covered of [...span.docs, ...span.children].sort((a, b) => a.start - b.start)) {
      const [from, to] = this.#lines.findLineSpan(covered);
      runs.push(...trimBlankLines(this.#lines, next, from - 1));
      next = Math.max(next, to + 1);
    }
    runs.push(...trimBlankLines(this.#lines, next, last));
    return runs;
  }

  /** The possible cuts in a node, as far as it is in `runs`: before statements, members, elements that start a line. */
  #bordersIn(node: Node, runs: readonly Range[]): Border[] {
    const borders: Border[] = [];
    const lists = node.parent === null ? [node] : this.#outermostLists(node);
    for (const list of lists) this.#addBorders(list, 0, runs, borders);
    return borders;
  }

  #addBorders(list: Node, depth: number, runs: readonly Range[], borders: Border[]): void {
    let previousEnd = -1;
    let afterComment = false;
    for (const child of list.namedChildren) {
      const { startIndex: start, endIndex: end } = child;
      const [first, last] = this.#lines.findLineSpan({ start, end });
      // A comment stays with the code that it is about.
      const continues = afterComment && first === previousEnd + 1;
      if (!continues && first > previousEnd && first > (borders.at(-1)?.line ?? 0)) {
        borders.push({ line: first, depth });
      }
      const isLong = last - first > codeWindow.size / 2 && depth < maxNestingDepth;
      if (isLong && runs.some((run) => run.start < end && start < run.end)) {
        const lists = this.#blockKinds.has(child.type) ? [child] : this.#outermostLists(child);
        for (const inner of lists) this.#addBorders(inner, depth + 1, runs, borders);
      }
      previousEnd = last;
      afterComment = child.isExtra;
    }
  }

  /** The lists inside of a node that are in no other list. */
  #outermostLists(node: Node, depth = 0): Node[] {
    return node.namedChildren.flatMap((child) => {
      if (this.#blockKinds.has(child.type)) return [child];
      const isLong = child.endPosition.row - child.startPosition.row > 1;
      return isLong && depth < maxNestingDepth ? this.#outermostLists(child, depth + 1) : [];
    });
  }
}

const maxSignatureLength = 200;

/** `@Name(...)`, `[Name(...)]`, `#[name(...)]`: an attribute before a declaration on the same line. */
const attribute =
  /^\s*(?:@(?!interface\b)[\w.:]+(?:\((?:[^()]|\([^()]*\))*\))?|#?\[(?:[^[\]]|\[[^[\]]*\])*\])/;

/** Between a declaration and its body; a declaration's own strings rarely look like this. */
const comments = /\s(?:#|\/\/|--)[ \t][^\n]*|\/\*.*?\*\//gs;

/** A declaration up to its body on one line, without attributes, cut at 200 characters. */
function extractSignature(text: string, { declaration, bodyStart, end, children }: Definition): string {
  let to = bodyStart > declaration ? Math.min(bodyStart, end) : end;
  // An object that holds functions: its members speak for themselves.
  if (to === end && children.length > 0) to = Math.min(to, endOfLine(text, declaration));
  // Folding blanks makes it shorter, attributes are left out: ten times is plenty to cut from.
  let head = text.slice(declaration, Math.min(to, declaration + maxSignatureLength * 10));
  for (let match = attribute.exec(head); match !== null; match = attribute.exec(head)) {
    if (match[0].length === head.length) break;
    head = head.slice(match[0].length);
  }
  return foldOntoLine(head.replace(comments, ""), maxSignatureLength).replace(/[\s{:=]+$/, "");
}

/** On one line, blanks folded; cut with an ellipsis. */
function foldOntoLine(text: string, longest: number): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length <= longest ? line : `${line.slice(0, longest - 1)}…`;
}

function endOfLine(text: string, offset: number): number {
  const end = text.indexOf("\n", offset);
  return end < 0 ? text.length : end;
}
