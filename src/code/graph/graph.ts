import { listIdentifiers, nameKey } from "../../base/text/tokens.ts";
import { type EdgeConfidence, type EdgeKind, edgeConfidences } from "../../protocol/values.ts";
import type { SearchableIndex } from "../../store/index/port.ts";
import {
  GraphDefinitions,
  type GraphNode,
  type GraphTarget,
  listNamed,
  makeTarget,
  makeTargetKey,
  ofFile,
} from "./definitions.ts";
import { splitLastMember } from "./expression.ts";
import { GraphFiles } from "./files.ts";
import type { FileGraph, GraphReference } from "./record.ts";
import { type Resolution, Resolver } from "./resolve.ts";

export interface Edge {
  /** Its other end; the file itself where a mention is in no definition. */
  node: GraphNode;
  /** The same, to ask on. */
  target: GraphTarget;
  kind: EdgeKind;
  /** Where it is mentioned. */
  lines: number[];
  confidence: EdgeConfidence;
  /** How many definitions it may mean. */
  candidates: number;
}

export interface Edges {
  edges: Edge[];
  /** Mentions of which nobody can know what they mean, by name; those of other libraries do not count. */
  unknown: number;
  /** Whether there were too many files to look into all of them. */
  isCut: boolean;
  /** Files that import what is asked about, and in which nothing is known to use it. */
  importers: string[];
}

/** Chunks that a name is looked for in. */
const maxHolders = 4000;
/** Definitions of one name that are told apart. */
const maxCandidates = 40;
/** Files that hand on what others hand on, each under another name. */
const maxRenames = 5;

/** Edges between the definitions of an index, found when they are asked for. */
export class CodeGraph {
  readonly definitions: GraphDefinitions;
  private readonly resolver: Resolver;
  private readonly candidatesOf = new Map<string, Promise<GraphTarget[]>>();

  private constructor(
    private readonly index: SearchableIndex,
    private readonly files: GraphFiles,
  ) {
    this.definitions = new GraphDefinitions(files);
    this.resolver = new Resolver(files, this.definitions);
  }

  /** Of one revision: to be made for each question. */
  static async openForIndex(index: SearchableIndex, root: string): Promise<CodeGraph> {
    return new CodeGraph(index, await GraphFiles.openForIndex(index, root));
  }

  /** Whether the references of a file are known. */
  async hasReferences(file: string): Promise<boolean> {
    return (await this.files.readFileGraph(file)) !== null;
  }

