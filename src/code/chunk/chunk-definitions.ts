import type { Node, Tree } from "web-tree-sitter";
import type { Grammar, Path } from "../languages/language.ts";
import { LeadingComments } from "./chunk-comments.ts";
import { follow, parseName, type QualifiedName } from "./chunk-names.ts";
import type { Range } from "./lines.ts";
import { listNodeKinds } from "./walk.ts";

/** Deeper nesting is generated, and following it takes quadratic time. */
export const maxNestingDepth = 50;
/** Characters of a macro and its first arguments. */
const maxMacroChars = 300;

/** A named thing in a file's syntax tree. Ranges are UTF-16 offsets into the file's text. */
export interface Definition extends QualifiedName, Range {
  level: "class" | "method" | "type" | "constant";
  /** The language's word for it. */
  kind: string;
  /** Where the declaration starts, after doc comments and attributes that precede it. */
  declaration: number;
  /** Where its body starts; its end if it has none. */
  bodyStart: number;
  docs: Range[];
  /** A value inside of a larger expression (an object's property), not a statement or member. */
  inline: boolean;
  /** A member of an object that is written out: its name is in no scope. */
  isProperty: boolean;
  /** For cutting what is too long; as good as the tree. */
  node: Node;
  children: Definition[];
}

export interface FileOutline {
  definitions: Definition[];
  /** Documentation of the file itself. */
  docs: Range[];
}

interface DefinitionFrame {
  node: Node;
  definition: Definition;
  /** The node whose children are its members. */
  bodyId: number | null;
}

/**
 * The definitions of a syntax tree, nested, in document order. Parents come from a stack of open spans, which is far
 * cheaper than asking the tree (see the language table for rules).
 * @param nodes all candidates, as `walk` finds them
 */
export function buildOutline(
  tree: Tree,
  text: string,
  grammar: Grammar,
  nodes: readonly Node[],
): FileOutline {
  return new Outliner(tree.rootNode, text, grammar).run(nodes);
}

class Outliner {
  readonly #root: Node;
  readonly #text: string;
  readonly #grammar: Grammar;
  /** Everything that may be a definition. */
  readonly #kinds: Set<string>;
  readonly #comments: Set<string>;
  readonly #attributes: Set<string>;
  readonly #wrappers: Set<string>;
  readonly #transparent: Set<string>;
  readonly #bodied: Set<string>;
  readonly #expressions: Set<string>;
  readonly #leading: LeadingComments;
  readonly #stack: DefinitionFrame[] = [];
  readonly #top: Definition[] = [];

  constructor(root: Node, text: string, grammar: Grammar) {
    this.#root = root;
    this.#text = text;
    this.#grammar = grammar;
    this.#leading = new LeadingComments(text);
    this.#kinds = new Set(listNodeKinds(grammar));
    this.#comments = new Set(grammar.comment);
    this.#attributes = new Set(grammar.attribute);
    this.#wrappers = new Set(grammar.wrapper);
    this.#transparent = new Set(grammar.transparent);
    this.#bodied = new Set(grammar.bodied);
    this.#expressions = new Set(grammar.expressions?.kinds);
  }

