import type { Node, QueryMatch } from "web-tree-sitter";
import type { EdgeKind } from "../../protocol/values.ts";
import type { Definition, FileOutline } from "../chunk/chunk-definitions.ts";
import { follow } from "../chunk/chunk-names.ts";
import { LineStarts, type Range } from "../chunk/lines.ts";
import type { Syntax } from "../chunk/syntax.ts";
import type { Grammar } from "../languages/language.ts";
import type { References } from "../languages/references/references.ts";
import {
  canHoldComment,
  type Expression,
  reduceExpression,
  reduceTypeExpression,
  splitLastMember,
  withoutAccessor,
} from "./expression.ts";
import { type CapturedNodes, ModuleLinks } from "./imports.ts";
import {
  type FileGraph,
  type GraphDefinition,
  type GraphReference,
  objectOwner,
  type TypeMember,
  unknownExpression,
} from "./record.ts";

/** More mentions in one file are data, not code. */
const maxReferences = 20_000;
/** How many local names an expression may be followed through. */
const maxLocalDepth = 5;

const kindOf = {
  call: "call",
  construct: "construct",
  base: "base",
  use: "use",
  type_name: "type",
} as const satisfies Record<string, EdgeKind>;
const mentionKinds = Object.keys(kindOf) as (keyof typeof kindOf)[];

/** What a file defines, imports and refers to; null for a language without data about that. */
export function extractGraph(syntax: Syntax, text: string, grammar: Grammar): FileGraph | null {
  const { references } = grammar;
  return references === undefined ? null : new Extraction(syntax, text, grammar, references).run();
}

type Purpose = "scopes" | "locals" | "fields" | "modules" | "mentions";

function classifyMatch(match: CapturedNodes): Purpose {
  if (match.scope) return "scopes";
  if (match.local) return "locals";
  if (match.field || match.method || match.entry) return "fields";
  return mentionKinds.some((one) => match[one]) ? "mentions" : "modules";
}

interface PlacedDefinition extends Range {
  at: number;
  definition: Definition;
}

/** A part of a file that local names end with. */
interface NameScope extends Range {
  names: Map<string, Local>;
}

/** What a local name stands for. */
type Local = (depth: number) => Expression | null;

class Extraction {
  private readonly definitions: GraphDefinition[] = [];
  private readonly fields: TypeMember[] = [];
  private readonly fieldsByName = new Map<string, TypeMember>();
  private readonly references = new Map<string, GraphReference>();
  private readonly placed: PlacedDefinition[] = [];
  private readonly namesIn = new Map<number, Set<string>>();
  private around!: Nesting<PlacedDefinition>;
  private scopes!: Nesting<NameScope>;
  private readonly modules: ModuleLinks;
  private readonly self: ReadonlySet<string>;

  private readonly lines: LineStarts;
  private readonly outline: FileOutline;
  private readonly found: readonly QueryMatch[];

  constructor(
    syntax: Syntax,
    private readonly text: string,
    private readonly grammar: Grammar,
    private readonly data: References,
  ) {
    this.lines = new LineStarts(text);
    this.outline = syntax.outline;
    this.found = syntax.matches;
    this.self = new Set(data.self);
    this.modules = new ModuleLinks(text, data.modules);
  }

  run(): FileGraph {
    this.addDefinitions(this.outline.definitions, -1);
    this.around = new Nesting(this.placed);
    const { scopes, locals, fields: members, modules, mentions } = this.groupMatches();
    this.scopes = new Nesting([
      { start: -1, end: Number.MAX_SAFE_INTEGER, names: new Map<string, Local>() },
      ...scopes.map(({ scope }) => ({ start: scope!.startIndex, end: scope!.endIndex, names: new Map() })),
    ]);
    for (const match of modules) this.modules.take(match);
    for (const match of locals) this.takeLocal(match.local!, match);
    for (const match of members) this.takeField(match);
    this.takeValues();
    for (const match of mentions) {
      const kind = mentionKinds.find((one) => match[one] !== undefined)!;
      if (this.references.size < maxReferences) this.takeMention(match, kind);
    }
    const { definitions, fields } = this;
    const { imports, exports } = this.modules;
    return { definitions, fields, imports, exports, references: [...this.references.values()] };
  }

