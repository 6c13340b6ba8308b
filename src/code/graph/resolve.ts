import {
  findChildrenNamed,
  findOwnTopLevel,
  type GraphDefinitions,
  type GraphTarget,
  removeDuplicateTargets,
} from "./definitions.ts";
import { type Expression, readModuleName, splitExpression } from "./expression.ts";
import type { GraphFiles } from "./files.ts";
import { external, type Module } from "./modules.ts";
import { type FileGraph, type GraphReference, objectOwner, unknownExpression } from "./record.ts";

/** By what an edge is known: an import, the file, the directory's names, or the type of what it is a member of. */
type Way = "import" | "file" | "directory" | "type";

export type Resolution =
  | { by: Way; targets: GraphTarget[] }
  /** Not in the project, or nobody can know. */
  | { by: "external" | "unknown"; targets: [] };

type Value =
  | { is: "definition" | "instance"; by: Way; targets: GraphTarget[] }
  | { is: "module"; module: Module; by: Way }
  | { is: "external" };

/** What a file says of a name where it stands. */
type Mention = Pick<GraphReference, "name" | "on" | "within"> & Partial<Pick<GraphReference, "kind">>;

/** Imports that hand on imports, members of bases of bases, types of what functions return. */
const maxResolveDepth = 12;

const unknown: Resolution = { by: "unknown", targets: [] };

/** Finds what names lead to, from what the files say: no name is guessed here. Asked for one after the other. */
export class Resolver {
  private readonly values = new Map<string, Value | null>();
  private readonly pending = new Set<string>();

  constructor(
    private readonly files: GraphFiles,
    private readonly definitions: GraphDefinitions,
  ) {}

  async resolve(file: string, reference: Mention): Promise<Resolution> {
    const found = await this.resolveValue(file, reference, 0);
    // A module that is called is what it exports as a whole: `module.exports = retry`.
    const isCalled = found?.is === "module" && reference.kind !== undefined && reference.kind !== "use";
    const value = isCalled ? await this.resolveCallResult(found, 0) : found;
    if (value === null || value.is === "module") return unknown;
    if (value.is === "external") return { by: "external", targets: [] };
    return { by: value.by, targets: value.targets };
  }

  /** The definitions that a file offers to others under a name. */
  async findOffered(file: string, name: string): Promise<GraphTarget[]> {
    const value = await this.resolveExported({ files: [file], below: null }, name, file, 0);
    return value?.is === "definition" ? value.targets : [];
  }

  /** The definitions that a type of this place extends or implements; external and unknown ones are missing. */
  async findBases({ file, at }: GraphTarget): Promise<GraphTarget[]> {
    const graph = await this.files.readFileGraph(file);
    const bases = (graph?.references ?? []).filter(({ kind, within }) => kind === "base" && within === at);
    const found: GraphTarget[] = [];
    for (const base of bases) found.push(...(await this.resolve(file, base)).targets);
    return found.filter((target) => !(target.file === file && target.at === at));
  }

  /** The members of this name of a type, its own or those of what it extends. */
  async findMembers(type: GraphTarget, name: string, depth = 0): Promise<GraphTarget[]> {
    if (depth > maxResolveDepth) return [];
    const own = await this.definitions.findOwnMembers(type, name);
    if (own.length > 0) return own;
    for (const part of await this.definitions.findTypeParts(type)) {
      for (const base of await this.findBases(part)) {
        const inherited = await this.findMembers(base, name, depth + 1);
        if (inherited.length > 0) return inherited;
      }
    }
    return [];
  }

  /** The type that a definition is a member of; null: of none. */
  async findOwnerType({ file, at, field }: GraphTarget): Promise<GraphTarget | null> {
    const graph = await this.files.readFileGraph(file);
    const definition = graph?.definitions[at];
    if (graph === undefined || graph === null || definition === undefined) return null;
    if (field !== null) return { file, at, field: null };
    if (definition.owner === objectOwner) return null;
    if (definition.owner !== "") return (await this.findTypeNamed(file, definition.owner)) ?? null;
    const { parent } = definition;
    return graph.definitions[parent]?.level === "class" ? { file, at: parent, field: null } : null;
  }

