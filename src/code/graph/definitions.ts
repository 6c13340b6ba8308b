import { getOrCreate } from "../../base/multimap.ts";
import type { GraphFiles } from "./files.ts";
import { type FileGraph, type GraphDefinition, objectOwner } from "./record.ts";

/** A definition, or a member of one that is no definition of its own. */
export interface GraphTarget {
  file: string;
  /** Its place in the definitions of the file's graph. */
  at: number;
  /** Its place in the file's fields, for a member that is declared there. */
  field: number | null;
}

/** The same text for the same target. */
export const makeTargetKey = ({ file, at, field }: GraphTarget) => `${file}\n${at}\n${field}`;

export const removeDuplicateTargets = (targets: readonly GraphTarget[]): GraphTarget[] => [
  ...new Map(targets.map((one) => [makeTargetKey(one), one])).values(),
];

/** No definition: what stands in the file outside of all. */
export const ofFile = -1;

/** A definition, as edges name it. */
export interface GraphNode {
  file: string;
  name: string;
  kind: string;
  /** The definition that it is in; null: it is at the top of the file. */
  parent: string | null;
  /** 1-based, inclusive. */
  line: number;
  endLine: number;
}

/** What the files themselves say of their definitions: no name is followed. */
export class GraphDefinitions {
  constructor(private readonly files: GraphFiles) {}

  // By place

  /** The innermost definitions on these lines of a file; the file itself where there is none. */
  async findDefinitionsAt(file: string, first: number, last: number): Promise<GraphTarget[]> {
    const graph = await this.files.readFileGraph(file);
    if (graph === null) return [];
    const within = graph.definitions.flatMap(({ line, endLine }, at) =>
      line <= last && endLine >= first ? [at] : [],
    );
    // Those whose own lines they are, rather than those of what they hold.
    const found = within.filter((at) => {
      const inner = within.filter((other) => graph.definitions[other]!.parent === at);
      for (let line = first; line <= last; line++) {
        const { line: start, endLine } = graph.definitions[at]!;
        if (line < start || line > endLine) continue;
        if (
          !inner.some(
            (one) => graph.definitions[one]!.line <= line && graph.definitions[one]!.endLine >= line,
          )
        )
          return true;
      }
      return false;
    });
    return found.map((at) => makeTarget(file, at));
  }

  /** The definition that a span of a file is, or is in; the file itself where there is none. */
  async findDefinitionOfSpan({
    file,
    name,
    first,
    last,
  }: {
    file: string;
    name: string;
    first: number;
    last: number;
  }): Promise<GraphTarget> {
    const definitions = (await this.files.readFileGraph(file))?.definitions ?? [];
    const own = definitions.findIndex((one) => one.name === name && one.line >= first && one.line <= last);
    const around = definitions.findLastIndex(({ line, endLine }) => line <= first && endLine >= first);
    return makeTarget(file, own >= 0 ? own : around);
  }

  /** Every definition of a file. */
  async listDefinitionsOfFile(file: string): Promise<GraphTarget[]> {
    const graph = await this.files.readFileGraph(file);
    return (graph?.definitions ?? []).map((_, at) => makeTarget(file, at));
  }

  /** Members of a file's types that are no definitions of their own. */
  async listFieldsOfFile(file: string): Promise<GraphTarget[]> {
    const graph = await this.files.readFileGraph(file);
    return (graph?.fields ?? []).map(({ of }, field) => ({ file, at: of, field }));
  }

  /** What a target is called and where it stands. */
  async describeTarget({ file, at, field }: GraphTarget): Promise<GraphNode> {
    const graph = await this.files.readFileGraph(file);
    const found = graph?.definitions[at];
    if (found === undefined) {
      const name = file.slice(file.lastIndexOf("/") + 1);
      return { file, name, kind: "file", parent: null, line: 1, endLine: 1 };
    }
    const member = field === null ? undefined : graph!.fields[field];
    if (member !== undefined) {
      const { name, line, isMethod } = member;
      const kind = isMethod ? "method" : "field";
      return { file, name, kind, parent: found.name, line, endLine: line };
    }
    const { name, kind, line, endLine, owner, parent } = found;
    const around = graph!.definitions[parent]?.name ?? null;
    return {
      file,
      name,
      kind,
      line,
      endLine,
      parent: owner === "" || owner === objectOwner ? around : owner,
    };
  }

  // By name

  /** Outside of all others in their file. */
  async findTopLevel(file: string, name: string): Promise<GraphTarget[]> {
    const graph = await this.files.readFileGraph(file);
    return graph === null ? [] : listTopLevelNamed(file, graph, name);
  }