  /** What the query finds, by what it is for: that is the same for all matches of a pattern. */
  private groupMatches(): Record<Purpose, CapturedNodes[]> {
    const found: Record<Purpose, CapturedNodes[]> = {
      scopes: [],
      locals: [],
      fields: [],
      modules: [],
      mentions: [],
    };
    const purposes: Purpose[] = [];
    for (const { patternIndex, captures } of this.found) {
      const match: Record<string, Node> = {};
      for (const { name, node } of captures) match[name] = node;
      purposes[patternIndex] ??= classifyMatch(match);
      found[purposes[patternIndex]].push(match);
    }
    return found;
  }

  private addDefinitions(definitions: readonly Definition[], parent: number): void {
    for (const definition of definitions) {
      const at = this.definitions.length;
      const { name, kind, level, isProperty, declaration, start, end } = definition;
      const owner = isProperty && definition.owner === "" ? objectOwner : definition.owner;
      const [, endLine] = this.lines.findLineSpan({ start: declaration, end });
      // A function that is a value begins where it gets its name.
      const isValue = this.grammar.expressions?.kinds.includes(definition.node.type) ?? false;
      const line = this.lines.findLineAt(isValue ? declaration : definition.node.startIndex);
      this.definitions.push({ name, kind, level, line, endLine, parent, owner, value: null });
      this.placed.push({ start, end, at, definition });
      if (owner !== objectOwner) this.namesIn.set(parent, (this.namesIn.get(parent) ?? new Set()).add(name));
      this.addDefinitions(definition.children, at);
    }
  }

  /** What functions return and constants are. */
  private takeValues(): void {
    for (const { at, definition } of this.placed) {
      const one = this.definitions[at]!;
      if (one.level === "method") {
        const path = this.grammar.returns?.[definition.node.type];
        const type = path === undefined ? null : follow(definition.node, path);
        if (type !== null)
          one.value = reduceTypeExpression(this.readNodeText(type).replace(/^\s*(?::|->)/, ""));
      } else if (one.level === "constant" || one.level === "type") {
        const scope = this.scopes.findRangeAt(definition.declaration)!;
        const field = this.findField(one.parent, one.name);
        one.value = scope.names.get(one.name)?.(0) ?? field?.value ?? null;
      }
    }
  }

  private takeLocal(node: Node, match: CapturedNodes): void {
    const name = this.readNameText(node);
    const scope = this.scopes.findRangeAt(node.startIndex)!;
    const holder = this.findHolderAt(node.startIndex);
    // What stands directly in a class is a member of it.
    if (holder?.definition.level === "class" && holder.start > scope.start) {
      this.addField(holder.at, node, match);
      return;
    }
    // An import within a function.
    if (match.all || match.import || match.default || (scope.start < 0 && this.modules.names.has(name)))
      return;
    const known = scope.names.get(name);
    const own: Local = (depth) => this.findMeaning(match, name, node.startIndex, depth);
    if (known === undefined) scope.names.set(name, own);
    // What is declared says more than what is assigned, and of that the first.
    else if (match.type) scope.names.set(name, (depth) => own(depth) ?? known(depth));
    else scope.names.set(name, (depth) => known(depth) ?? own(depth));
  }

  /** The definition around, other than of a value. */
  private findHolderAt(offset: number): PlacedDefinition | null {
    let place = this.around.findPlaceAt(offset);
    while (place?.range.definition.level === "constant") place = place.outer;
    return place?.range ?? null;
  }

