import { LRUCache } from "lru-cache";
import type { FileId, IndexEntry, SearchableIndex } from "../../store/index/port.ts";
import { findGrammar } from "../languages/index.ts";
import type { ModuleStyle, References } from "../languages/references/references.ts";
import { findPackagesOfIndex } from "../packages/packages.ts";
import { ModuleFinder } from "./modules.ts";
import { decodeGraph, type FileGraph } from "./record.ts";

/** Files whose graphs are kept, about 20 kB each. */
const maxGraphs = 2000;

/** What a question needs of the graphs of an index's files; all of one revision. */
export class GraphFiles {
  private constructor(
    private readonly index: SearchableIndex,
    private readonly byPath: ReadonlyMap<string, IndexEntry>,
    private readonly graphs: LRUCache<FileId, FileGraph | "none">,
    readonly modules: ModuleFinder,
  ) {}

  static async openForIndex(index: SearchableIndex, root: string): Promise<GraphFiles> {
    const revision = await index.revision();
    const before = filesByIndex.get(index);
    if (before?.revision === revision) return before.files;
    const [entries, packages] = await Promise.all([index.files(), findPackagesOfIndex(index, root)]);
    // A file that changes gets another id, and the graph of the former one is never asked for again.
    const graphs = before?.files.graphs ?? new LRUCache({ max: maxGraphs });
    const ids = new Set(entries.map(({ id }) => id));
    for (const id of [...graphs.keys()]) if (!ids.has(id)) graphs.delete(id);
    const byPath = new Map(entries.map((entry) => [entry.path, entry]));
    const files = new GraphFiles(index, byPath, graphs, new ModuleFinder([...byPath.keys()], packages, root));
    filesByIndex.set(index, { revision, files });
    return files;
  }

  has(path: string): boolean {
    return this.byPath.has(path);
  }

  listIndexedPaths(): string[] {
    return [...this.byPath.keys()];
  }

  /** How the language of a file refers to others; null: not known. */
  findReferenceRules(path: string): References | null {
    const entry = this.byPath.get(path);
    return (entry && findGrammar(entry.language)?.references) ?? null;
  }

  findModuleRules(path: string): ModuleStyle | null {
    return this.findReferenceRules(path)?.modules ?? null;
  }

  async readFileGraph(path: string): Promise<FileGraph | null> {
    const id = this.byPath.get(path)?.id;
    if (id === undefined) return null;
    if (!this.graphs.has(id)) await this.load([path]);
    const graph = this.graphs.get(id);
    return graph === undefined || graph === "none" ? null : graph;
  }

  /** Several at once, for those that are asked for next. */
  async load(paths: readonly string[]): Promise<void> {
    const ids = paths.flatMap((path) => this.byPath.get(path)?.id ?? []).filter((id) => !this.graphs.has(id));
    if (ids.length === 0) return;
    const found = await this.index.readGraphs(ids);
    for (const id of ids) {
      const data = found.get(id);
      this.graphs.set(id, data === undefined ? "none" : decodeGraph(data));
    }
  }
}

const filesByIndex = new WeakMap<SearchableIndex, { revision: string; files: GraphFiles }>();