  private async resolveValue(
    file: string,
    { name, on, within }: Pick<GraphReference, "name" | "on" | "within">,
    depth: number,
  ): Promise<Value | null> {
    const key = `${file}\n${within}\n${on}\n${name}`;
    const known = this.values.get(key);
    if (known !== undefined) return known;
    return this.resolveOnce(key, async () => {
      const value =
        on === null
          ? await this.resolveUnqualifiedName(file, name, within, depth)
          : await this.resolveMember(await this.evaluate(file, on, within, depth + 1), name, depth + 1);
      this.values.set(key, value);
      return value;
    });
  }

  /** What leads to itself has no value. */
  private async resolveOnce(key: string, find: () => Promise<Value | null>): Promise<Value | null> {
    if (this.pending.has(key)) return null;
    this.pending.add(key);
    try {
      return await find();
    } finally {
      this.pending.delete(key);
    }
  }

  /** A name that is a member of nothing, as it is seen from within a definition. */
  private async resolveUnqualifiedName(
    file: string,
    name: string,
    within: number,
    depth: number,
  ): Promise<Value | null> {
    const graph = await this.files.readFileGraph(file);
    const rules = this.files.findModuleRules(file);
    if (graph === null || rules === null || depth > maxResolveDepth) return null;
    for (let at = within; at >= 0; at = graph.definitions[at]!.parent) {
      const isClass = graph.definitions[at]!.level === "class";
      if (isClass && rules.implicitSelf) {
        const members = await this.findMembers({ file, at, field: null }, name);
        if (members.length > 0) return { is: "definition", by: "file", targets: members };
      } else if (!isClass) {
        const targets = findChildrenNamed(file, graph, at, name);
        if (targets.length > 0) return { is: "definition", by: "file", targets };
      }
    }
    const own = findOwnTopLevel(file, graph, name);
    if (own.length > 0) return { is: "definition", by: "file", targets: own };
    const imported = await this.resolveImported(file, graph, name, depth);
    if (imported !== null) return imported;
    if (rules.sharesDirectory) {
      const beside = this.files.modules.listFilesBeside(file, rules);
      await this.files.load(beside);
      for (const other of beside) {
        const targets = await this.definitions.findTopLevel(other, name);
        if (targets.length > 0) return { is: "definition", by: "directory", targets };
      }
    }
    for (const { local, from } of graph.imports) {
      if (local !== "*") continue;
      const found = await this.resolveModuleMember(file, from, name, depth + 1);
      if (found !== null && found.is !== "external") return found;
    }
    return rules.style === "crate" ? this.resolveCrate(file, name) : null;
  }

  private async resolveImported(
    file: string,
    graph: FileGraph,
    name: string,
    depth: number,
  ): Promise<Value | null> {
    let isExternal = false;
    for (const one of graph.imports) {
      if (one.local !== name) continue;
      const found = await this.resolveModuleMember(file, one.from, one.name, depth + 1);
      if (found !== null && found.is !== "external") return found;
      isExternal ||= found !== null;
    }
    return isExternal ? { is: "external" } : null;
  }

  /** What a module offers under a name; "*" is the module itself. */
  private async resolveModuleMember(
    file: string,
    from: string,
    name: string,
    depth: number,
  ): Promise<Value | null> {
    const rules = this.files.findModuleRules(file);
    if (rules === null || depth > maxResolveDepth) return null;
    const module = this.files.modules.find(file, from, rules);
    if (module === external) return { is: "external" };
    if (module === null) return null;
    return this.resolveOnce(`${file}\n${from}\n${name}`, async () => {
      const found = await this.resolveNamesWithin(module, name, depth);
      if (found !== null) return found;
      if (name === "*") return { is: "module", module, by: "import" };
      const exported = await this.resolveExported(module, name, file, depth);
      // `use searcher as s` names a crate, or a module.
      return exported === null && from === "" && rules.style === "crate"
        ? this.resolveCrate(file, name)
        : exported;
    });
  }