  private findMeaning(match: CapturedNodes, name: string, offset: number, depth: number): Expression | null {
    if (depth > maxLocalDepth) return null;
    if (match.type) return reduceTypeExpression(this.readNodeText(match.type));
    if (match.value) return this.reduceExpressionAt(this.readNodeText(match.value), offset, depth);
    const whole = match.of
      ? this.reduceExpressionAt(this.readNodeText(match.of), offset, depth)
      : match.of_type
        ? reduceTypeExpression(this.readNodeText(match.of_type))
        : null;
    return whole === null ? null : `${whole}.${match.key ? this.readNodeText(match.key) : name}`;
  }

  private takeField(match: CapturedNodes): void {
    if (match.entry) this.takeEntry(match.entry, match.value ?? match.entry);
    const node = match.field ?? match.method;
    if (node === undefined) return;
    let holder = this.around.findRangeAt(node.startIndex)?.at ?? -1;
    while (holder >= 0 && !/class|type/.test(this.definitions[holder]!.level))
      holder = this.definitions[holder]!.parent;
    if (holder >= 0) this.addField(holder, node, match);
  }

  /** An entry of an object that a constant is, which stands for something else: `const api = { load, read: parse }`. */
  private takeEntry(node: Node, standsFor: Node): void {
    const constant = this.around.findRangeAt(node.startIndex);
    if (constant?.definition.level !== "constant") return;
    const value = this.reduceExpressionAt(this.readNodeText(standsFor), standsFor.startIndex, 0);
    if (value !== null) this.pushField(constant.at, this.readNodeText(node), node, value, false);
  }

  private addField(of: number, node: Node, match: CapturedNodes): void {
    const name = this.readNodeText(node);
    const value = this.findMeaning(match, name, node.startIndex, 0);
    const known = this.findField(of, name);
    if (known !== undefined) known.value ??= value;
    else this.pushField(of, name, node, value, match.method !== undefined);
  }

  private pushField(of: number, name: string, node: Node, value: Expression | null, isMethod: boolean): void {
    const field = { of, name, value, line: this.lines.findLineAt(node.startIndex), isMethod };
    this.fields.push(field);
    this.fieldsByName.set(`${of} ${name}`, field);
  }

  private findField(of: number, name: string): TypeMember | undefined {
    return this.fieldsByName.get(`${of} ${name}`);
  }

  private takeMention(match: CapturedNodes, kind: keyof typeof kindOf): void {
    const node = match[kind]!;
    let name = this.readNameText(node);
    const offset = node.startIndex;
    let on: Expression | null = null;
    if (match.on) {
      const before = this.text.slice(match.on.startIndex, offset);
      const owner = canHoldComment(before) ? this.readNodeText(match.on) : withoutAccessor(before);
      on = this.reduceExpressionAt(owner, offset, 0) ?? unknownExpression;
    } else {
      if ((kind === "use" || kind === "type_name") && !this.isOfFile(name)) return;
      if (this.isLocal(name, offset)) {
        const meaning = this.reduceExpressionAt(name, offset, 0);
        const meant = meaning === null ? null : splitLastMember(meaning);
        // What a local name stands for is known where it runs, not here, unless it was given that.
        if (meant === null && kind !== "call") return;
        ({ name, on } = meant ?? { name, on: unknownExpression });
      }
    }
    const within = this.around.findRangeAt(offset)?.at ?? -1;
    const line = this.lines.findLineAt(offset);
    const key = `${within} ${kind} ${name} ${on}`;
    const known = this.references.get(key);
    if (known === undefined)
      this.references.set(key, { name, kind: kindOf[kind], within, on, lines: [line] });
    else if (known.lines.at(-1)! < line) known.lines.push(line);
  }

  /** Imported, defined at the top of the file, or perhaps in another file of the directory. */
  private isOfFile(name: string): boolean {
    if (this.modules.names.has(name) || (this.namesIn.get(-1)?.has(name) ?? false)) return true;
    return this.data.modules.sharesDirectory ?? false;
  }

