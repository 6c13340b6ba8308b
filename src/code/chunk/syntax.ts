import type { Range as ParserRange, Point, QueryMatch, Tree } from "web-tree-sitter";
import type { Grammar } from "../languages/language.ts";
import { buildOutline, type FileOutline } from "./chunk-definitions.ts";
import { LineStarts, type Range } from "./lines.ts";
import {
  BrokenTree,
  countDefinitions,
  cutAtDeclarations,
  findErrorStretches,
  replaceDefinitionsInRange,
  type UnparsedStretch,
} from "./syntax-errors.ts";
import { findDefinitionNodes, type Walked, walk } from "./walk.ts";

/** How often a stretch that does not parse is cut into parts, and those again. */
const deepestCut = 3;
/** Maximum number of parts parsed separately; a long file of code has a few hundred at most. */
const maxParts = 1000;
/** An error on fewer lines costs no definition. */
const shortestLoss = 3;
/** The share of a text in error that makes it parsed again as a whole. */
const muchInError = 0.25;

/**
 * The syntax tree of some parts of `text`, or all of it if there are none, to be deleted by the caller; null if time is
 * up. Offsets and positions in the tree are still those in `text`.
 */
type ParseText = (text: string, parts: ParserRange[]) => Tree | null;

/** A parsed file. Holds memory outside of JavaScript's: must be deleted. */
export class Syntax {
  readonly outline: FileOutline;
  /** Matches of the language's query for references in the tree of the whole file. */
  readonly matches: readonly QueryMatch[];
  readonly #trees: Tree[];

  /** @param trees the file's, then those of parts of it that `outline` points into */
  constructor(outline: FileOutline, matches: readonly QueryMatch[], trees: Tree[]) {
    this.outline = outline;
    this.matches = matches;
    this.#trees = trees;
  }

  /** The syntax tree of the whole file, with its errors. */
  get tree(): Tree {
    return this.#trees[0]!;
  }

  get hasSyntaxErrors(): boolean {
    return this.tree.rootNode.hasError;
  }

  delete(): void {
    for (const tree of this.#trees) tree.delete();
  }
}

/**
 * Parses a file. One construct unknown to a grammar may break everything after it, so a part with errors is parsed
 * again: without what confuses the grammar (`Grammar.noise`), then cut where declarations seem to start, each part by
 * itself. The variant with the most definitions wins.
 * @returns null if parsing took too long
 */
export function parseSyntax(text: string, grammar: Grammar, parse: ParseText): Syntax | null {
  const reader = new SyntaxReader(text, grammar, parse);
  try {
    return reader.read();
  } catch (error) {
    reader.delete();
    throw error;
  }
}

interface SyntaxReading extends Pick<Walked, "matches"> {
  tree: Tree;
  broken: BrokenTree;
  outline: FileOutline;
  /** How many things with members or code there are. */
  found: number;
}

class SyntaxReader {
  readonly #text: string;
  /** What is parsed of it: without annotations. */
  readonly #parsed: string;
  readonly #grammar: Grammar;
  readonly #parse: ParseText;
  readonly #trees: Tree[] = [];
  #partsLeft = maxParts;
  readonly #lines: LineStarts;

  constructor(text: string, grammar: Grammar, parse: ParseText) {
    this.#lines = new LineStarts(text);
    this.#text = text;
    this.#parsed = withoutMisleading(text, grammar);
    this.#grammar = grammar;
    this.#parse = parse;
  }