  /** What names lead to that are no files: modules that a file writes out, or hands on. */
  private async resolveNamesWithin(
    { names, ...module }: Module,
    name: string,
    depth: number,
  ): Promise<Value | null> {
    if (names === undefined) return null;
    let value: Value | null = { is: "module", module, by: "import" };
    for (const one of name === "*" ? names : [...names, name]) {
      if (value === null) return null;
      value = await this.resolveMember(value, one, depth + 1);
    }
    return value === null ? null : markAsImported(value);
  }

  private async resolveCrate(file: string, name: string): Promise<Value | null> {
    const module = this.files.modules.find(file, name, this.files.findModuleRules(file)!);
    return module === null || module === external ? null : { is: "module", module, by: "import" };
  }

  private async resolveExported(
    module: Module,
    name: string,
    asker: string,
    depth: number,
  ): Promise<Value | null> {
    if (depth > maxResolveDepth) return null;
    const rules = this.files.findModuleRules(asker);
    if (module.inside !== undefined) {
      const type = await this.resolveExported(
        { files: module.files, below: null },
        module.inside,
        asker,
        depth + 1,
      );
      return this.resolveMember(type, name, depth + 1);
    }
    await this.files.load(module.files);
    for (const file of module.files) {
      const graph = await this.files.readFileGraph(file);
      if (graph === null) continue;
      const found = await this.resolveExportedBy(file, graph, name, depth);
      if (found !== null) return found;
    }
    const below = rules && this.files.modules.findModuleWithin(module, name, rules);
    return below ? { is: "module", module: below, by: "import" } : null;
  }

  private async resolveExportedBy(
    file: string,
    graph: FileGraph,
    name: string,
    depth: number,
  ): Promise<Value | null> {
    for (const one of graph.exports) {
      if (one.as !== name) continue;
      const found: Value | null =
        one.from === "" && one.name === "*"
          ? { is: "module", module: { files: [file], below: null }, by: "import" }
          : one.from === ""
            ? await this.resolveUnqualifiedName(file, one.name, -1, depth + 1)
            : await this.resolveModuleMember(file, one.from, one.name, depth + 1);
      if (found !== null) return markAsImported(found);
    }
    const own = findOwnTopLevel(file, graph, name);
    if (own.length > 0) return { is: "definition", by: "import", targets: own };
    // A package of Go or Java offers what its own files define, and there may be very many.
    if (this.files.findModuleRules(file)?.sharesDirectory) return null;
    // What a file imports it may offer: `from .engine import Engine` in an __init__.py, `pub use`.
    const imported = await this.resolveImported(file, graph, name, depth + 1);
    if (imported !== null) return imported;
    const all = [
      ...graph.exports.filter(({ as }) => as === "*").map(({ from }) => from),
      ...graph.imports.filter(({ local }) => local === "*").map(({ from }) => from),
    ];
    for (const from of all) {
      const found = await this.resolveModuleMember(file, from, name, depth + 1);
      if (found !== null && found.is !== "external") return found;
    }
    return null;
  }

  /** The value of an expression, as far as it can be known. */
  private async evaluate(
    file: string,
    expression: Expression,
    within: number,
    depth: number,
  ): Promise<Value | null> {
    if (depth > maxResolveDepth || expression === unknownExpression) return null;
    const { root, steps } = splitExpression(expression);
    const handsOn = this.files.findReferenceRules(file)?.handsOn ?? [];
    let value = await this.resolveRoot(file, root, within, depth);
    for (const step of steps) {
      if (value === null || value.is === "external") return value;
      const found: Value | null =
        step === "()"
          ? await this.resolveCallResult(value, depth + 1)
          : await this.resolveMember(value, step, depth + 1);
      value = found ?? (handsOn.includes(step) ? value : null);
    }
    return value;
  }

