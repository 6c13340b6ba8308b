import type { Node } from "web-tree-sitter";
import type { Grammar } from "../languages/language.ts";
import { type Definition, maxNestingDepth } from "./chunk-definitions.ts";
import type { LineStarts, Range } from "./lines.ts";

/** Where a syntax tree cannot be trusted, and what to do about it. */

/** A part of a file that the grammar did not understand. */
export interface UnparsedStretch extends Range {
  /** Whether it counts as one definition: then only text beside it can be another. */
  isDefinition: boolean;
  /** The furthest possible end: the text after an error may belong to the broken construct. */
  limit: number;
}

/** The stretches of a tree with errors: what is in error around definitions, and definitions with errors in them. */
export function findErrorStretches(root: Node, grammar: Grammar, text: string): UnparsedStretch[] {
  if (root.isError) return [makeStretch(root, root, text, false)];
  const wrappers = new Set(grammar.wrapper);
  const containers = new Set([
    ...Object.keys(grammar.class),
    ...(grammar.wrapper ?? []),
    ...(grammar.transparent ?? []),
    ...grammar.block,
  ]);
  const stretches: UnparsedStretch[] = [];
  const visit = (node: Node, depth: number): void => {
    for (const child of node.children) {
      if (!child.hasError && !child.isError) continue;
      if (child.isError || child.isMissing) stretches.push(makeStretch(child, node, text, false));
      else if (containers.has(child.type) && depth < maxNestingDepth) visit(child, depth + 1);
      else stretches.push(makeStretch(wrappers.has(node.type) ? node : child, node, text, true));
    }
  };
  visit(root, 0);
  return stretches;
}

function makeStretch(node: Node, around: Node, text: string, isDefinition: boolean): UnparsedStretch {
  const { startIndex: start, endIndex } = node;
  const end = start + text.slice(start, endIndex).trimEnd().length;
  return { start, end, isDefinition, limit: Math.max(end, around.endIndex) };
}

/** A tree with errors, and which lines of it are comments. */
export class BrokenTree {
  readonly root: Node;
  readonly grammar: Grammar;
  readonly #nodes: readonly Node[];
  #comments: Range[] | null = null;

  /** @param nodes of the tree, in document order, with its comments among them */
  constructor(root: Node, grammar: Grammar, nodes: readonly Node[]) {
    this.root = root;
    this.grammar = grammar;
    this.#nodes = nodes;
  }

  /** Whether an offset is inside a comment, not at its start. */
  isInComment(offset: number): boolean {
    this.#comments ??= this.#nodes
      .filter(({ type }) => this.grammar.comment.includes(type))
      .map(({ startIndex, endIndex }) => ({ start: startIndex, end: endIndex }));
    let low = 0;
    let high = this.#comments.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#comments[middle]!.start < offset) low = middle + 1;
      else high = middle;
    }
    return low > 0 && offset < this.#comments[low - 1]!.end;
  }
}

/**
 * Cuts a stretch before the lines where a declaration seems to start: after a blank line, and as little
 * indented as any such line in it. The last part goes on to the next such line.
 */
export function cutAtDeclarations(lines: LineStarts, stretch: UnparsedStretch, tree: BrokenTree): Range[] {
  const [first, last] = lines.findLineSpan(stretch);
  const starts: Start[] = [];
  for (let line = first + 1; line <= last; line++) {
    const start = startIn(lines, line, tree);
    if (start !== null) starts.push(start);
  }
  const own = stretch.isDefinition ? stretch.start - lines.getLineStart(first) : Number.POSITIVE_INFINITY;
  const indent = starts.reduce((least, start) => Math.min(least, start.indent), own);
  const cuts = starts.filter((start) => start.indent === indent).map(({ offset }) => offset);
  if (cuts.length === 0) return [stretch];
  let end = stretch.limit === tree.root.endIndex ? stretch.limit : stretch.end;
  for (let line = last + 1; line <= lines.findLineAt(stretch.limit); line++) {
    const start = startIn(lines, line, tree);
    if (start === null || start.indent > indent) continue;
    end = start.offset;
    break;
  }
  return [stretch.start, ...cuts].map((start, i) => ({ start, end: cuts[i] ?? end }));
}

interface Start {
  offset: number;
  indent: number;
}

/** Where a declaration seems to start in a line, or null. */
function startIn(lines: LineStarts, line: number, tree: BrokenTree): Start | null {
  const offset = startOfCode(lines, line);
  if (offset === null || !lines.isBlank(line - 1)) return null;
  const code = lines.text.slice(offset, Math.min(lines.getLineEnd(line), offset + 200));
  if (!(tree.grammar.declaration ?? anyStart).test(code)) return null;
  // What is taken for a string may be code: a quotation mark astray among errors inverts all after it.
  if (tree.isInComment(offset)) return null;
  return { offset, indent: offset - lines.getLineStart(line) };
}

const anyStart = /^[^\s)}\]]/;

/** Null for a blank line. */
function startOfCode(lines: LineStarts, line: number): number | null {
  const start = lines.getLineStart(line);
  const blanks = /^\s*/.exec(lines.text.slice(start, lines.getLineEnd(line)))![0].length;
  return start + blanks < lines.getLineEnd(line) ? start + blanks : null;
}

/** How many things with members or code there are, starting within `range` if there is one. */
export function countDefinitions(definitions: readonly Definition[], range: Range | null = null): number {
  return definitions.reduce((sum, { level, declaration, children }) => {
    const counts = level === "class" || level === "method";
    const isIn = range === null || (range.start <= declaration && declaration < range.end);
    return sum + (counts && isIn ? 1 : 0) + countDefinitions(children, range);
  }, 0);
}

/** Puts definitions in the place of those that start within a range. */
export function replaceDefinitionsInRange(
  definitions: Definition[],
  range: Range,
  instead: Definition[],
): Definition[] {
  const isAround = ({ declaration, end }: Definition) => declaration < range.start && range.end <= end;
  const isIn = ({ declaration }: Definition) => range.start <= declaration && declaration < range.end;
  const host = definitions.find(isAround);
  if (host !== undefined) {
    host.children = replaceDefinitionsInRange(host.children, range, instead);
    return definitions;
  }
  const others = definitions.filter((definition) => !isIn(definition));
  return [...others, ...instead].sort((a, b) => a.start - b.start);
}