  read(): Syntax | null {
    const reading = this.#readBest(null, 0);
    if (reading === null) return null;
    const first = this.#trees.indexOf(reading.tree);
    this.#trees.splice(first, 1);
    return new Syntax(reading.outline, reading.matches, [reading.tree, ...this.#trees]);
  }

  delete(): void {
    for (const tree of this.#trees) tree.delete();
  }

  #readBest(range: Range | null, depth: number): SyntaxReading | null {
    const first = this.#read(this.#parsed, range);
    if (first === null || !first.tree.rootNode.hasError) return first;
    const all = range ?? { start: 0, end: this.#text.length };
    let stretches = this.#lossesIn(first, all);
    if (stretches.length === 0) return first;
    const best = this.#readQuietly(first, all, stretches, depth);
    if (best !== first) stretches = this.#lossesIn(best, all);
    let end = 0;
    for (const stretch of depth < deepestCut ? stretches : [])
      if (stretch.start >= end) end = this.#readParts(best, stretch, depth);
    return best;
  }

  /** Tries again without noise, unless only little is in error: then its parts are enough. */
  #readQuietly(
    first: SyntaxReading,
    range: Range,
    stretches: readonly UnparsedStretch[],
    depth: number,
  ): SyntaxReading {
    const lost = stretches.reduce((sum, { start, end }) => sum + end - start, 0);
    if (lost < (range.end - range.start) * muchInError) return first;
    let best = first;
    let quiet = this.#parsed;
    for (const noise of (this.#grammar.noise ?? []).slice(0, depth + 1)) {
      const before = quiet;
      quiet = without(noise, quiet, range);
      const other = quiet === before ? null : this.#read(quiet, range);
      if (other === null) continue;
      const isBetter =
        other.found > best.found || (other.found === best.found && !other.tree.rootNode.hasError);
      if (isBetter) best = other;
    }
    return best;
  }

  /** Where definitions may have been lost. */
  #lossesIn({ tree, broken }: SyntaxReading, { start }: Range): UnparsedStretch[] {
    const stretches = findErrorStretches(tree.rootNode, this.#grammar, this.#text);
    // A tree may begin with what opens code, far from the part that it is of.
    const own = stretches.map((stretch) => ({ ...stretch, start: Math.max(stretch.start, start) }));
    return own.filter((stretch) => {
      const [first, last] = this.#lines.findLineSpan(stretch);
      if (!stretch.isDefinition && last - first + 1 >= shortestLoss) return true;
      return cutAtDeclarations(this.#lines, stretch, broken).length > 1;
    });
  }

  /** Parses the parts of a stretch separately, and returns the end of the last one. */
  #readParts({ broken, outline }: SyntaxReading, stretch: UnparsedStretch, depth: number): number {
    const parts = cutAtDeclarations(this.#lines, stretch, broken);
    const range = { start: stretch.start, end: parts.at(-1)!.end };
    if (parts.length < 2) return stretch.end;
    const found = parts.flatMap((part) => this.#readBest(part, depth + 1)?.outline.definitions ?? []);
    if (countDefinitions(found) <= countDefinitions(outline.definitions, range)) return stretch.end;
    outline.definitions = replaceDefinitionsInRange(outline.definitions, range, found);
    return range.end;
  }

  #read(text: string, range: Range | null): SyntaxReading | null {
    if (range !== null && this.#partsLeft-- <= 0) return null;
    const tree = this.#parse(text, range === null ? [] : this.#partsFor(range));
    if (tree === null) return null;
    this.#trees.push(tree);
    const isWhole = range === null || (range.start === 0 && range.end === this.#text.length);
    const { nodes, matches } = isWhole
      ? walk(tree, this.#grammar)
      : { nodes: findDefinitionNodes(tree, this.#grammar), matches: [] };
    const outline = buildOutline(tree, this.#text, this.#grammar, nodes);
    const broken = new BrokenTree(tree.rootNode, this.#grammar, nodes);
    return { tree, broken, matches, outline, found: countDefinitions(outline.definitions) };
  }

  #partsFor(range: Range): ParserRange[] {
    const opening = this.#grammar.opening?.exec(this.#text);
    const parts = [this.#placed(range)];
    if (opening && opening.index + opening[0].length <= range.start)
      parts.unshift(this.#placed({ start: opening.index, end: opening.index + opening[0].length }));
    return parts;
  }

  #placed({ start, end }: Range): ParserRange {
    return {
      startIndex: start,
      endIndex: end,
      startPosition: this.#positionOf(start),
      endPosition: this.#positionOf(end),
    };
  }

  #positionOf(offset: number): Point {
    const line = this.#lines.findLineAt(offset);
    return { row: line - 1, column: offset - this.#lines.getLineStart(line) };
  }
}

/** A row of numbers, or of such rows, but for its last: a table of them takes longer to parse than a file is given, and defines nothing. */
const number = String.raw`[-+]?[\d.][\w.]*(?:[-+]\d+\w*)?\s*`;
const row = String.raw`[{[(]\s*(?:${number},\s*){0,64}(?:${number})?[}\])]\s*`;
const numbers = new RegExp(`(?:${number},\\s*){64,}|(?:${row},\\s*){64,}`, "g");
/** Shorter files are parsed in no time. Characters. */
const minTableChars = 50_000;

/** The text that is parsed: blanks where something says nothing of what is defined, and misleads the grammar or takes long. */
function withoutMisleading(text: string, { annotation }: Grammar): string {
  const range = { start: 0, end: text.length };
  const plain = annotation === undefined ? text : without(annotation, text, range);
  return text.length < minTableChars ? plain : without(numbers, plain, range);
}

/** The text with blanks where `noise` is in `range`. */
function without(noise: RegExp, text: string, { start, end }: Range): string {
  const part = text.slice(start, end);
  const quiet = part.replace(noise, (found) => found.replace(/[^\n]/g, " "));
  return quiet === part ? text : text.slice(0, start) + quiet + text.slice(end);
}