  /** Whether a name is a local variable there, not a definition. */
  private isLocal(name: string, offset: number): boolean {
    for (let scope = this.scopes.findPlaceAt(offset); scope !== null; scope = scope.outer) {
      if (scope.range.start < 0) return this.isTakenOut(name, scope.range, offset);
      if (scope.range.names.has(name)) return !this.isDefinedWithin(name, offset);
    }
    return false;
  }

  /** Whether a file takes a name out of a value, so that nothing else defines it: `const { load } = core`. */
  private isTakenOut(name: string, { names }: NameScope, offset: number): boolean {
    if (this.modules.names.has(name) || (this.namesIn.get(-1)?.has(name) ?? false)) return false;
    const meaning = names.get(name)?.(0) ?? null;
    return meaning !== null && !this.isDefinedWithin(name, offset) && splitLastMember(meaning) !== null;
  }

  private isDefinedWithin(name: string, offset: number): boolean {
    for (let place = this.around.findPlaceAt(offset); place !== null; place = place.outer) {
      const { level } = place.range.definition;
      if (level !== "class" && this.namesIn.get(place.range.at)?.has(name)) return true;
    }
    return false;
  }

  private reduceExpressionAt(text: string, offset: number, depth: number): Expression | null {
    return reduceExpression(text, (name) => {
      if (this.self.has(name) && !this.isTyped(name, offset)) return "this";
      for (let scope = this.scopes.findPlaceAt(offset); scope !== null; scope = scope.outer) {
        const local = scope.range.names.get(name);
        if (local === undefined) continue;
        if (this.isDefinedWithin(name, offset)) return name;
        if (scope.range.start < 0 && this.namesIn.get(-1)?.has(name)) return name;
        return depth >= maxLocalDepth ? null : local(depth + 1);
      }
      return name;
    });
  }

  /** Whether a local name that usually means the enclosing type's value says its own type. */
  private isTyped(name: string, offset: number): boolean {
    const scope = this.scopes.findPlaceAt(offset);
    return scope?.range.names.get(name)?.(1) != null;
  }

  /** The text of a name: asking tree-sitter where it ends takes longer than to look. */
  private readNameText(node: Node): string {
    let end = node.startIndex;
    let code = this.text.charCodeAt(end);
    while (isWordCode(code)) code = this.text.charCodeAt(++end);
    const isPlain = end > node.startIndex && code < 128 && code !== 35 && code !== 45 && code !== 92;
    return isPlain ? this.text.slice(node.startIndex, end) : this.readNodeText(node);
  }

  private readNodeText(node: Node): string {
    return this.text.slice(node.startIndex, node.endIndex);
  }
}

/** Letters, digits, _ and $ of ASCII. */
function isWordCode(code: number): boolean {
  if (code < 65) return code === 36 || (code >= 48 && code <= 57);
  return code < 91 || code === 95 || (code > 96 && code < 123);
}

interface NestedRange<R> {
  range: R;
  outer: NestedRange<R> | null;
}

/** Ranges that lie apart or in each other, to be asked for the innermost around an offset. */
class Nesting<R extends Range> {
  private readonly places: NestedRange<R>[] = [];

  constructor(ranges: readonly R[]) {
    let open: NestedRange<R> | null = null;
    for (const range of ranges.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
      while (open !== null && open.range.end <= range.start) open = open.outer;
      open = { range, outer: open };
      this.places.push(open);
    }
  }

  findPlaceAt(offset: number): NestedRange<R> | null {
    let low = 0;
    let high = this.places.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.places[middle]!.range.start <= offset) low = middle + 1;
      else high = middle;
    }
    let place = this.places[low - 1] ?? null;
    while (place !== null && place.range.end <= offset) place = place.outer;
    return place;
  }

  findRangeAt(offset: number): R | null {
    return this.findPlaceAt(offset)?.range ?? null;
  }
}