  /** A type may be written in several parts: declarations that merge, and Rust's `impl`. */
  async findTypeParts(type: GraphTarget): Promise<GraphTarget[]> {
    const graph = await this.files.readFileGraph(type.file);
    const named = graph?.definitions[type.at];
    if (!graph || !named || type.field !== null) return [];
    const isPart = ({ parent, level }: GraphDefinition) =>
      parent === named.parent && (level === "class" || level === "type");
    return listNamed(type.file, graph, named.name, isPart);
  }

  /** The members of this name that a type has itself: definitions, or else fields. */
  async findOwnMembers(type: GraphTarget, name: string): Promise<GraphTarget[]> {
    const own: GraphTarget[] = [];
    for (const { file, at } of await this.findTypeParts(type)) {
      const graph = (await this.files.readFileGraph(file))!;
      own.push(...listNamed(file, graph, name, ({ parent }) => parent === at));
      graph.fields.forEach((one, field) => {
        if (one.name === name && one.of === at) own.push({ file, at, field });
      });
    }
    own.push(...(await this.findMembersApart(type, name)));
    const definitions = own.filter(({ field }) => field === null);
    return definitions.length > 0 ? definitions : own;
  }

  /** Members that are written apart from their type. */
  private async findMembersApart({ file, at }: GraphTarget, name: string): Promise<GraphTarget[]> {
    const graph = await this.files.readFileGraph(file);
    const type = graph?.definitions[at];
    const rules = this.files.findModuleRules(file);
    if (!type || !rules) return [];
    const others =
      rules.sharesDirectory && !rules.implicitSelf ? this.files.modules.listFilesBeside(file, rules) : [];
    await this.files.load(others);
    const found: GraphTarget[] = [];
    for (const other of [file, ...others]) {
      const beside = await this.files.readFileGraph(other);
      if (beside !== null) found.push(...listNamed(other, beside, name, ({ owner }) => owner === type.name));
    }
    return found;
  }

  /** Members of an object that a constant is. */
  async findObjectProperties(constants: readonly GraphTarget[], name: string): Promise<GraphTarget[]> {
    const found: GraphTarget[] = [];
    for (const { file, at, field } of constants) {
      const graph = field === null ? await this.files.readFileGraph(file) : null;
      if (graph?.definitions[at]?.level !== "constant") continue;
      const isProperty = ({ parent, owner }: GraphDefinition) => parent === at && owner === objectOwner;
      found.push(...listNamed(file, graph, name, isProperty));
    }
    return found;
  }
}

/** One that is no member of another's fields. */
export const makeTarget = (file: string, at: number): GraphTarget => ({ file, at, field: null });

/** What a definition holds. */
export const findChildrenNamed = (
  file: string,
  graph: FileGraph,
  within: number,
  name: string,
): GraphTarget[] =>
  listNamed(file, graph, name, ({ parent, owner }) => parent === within && owner !== objectOwner);

/** What is outside of all other definitions. */
const listTopLevelNamed = (file: string, graph: FileGraph, name: string): GraphTarget[] =>
  listNamed(
    file,
    graph,
    name,
    ({ parent, owner, kind }) => parent === ofFile && owner === "" && kind !== "impl",
  );

/** The places of a file's definitions by their name: a search for callers asks for thousands of names. */
const placesByName = new WeakMap<FileGraph, ReadonlyMap<string, number[]>>();

/** The definitions of this name in a file that are wanted. */
export function listNamed(
  file: string,
  graph: FileGraph,
  name: string,
  isWanted: (definition: GraphDefinition) => boolean,
): GraphTarget[] {
  let places = placesByName.get(graph);
  if (places === undefined) {
    const all = new Map<string, number[]>();
    for (const [at, definition] of graph.definitions.entries())
      getOrCreate(all, definition.name, () => []).push(at);
    places = all;
    placesByName.set(graph, places);
  }
  const named = places.get(name) ?? [];
  return named.filter((at) => isWanted(graph.definitions[at]!)).map((at) => makeTarget(file, at));
}

/** The same without what a constant is that was imported: `const retry = require("./retry")`. */
export function findOwnTopLevel(file: string, graph: FileGraph, name: string): GraphTarget[] {
  const found = listTopLevelNamed(file, graph, name);
  const isImported =
    graph.imports.some(({ local }) => local === name) &&
    found.every(({ at }) => graph.definitions[at]!.level === "constant");
  return isImported ? [] : found;
}