  private async resolveRoot(
    file: string,
    root: string,
    within: number,
    depth: number,
  ): Promise<Value | null> {
    if (root === "this" || root === "super" || root === ":Self" || root === "Self") {
      const isCrate = this.files.findModuleRules(file)?.style === "crate";
      if (isCrate && root === "super") {
        const module = (await this.isWithinModule(file, within)) ? "self" : "super";
        return this.resolveCrate(file, module);
      }
      const type = await this.findEnclosingType(file, within);
      if (type === null) return isCrate && root === "this" ? this.resolveCrate(file, "self") : null;
      if (root !== "super") {
        return { is: root === "Self" ? "definition" : "instance", by: "type", targets: [type] };
      }
      const bases = await this.findBases(type);
      return bases.length === 0 ? null : { is: "instance", by: "type", targets: bases };
    }
    const module = readModuleName(root);
    if (module !== null) return this.resolveModuleMember(file, module, "*", depth + 1);
    if (!root.startsWith(":")) return this.resolveValue(file, { name: root, on: null, within }, depth + 1);
    const type = await this.resolveValue(file, { name: root.slice(1), on: null, within }, depth + 1);
    if (type === null) return { is: "external" };
    return type.is === "definition" ? { ...type, is: "instance", by: "type" } : type;
  }

  private async resolveMember(value: Value | null, name: string, depth: number): Promise<Value | null> {
    if (value === null || value.is === "external" || depth > maxResolveDepth) return value;
    if (value.is === "module") {
      return this.resolveExported(
        value.module,
        name,
        value.module.files[0] ?? this.findAnyPathIn(value.module),
        depth + 1,
      );
    }
    if (value.is === "definition") {
      const properties = await this.definitions.findObjectProperties(value.targets, name);
      if (properties.length > 0) return { is: "definition", by: value.by, targets: properties };
      const entry = await this.resolveEntry(value.targets, name, depth);
      if (entry !== null) return entry;
      const made = await this.resolveInstance(value, depth);
      if (made !== value) return this.resolveMember(made, name, depth + 1);
    }
    const members: GraphTarget[] = [];
    for (const type of value.targets) members.push(...(await this.findMembers(type, name)));
    if (members.length > 0) {
      const by = value.is === "instance" ? "type" : value.by;
      return { is: "definition", by, targets: removeDuplicateTargets(members) };
    }
    return value.is === "definition" ? this.resolveModuleInFile(value.targets, name, depth) : null;
  }

  /** What an entry of an object stands for, that a constant is. */
  private async resolveEntry(
    constants: readonly GraphTarget[],
    name: string,
    depth: number,
  ): Promise<Value | null> {
    for (const { file, at, field } of constants) {
      const graph = field === null ? await this.files.readFileGraph(file) : null;
      const definition = graph?.definitions[at];
      if (!graph || definition?.level !== "constant") continue;
      const entry = graph.fields.find((one) => one.of === at && one.name === name);
      if (entry?.value) return this.evaluate(file, entry.value, definition.parent, depth + 1);
    }
    return null;
  }

  /** What a module hands on that is written out in a file; names that it uses are kept for the whole file. */
  private async resolveModuleInFile(
    modules: readonly GraphTarget[],
    name: string,
    depth: number,
  ): Promise<Value | null> {
    for (const { file, at } of modules) {
      const graph = await this.files.readFileGraph(file);
      if (graph?.definitions[at]?.kind !== "module") continue;
      const found = await this.resolveImported(file, graph, name, depth + 1);
      if (found !== null) return markAsImported(found);
    }
    return null;
  }