  /** The definitions that somebody names, as `name` or as `Type.name`; best in this order. */
  async findNamedDefinitions(asked: string): Promise<GraphTarget[]> {
    const parts = asked.split(/::|[.#]/);
    const name = parts.pop()!;
    const owner = parts.pop();
    const found = await this.findDefinitionsNamed(name);
    if (owner === undefined) return found;
    const fitting: GraphTarget[] = [];
    for (const target of found) {
      const { parent } = await this.definitions.describeTarget(target);
      if (parent === owner) fitting.push(target);
    }
    return fitting;
  }

  /** What a mention leads to, and how sure that is. */
  async resolve(
    file: string,
    reference: GraphReference,
  ): Promise<Omit<Resolution, "by"> & { by: string; confidence: EdgeConfidence | null }> {
    const { by, targets } = await this.resolver.resolve(file, reference);
    if (targets.length > 0) return { by, targets, confidence: "resolved" };
    if (by === "external") return { by, targets, confidence: null };
    const guessed = await this.guess(file, reference);
    const confidence = guessed.length === 0 ? null : guessed.length === 1 ? "unique" : "ambiguous";
    return { by: "name", targets: guessed, confidence };
  }

  /** What the call of a name on a line leads to, the surest if there are several; null: nothing that is known. */
  async findEdgeAt(
    file: string,
    line: number,
    name: string,
  ): Promise<{ targets: GraphTarget[]; confidence: EdgeConfidence } | null> {
    const graph = await this.files.readFileGraph(file);
    let best: { targets: GraphTarget[]; confidence: EdgeConfidence } | null = null;
    for (const reference of graph?.references ?? []) {
      if (reference.name !== name || reference.kind === "type" || !reference.lines.includes(line)) continue;
      const { targets, confidence } = await this.resolve(file, reference);
      if (confidence === null) continue;
      if (best === null || edgeConfidences.indexOf(confidence) < edgeConfidences.indexOf(best.confidence))
        best = { targets, confidence };
    }
    return best;
  }

  /** What a definition calls and uses. */
  async findCallees(target: GraphTarget): Promise<Edges> {
    const graph = await this.files.readFileGraph(target.file);
    if (graph === null) return { edges: [], unknown: 0, isCut: false, importers: [] };
    const edges = new EdgeList();
    let unknown = 0;
    for (const reference of graph.references) {
      if (!isWithin(graph, reference.within, target.at)) continue;
      const { targets, confidence, by } = await this.resolve(target.file, reference);
      if (confidence === null) {
        if (by !== "external" && reference.kind === "call" && reference.on !== null) unknown++;
        continue;
      }
      const other = targets[0]!;
      // What is within it is no other end.
      if (other.file === target.file && isWithin(graph, other.at, target.at)) continue;
      edges.add({
        target: other,
        kind: reference.kind,
        lines: reference.lines,
        confidence,
        candidates: targets.length,
      });
    }
    return { edges: await this.withNodes(edges), unknown, isCut: false, importers: [] };
  }

  /** What a file mentions of others. */
  async findCalleesOfFile(file: string): Promise<Edge[]> {
    const definitions = (await this.files.readFileGraph(file))?.definitions ?? [];
    const places = definitions.flatMap(({ parent }, at) => (parent === ofFile ? [at] : []));
    const edges: Edge[] = [];
    for (const at of [ofFile, ...places]) {
      for (const edge of (await this.findCallees(makeTarget(file, at))).edges) {
        if (edge.node.file !== file) edges.push(edge);
      }
    }
    return edges;
  }

  /** What mentions any of these definitions. */
  async findCallers(targets: readonly GraphTarget[]): Promise<Edges> {
    const wanted = new WantedDefinitions();
    for (const target of targets) await this.addWanted(target, wanted);
    const { paths, isCut } = await this.findFilesMentioning(wanted);
    const edges = new EdgeList();
    for (const target of targets) {
      if (!this.files.findModuleRules(target.file)?.implicitInterfaces) continue;
      await this.addImplicitBases(target, paths, wanted);
      for (const type of await this.findImplementers(target)) {
        const { line } = await this.definitions.describeTarget(type);
        edges.add({ target: type, kind: "base", lines: [line], confidence: "dispatch", candidates: 1 });
      }
    }
    const importers: string[] = [];
    for (const file of paths) {
      const graph = await this.files.readFileGraph(file);
      if (graph === null) continue;
      const names = listMentionNames(graph, wanted.names);
      let isFollowed = false;
      for (const reference of graph.references) {
        if (!names.has(reference.name)) continue;
        const { targets: found, confidence } = await this.resolve(file, reference);
        if (confidence === null) continue;
        const isDirect = found.some((one) => wanted.has(one));
        const isDispatched =
          !isDirect && confidence === "resolved" && found.some((one) => wanted.hasBase(one));
        if (!isDirect && !isDispatched) continue;
        const { within, kind, lines } = reference;
        const caller = makeTarget(file, within);
        isFollowed = true;
        if (wanted.isWithinWanted(caller, graph)) continue;
        edges.add({
          target: caller,
          kind,
          lines,
          confidence: isDispatched ? "dispatch" : confidence,
          candidates: isDispatched ? 1 : found.length,
        });
      }
      if (!isFollowed && (await this.imports(file, graph, wanted))) importers.push(file);
    }
    return { edges: await this.withNodes(edges), unknown: 0, isCut, importers };
  }

  /** What of interfaces a method stands for, where types need not name what they implement. */
  private async addImplicitBases(
    target: GraphTarget,
    paths: readonly string[],
    wanted: WantedDefinitions,
  ): Promise<void> {
    const owner = await this.resolver.findOwnerType(target);
    if (owner === null) return;
    const { name } = await this.definitions.describeTarget(target);
    for (const file of paths) {
      for (const [field, member] of ((await this.files.readFileGraph(file))?.fields ?? []).entries()) {
        if (member.name !== name || !member.isMethod) continue;
        const methods = await this.listInterfaceMethods(makeTarget(file, member.of));
        if (await this.hasMembers(owner, methods)) wanted.addBase({ file, at: member.of, field });
      }
    }
  }

  /** The types that have all methods of an interface; none for what is no interface. */
  private async findImplementers(target: GraphTarget): Promise<GraphTarget[]> {
    const methods = target.field === null ? await this.listInterfaceMethods(target) : [];
    if (methods.length === 0) return [];
    const holders = await Promise.all(methods.map((name) => this.findDefinitionsNamed(name)));
    const [fewest = []] = holders.toSorted((a, b) => a.length - b.length);
    const types = new Map<string, GraphTarget>();
    for (const method of fewest) {
      const owner = await this.resolver.findOwnerType(method);
      if (owner !== null && (await this.hasMembers(owner, methods))) types.set(makeTargetKey(owner), owner);
    }
    return [...types.values()];
  }

  /** The methods of an interface, with those of what it embeds. */
  private async listInterfaceMethods(type: GraphTarget, depth = 0): Promise<string[]> {
    const fields = (await this.files.readFileGraph(type.file))?.fields ?? [];
    const own = fields.filter(({ of, isMethod }) => of === type.at && isMethod).map(({ name }) => name);
    if (depth >= maxRenames) return own;
    // A struct that embeds an interface has its methods, and is none itself.
    if (own.length === 0 && fields.some(({ of }) => of === type.at)) return [];
    for (const base of await this.resolver.findBases(type))
      own.push(...(await this.listInterfaceMethods(base, depth + 1)));
    return [...new Set(own)];
  }

  private async hasMembers(type: GraphTarget, names: readonly string[]): Promise<boolean> {
    for (const name of names) if ((await this.resolver.findMembers(type, name)).length === 0) return false;
    return names.length > 0;
  }

  /** The files that mention any of these, under whatever name it is handed on to them. */
  private async findFilesMentioning(wanted: WantedDefinitions): Promise<{ paths: string[]; isCut: boolean }> {
    const paths = new Set<string>();
    const asked = new Set<string>();
    let isCut = false;
    for (let round = 0; round < maxRenames; round++) {
      const names = [...wanted.names].filter((name) => !asked.has(name));
      if (names.length === 0) break;
      for (const name of names) asked.add(name);
      const found = await this.findFilesNaming(names);
      isCut ||= found.isCut;
      await this.files.load(found.paths);
      for (const path of found.paths) {
        paths.add(path);
        await this.addRenames(path, wanted);
      }
    }
    return { paths: [...paths].sort(), isCut };
  }

  /** The other names under which a file hands on what is wanted. */
  private async addRenames(file: string, wanted: WantedDefinitions): Promise<void> {
    const graph = await this.files.readFileGraph(file);
    if (graph === null) return;
    const isWanted = (name: string) => wanted.names.has(name) || name === "default" || name === "*";
    const offered = new Set(
      graph.exports.flatMap(({ as, name }) => (as !== "*" && (isWanted(name) || isWanted(as)) ? [as] : [])),
    );
    // TypeScript and JavaScript say what they export; what else imports a name may offer it.
    const exportsAll = this.files.findModuleRules(file)?.style !== "path";
    const isExported = new Set(graph.exports.map(({ name }) => name));
    for (const { local, name } of graph.imports) {
      if (local !== name && isWanted(name) && (exportsAll || isExported.has(local))) offered.add(local);
    }
    for (const name of offered) {
      // A default export has whatever name the importer gives it: its module's name is there, at least.
      const known = name === "default" ? getFileStem(file) : name;
      if (wanted.names.has(known)) continue;
      if ((await this.resolver.findOffered(file, name)).some((one) => wanted.has(one)))
        wanted.names.add(known);
    }
    for (const [at, { name, level, parent, value }] of graph.definitions.entries()) {
      if (level !== "constant" || parent !== ofFile || value === null) continue;
      const meant = splitLastMember(value);
      if (meant === null || !wanted.names.has(meant.name) || wanted.names.has(name)) continue;
      const { targets } = await this.resolver.resolve(file, { ...meant, within: ofFile });
      if (targets.some((one) => wanted.has(one))) wanted.addAlias(makeTarget(file, at), name);
    }
    for (const { of, name, value } of graph.fields) {
      if (value === null || graph.definitions[of]!.level !== "constant" || wanted.names.has(name)) continue;
      const meant = splitLastMember(value);
      if (meant === null || !wanted.names.has(meant.name)) continue;
      const { targets } = await this.resolver.resolve(file, { ...meant, within: ofFile });
      if (targets.some((one) => wanted.has(one))) wanted.names.add(name);
    }
  }

  /** Whether a file imports what is wanted, other than to hand it on. */
  private async imports(file: string, graph: FileGraph, wanted: WantedDefinitions): Promise<boolean> {
    const rules = this.files.findModuleRules(file);
    if (rules?.index?.includes(getFileStem(file)) || rules?.style === "crate") return false;
    const isExported = new Set(graph.exports.map(({ name }) => name));
    for (const { local, name } of graph.imports) {
      if (name === "*" || isExported.has(local) || !(wanted.names.has(name) || name === "default")) continue;
      const { targets } = await this.resolver.resolve(file, { name: local, on: null, within: ofFile });
      if (targets.some((one) => wanted.has(one))) return true;
    }
    return false;
  }

  /** The names by which a definition is mentioned, and what of its bases it stands for. */
  private async addWanted(target: GraphTarget, wanted: WantedDefinitions): Promise<void> {
    const graph = await this.files.readFileGraph(target.file);
    if (graph === null || target.at === ofFile) return;
    const { name } = await this.definitions.describeTarget(target);
    wanted.add(target, name);
    if (target.field === null) {
      for (const one of graph.exports) {
        if (one.from !== "" || one.name !== name) continue;
        // A default export has whatever name the importer gives it: its module's name is there, at least.
        wanted.names.add(one.as === "default" ? getFileStem(target.file) : one.as);
      }
    }
    const owner = await this.resolver.findOwnerType(target);
    if (owner === null) return;
    if (constructors.has(name) || graph.definitions[target.at]?.kind === "constructor") {
      wanted.add(owner, (await this.definitions.describeTarget(owner)).name);
      return;
    }
    for (const base of await this.resolver.findBases(owner)) {
      for (const member of await this.resolver.findMembers(base, name)) wanted.addBase(member);
    }
  }

  private async findFilesNaming(names: readonly string[]): Promise<{ paths: string[]; isCut: boolean }> {
    const tokens = [...new Set(names.flatMap((name) => listIdentifiers(name)[0]?.toLowerCase() ?? []))];
    const holders = await this.index.findPhrases(tokens, maxHolders);
    const outlines = await this.index.readOutlines([...new Set(holders.flat())]);
    const isCut = holders.some((chunks) => chunks.length >= maxHolders);
    return { paths: [...new Set(outlines.map(({ path }) => path))].sort(), isCut };
  }

  /** Definitions of the name, where it is not known what it is a member of. */
  private async guess(file: string, { name, on, kind }: GraphReference): Promise<GraphTarget[]> {
    const rules = this.files.findModuleRules(file);
    // A name that nothing in sight defines is the language's own.
    if (on === null || rules === null || (kind !== "call" && kind !== "construct")) return [];
    const found = await this.findDefinitionsNamed(name);
    const members: GraphTarget[] = [];
    for (const target of found) {
      if (this.files.findModuleRules(target.file)?.style !== rules.style) continue;
      const definition = (await this.files.readFileGraph(target.file))!.definitions[target.at]!;
      const isMember = definition.owner !== "" || (await this.resolver.findOwnerType(target)) !== null;
      if (isMember && definition.level === "method") members.push(target);
    }
    return members;
  }

  private findDefinitionsNamed(name: string): Promise<GraphTarget[]> {
    let found = this.candidatesOf.get(name);
    if (found === undefined) {
      found = this.findNamed(name);
      this.candidatesOf.set(name, found);
    }
    return found;
  }

  private async findNamed(name: string): Promise<GraphTarget[]> {
    const key = nameKey(name);
    if (key === "") return [];
    const symbols = await this.index.findDefinitions([key], maxCandidates);
    const ids = symbols.filter((symbol) => symbol.name === name).map(({ id }) => id);
    const paths = [
      ...new Set((await this.index.readOutlines([...new Set(ids)])).map(({ path }) => path)),
    ].sort();
    await this.files.load(paths);
    const found: GraphTarget[] = [];
    for (const file of paths) {
      const graph = await this.files.readFileGraph(file);
      if (graph !== null) found.push(...listNamed(file, graph, name, ({ kind }) => kind !== "impl"));
    }
    return found;
  }

  private withNodes(edges: EdgeList): Promise<Edge[]> {
    return Promise.all(
      edges
        .listByConfidence()
        .map(async (edge) => ({ ...edge, node: await this.definitions.describeTarget(edge.target) })),
    );
  }
}

/** What languages call what makes a value of a type. */
const constructors = new Set(["constructor", "__init__", "__new__"]);

const getFileStem = (path: string) => path.slice(path.lastIndexOf("/") + 1).replace(/\..*$/, "");

/** The names under which a file mentions any of these. */
function listMentionNames(graph: FileGraph, wanted: ReadonlySet<string>): Set<string> {
  const names = new Set([...wanted, "default"]);
  for (const { local, name } of graph.imports)
    if (wanted.has(name) || name === "default" || (name === "*" && local !== "*")) names.add(local);
  for (const { as, name } of graph.exports) if (wanted.has(name)) names.add(as);
  return names;
}

function isWithin({ definitions }: FileGraph, at: number, around: number): boolean {
  for (let place = at; place >= 0; place = definitions[place]!.parent) if (place === around) return true;
  return around === ofFile && at === ofFile;
}

/** Definitions that are asked about. */
class WantedDefinitions {
  readonly names = new Set<string>();
  private readonly targets = new Set<string>();
  private readonly aliases = new Set<string>();
  private readonly bases = new Set<string>();

  add(target: GraphTarget, name: string): void {
    this.targets.add(makeTargetKey(target));
    this.names.add(name);
  }

  /** A constant that stands for one of them. */
  addAlias(target: GraphTarget, name: string): void {
    this.aliases.add(makeTargetKey(target));
    this.names.add(name);
  }

  addBase(target: GraphTarget): void {
    this.bases.add(makeTargetKey(target));
  }

  has(target: GraphTarget): boolean {
    const key = makeTargetKey(target);
    return this.targets.has(key) || this.aliases.has(key);
  }

  hasBase(target: GraphTarget): boolean {
    return this.bases.has(makeTargetKey(target));
  }

  /** Whether a place is within one of them: what mentions itself is no caller. */
  isWithinWanted({ file, at }: GraphTarget, graph: FileGraph): boolean {
    for (let place = at; place >= 0; place = graph.definitions[place]!.parent) {
      if (this.targets.has(makeTargetKey(makeTarget(file, place)))) return true;
    }
    return false;
  }
}

type OutgoingEdge = Omit<Edge, "node">;

/** Edges with the same ends, and as sure, are one. */
class EdgeList {
  private readonly byEnd = new Map<string, OutgoingEdge>();

  add(edge: OutgoingEdge): void {
    const key = `${makeTargetKey(edge.target)}\n${edge.kind}\n${edge.confidence}`;
    const lines = [...(this.byEnd.get(key)?.lines ?? []), ...edge.lines];
    this.byEnd.set(key, { ...edge, lines: [...new Set(lines)].sort((a, b) => a - b) });
  }

  /** The surest first. */
  listByConfidence(): OutgoingEdge[] {
    const rank = ({ confidence }: OutgoingEdge) => edgeConfidences.indexOf(confidence);
    return [...this.byEnd.values()].sort((a, b) => rank(a) - rank(b));
  }
}