  run(nodes: readonly Node[]): FileOutline {
    for (const node of nodes) {
      const kind = node.type;
      if (this.#comments.has(kind)) this.#leading.add(node.startIndex, node.endIndex, true);
      else if (this.#attributes.has(kind)) this.#addAttribute(node);
      else this.#addDefinition(node, kind);
    }
    const docstring = this.#docstringIn(this.#root);
    const docs = [...this.#leading.listFileComments(), ...(docstring === null ? [] : [docstring])];
    return { definitions: this.#top, docs };
  }

  #addAttribute({ startIndex: start, endIndex: end }: Node): void {
    const { before, inside } = this.#grammar.docAttributes ?? {};
    const beginning = this.#text.slice(start, start + 40);
    this.#leaveEndedBefore(start);
    const around = this.#stack.at(-1)?.definition;
    if (around?.level === "class" && inside?.test(beginning)) around.docs.push({ start, end });
    else this.#leading.add(start, end, before?.test(beginning) ?? false);
  }

  #leaveEndedBefore(offset: number): void {
    while (this.#stack.length > 0 && this.#stack.at(-1)!.definition.end <= offset) this.#stack.pop();
  }

  #addDefinition(node: Node, kind: string): void {
    this.#leaveEndedBefore(node.startIndex);
    const what = this.#classify(node, kind);
    if (what === null || this.#stack.length >= maxNestingDepth) return;
    if (this.#bodied.has(kind) && this.#bodyOf(node, kind) === null) return;

    const [named, naming] = this.#nameOf(node, kind);
    if (named === null) return;
    const outer = this.#outermost(naming);
    if (what.level === "constant" && !this.#isMember(outer)) return;

    const { startIndex: outerStart, endIndex: end } = outer;
    const same = this.#stack.at(-1);
    if (same !== undefined && same.definition.declaration === outerStart && same.definition.end === end) {
      // `const f = () => {}` is met twice, as a constant and as a function: the function it is.
      if (same.definition.level === "class" || same.definition.level === "method") return;
      this.#stack.pop();
      this.#siblings().pop();
    }

    const { start, docs } =
      outerStart === same?.definition.declaration
        ? same.definition
        : this.#leading.claimLeadingComments(outerStart);
    const body = this.#bodyOf(node, kind);
    const definition: Definition = {
      name: named.name,
      owner: named.owner,
      level: what.level,
      kind: what.kind,
      start,
      end,
      declaration: outerStart,
      bodyStart: body?.startIndex ?? end,
      docs,
      inline: naming !== node && outer.id === naming.id,
      isProperty: this.#isProperty(naming, what.kind),
      node,
      children: [],
    };
    const docstring = body === null ? null : this.#docstringIn(body);
    if (docstring !== null) docs.push(docstring);
    this.#siblings().push(definition);
    this.#stack.push({ node, definition, bodyId: body?.id ?? null });
  }

  #isProperty(naming: Node, kind: string): boolean {
    if (this.#grammar.expressions?.namedBy[naming.type] === "key") return true;
    return kind === "method" && this.#stack.at(-1)?.definition.level !== "class";
  }

  #siblings(): Definition[] {
    return this.#stack.at(-1)?.definition.children ?? this.#top;
  }

  #classify(node: Node, kind: string): Pick<Definition, "level" | "kind"> | null {
    const { class: classes, method, type, constant, keywords } = this.#grammar;
    const words = keywords?.[kind];
    if (words !== undefined) {
      const word = /^\w+/.exec(this.#text.slice(node.startIndex, node.startIndex + 20))?.[0] ?? "";
      const found = Object.hasOwn(words, word) ? words[word]! : null;
      if (found !== null) return { level: found[0], kind: found[1] };
    }
    const enclosing = this.#stack.at(-1)?.definition;
    if (classes[kind] !== undefined) return { level: "class", kind: this.#wordOf(node, classes[kind]) };
    if (method[kind] !== undefined) {
      const isMember = enclosing?.level === "class" && !/^(?:namespace|module)$/.test(enclosing.kind);
      return { level: "method", kind: method[kind] === "function" && isMember ? "method" : method[kind] };
    }
    if (type?.[kind] !== undefined) return { level: "type", kind: type[kind] };
    // A local variable, in all likelihood; `#isMember` decides the rest.
    if (enclosing !== undefined && enclosing.level !== "class") return null;
    return constant?.[kind] === undefined ? null : { level: "constant", kind: constant[kind] };
  }

  #wordOf(node: Node, word: string): string {
    if (word !== "keyword") return word;
    const start = this.#text.slice(node.startIndex, node.startIndex + 400).replace(/@\w+(\([^)]*\))?/g, "");
    return /\b(?:class|interface|struct|enum|extension|actor|object)\b/.exec(start)?.[0] ?? "class";
  }

  /** The name, and the node that gives it: the definition's own or what it is assigned to. */
  #nameOf(node: Node, kind: string): [QualifiedName | null, Node] {
    if (this.#expressions.has(kind)) {
      const naming = this.#namingParent(node);
      if (naming !== null) {
        const given = this.#read(naming, this.#grammar.expressions!.namedBy[naming.type]!);
        if (given !== null && !/^(?:exports|default)$/.test(given.name)) return [given, naming];
        return [this.#read(node, "name") ?? given, naming];
      }
    }
    const name =
      this.#readFromArguments(node, kind) ?? this.#read(node, this.#grammar.name?.[kind] ?? "name");
    const ownerPath = this.#grammar.owner?.[kind];
    const owner = ownerPath === undefined ? null : follow(node, ownerPath);
    // Without Go's type parameters.
    if (name !== null && owner !== null) name.owner = parseName(owner.text.replace(/\[.*/s, ""))?.name ?? "";
    return [name, node];
  }

  /** What a macro defines whose arguments name it: of two the second, in the first (`TEST(Suite, Name)`), else the first. */
  #readFromArguments(node: Node, kind: string): QualifiedName | null {
    const macro = this.#grammar.namedByArguments;
    if (macro === undefined || this.#grammar.method[kind] !== "function") return null;
    const called = /^(\w+)\s*\(\s*(\w+)\s*(?:([,)])\s*(?:(\w+)\s*\))?)/.exec(
      this.#text.slice(node.startIndex, node.startIndex + maxMacroChars),
    );
    if (called === null || !macro.test(called[1]!)) return null;
    const [, , first, , second] = called;
    return second === undefined ? { name: first!, owner: "" } : { name: second, owner: first! };
  }

  #read(node: Node, path: Path): QualifiedName | null {
    const part = follow(node, path);
    const name = part === null ? null : parseName(this.#text.slice(part.startIndex, part.endIndex));
    return name !== null && this.#grammar.noName?.test(name.name) ? null : name;
  }

  #namingParent(node: Node): Node | null {
    const { namedBy, through, calls = [] } = this.#grammar.expressions!;
    const inFunction = this.#stack.some(({ definition }) => definition.level === "method");
    const long = node.endPosition.row - node.startPosition.row >= 2;
    let parent = node.parent;
    for (let steps = 0; parent !== null && steps < maxNestingDepth; steps++, parent = parent.parent) {
      const kind = parent.type;
      if (Object.hasOwn(namedBy, kind)) return parent;
      const passes = through.includes(kind) || (!inFunction && long && calls.includes(kind));
      if (!passes) return null;
    }
    return null;
  }

  /** The definition with its `export`, decorators and so on, unless these hold several definitions. */
  #outermost(node: Node): Node {
    let outer = node;
    for (
      let parent = node.parent;
      parent !== null && this.#wrappers.has(parent.type);
      parent = parent.parent
    ) {
      if (parent.lastNamedChild?.id !== outer.id) break;
      const sibling = outer.previousNamedSibling?.type;
      if (sibling !== undefined && this.#kinds.has(sibling)) break;
      outer = parent;
    }
    return outer;
  }

  /** Directly in the file or in the class it is met in, as opposed to inside of some statement. */
  #isMember(outer: Node): boolean {
    let container = outer.parent;
    for (
      let steps = 0;
      container !== null && container.id !== this.#root.id && steps < maxNestingDepth;
      steps++
    ) {
      const { type } = container;
      // What does not parse leaves its parts where they would have been.
      if (!this.#wrappers.has(type) && !this.#transparent.has(type) && type !== "ERROR") break;
      container = container.parent;
    }
    if (container === null) return false;
    const frame = this.#stack.at(-1);
    return container.id === (frame === undefined ? this.#root.id : frame.bodyId);
  }

  #bodyOf(node: Node, kind: string): Node | null {
    return follow(node, this.#grammar.body?.[kind] ?? "body");
  }

  #docstringIn(body: Node): Range | null {
    const { docstring } = this.#grammar;
    const first = docstring === undefined ? null : this.#firstStatement(body);
    if (first === null || !docstring!.test(this.#text.slice(first.startIndex, first.startIndex + 12)))
      return null;
    return { start: first.startIndex, end: first.endIndex };
  }

  #firstStatement(body: Node): Node | null {
    let first = body.firstNamedChild;
    while (first !== null && this.#comments.has(first.type)) first = first.nextNamedSibling;
    return first;
  }
}