  private findAnyPathIn({ below }: Module): string {
    return this.files.listIndexedPaths().find((path) => path.startsWith(`${below}/`)) ?? "";
  }

  /** A value that is no type is one of its type: a constant, a field, an alias. */
  private async resolveInstance(
    value: Extract<Value, { targets: GraphTarget[] }>,
    depth: number,
  ): Promise<Value | null> {
    const [target] = value.targets;
    if (target === undefined) return null;
    const graph = await this.files.readFileGraph(target.file);
    const definition = graph?.definitions[target.at];
    if (!graph || !definition) return null;
    if (target.field !== null) {
      const { value: expression, isMethod } = graph.fields[target.field]!;
      if (isMethod || expression === null) return null;
      return toInstance(await this.evaluate(target.file, expression, target.at, depth + 1));
    }
    if (definition.level === "constant" && definition.value !== null) {
      const made = await this.evaluate(target.file, definition.value, definition.parent, depth + 1);
      return made === null ? value : toInstance(made);
    }
    // A type that is another under its own name has the members of that.
    if (definition.level === "type" && definition.value !== null) {
      const meant = await this.evaluate(target.file, definition.value, definition.parent, depth + 1);
      return meant?.is === "instance" || meant?.is === "definition" ? { ...meant, is: value.is } : value;
    }
    return value;
  }

  private async resolveCallResult(value: Value, depth: number): Promise<Value | null> {
    if (value.is === "module")
      return this.resolveExported(value.module, "default", value.module.files[0] ?? "", depth + 1);
    if (value.is !== "definition") return value.is === "instance" ? value : null;
    const [target] = value.targets;
    const graph = target === undefined ? null : await this.files.readFileGraph(target.file);
    if (target === undefined || graph === null) return null;
    const definition = graph.definitions[target.at]!;
    if (target.field === null && (definition.level === "class" || definition.level === "type")) {
      return { ...value, is: "instance", by: "type" };
    }
    // Of overloads the first that says what it returns.
    for (const one of value.targets) {
      const graph = (await this.files.readFileGraph(one.file))!;
      const expression =
        one.field === null ? graph.definitions[one.at]!.value : graph.fields[one.field]!.value;
      if (expression !== null)
        return toInstance(await this.evaluate(one.file, expression, one.at, depth + 1));
    }
    return null;
  }

  /** Whether a place is in a module that is written out in its file. */
  private async isWithinModule(file: string, within: number): Promise<boolean> {
    const graph = await this.files.readFileGraph(file);
    for (let at = within; graph !== null && at >= 0; at = graph.definitions[at]!.parent)
      if (graph.definitions[at]!.kind === "module") return true;
    return false;
  }

  private async findEnclosingType(file: string, within: number): Promise<GraphTarget | null> {
    const graph = await this.files.readFileGraph(file);
    if (graph === null) return null;
    for (let at = within; at >= 0; at = graph.definitions[at]!.parent) {
      const { level, owner, kind, name } = graph.definitions[at]!;
      if (kind === "impl") return (await this.findTypeNamed(file, name)) ?? { file, at, field: null };
      if (level === "class") return { file, at, field: null };
      // A method of an object is called on that; an arrow function in it has the `this` around.
      if (owner === objectOwner && kind === "method") return null;
      if (owner !== "" && owner !== objectOwner) return this.findTypeNamed(file, owner);
    }
    return null;
  }

  private async findTypeNamed(file: string, name: string): Promise<GraphTarget | null> {
    const value = await this.resolveValue(file, { name, on: null, within: -1 }, 0);
    return value?.is === "definition" ? (value.targets[0] ?? null) : null;
  }
}

const markAsImported = (value: Value): Value =>
  value.is === "external" ? value : { ...value, by: "import" };

function toInstance(value: Value | null): Value | null {
  return value?.is === "definition" ? { ...value, is: "instance", by: "type" } : value;
}
