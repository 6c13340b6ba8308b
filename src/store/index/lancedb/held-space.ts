import pLimit from "p-limit";
import { HeldVectors } from "../../vectors/vector-index.ts";
import { ExactVectors, type FileSpan } from "../exact-vectors.ts";
import type { FileId } from "../port.ts";
import type { FileEntry, Space, State } from "./state.ts";
import type { Opened, VectorTable } from "./store.ts";

/**
 * The vectors of a space in memory: LanceDB would read all of them from its files for each question. They follow the journal, so
 * that after a save only the saved files' are read.
 */
export class HeldSpace {
  private readonly vectors = new HeldVectors<FileSpan>();
  private readonly exact = new ExactVectors(this.vectors);
  private readonly oneByOne = pLimit(1);
  /** Of the state that they are as of. */
  private revision = -1;

  constructor(
    private readonly space: Space,
    private readonly table: VectorTable,
  ) {}

  /** Asks the vectors of now, which nobody sees half loaded. */
  ask<T>(opened: Opened, use: (vectors: ExactVectors) => T): Promise<T> {
    return this.oneByOne(async () => {
      try {
        await this.follow(opened);
      } catch (error) {
        // Rows may lack some of their vectors.
        this.vectors.release();
        this.revision = -1;
        throw error;
      }
      return use(this.exact);
    });
  }

  private async follow({ state, revision }: Opened): Promise<void> {
    if (revision === this.revision) return;
    const { vectors } = this;
    const embedded = this.embeddedIn(state);
    for (const of of [...vectors.segments.keys()]) if (!embedded.has(of)) vectors.drop(of);
    if (vectors.isWorn || vectors.isEmpty) vectors.release();
    const added = [...embedded].filter(([of]) => !vectors.segments.has(of)).sort(([a], [b]) => a - b);
    if (added.length > 0) await this.load(added);
    this.revision = revision;
  }

  /** Files by the number of their vectors. */
  private embeddedIn({ files }: State): Map<number, FileEntry> {
    const embedded = new Map<number, FileEntry>();
    for (const entry of files.values()) {
      for (const { space, of } of entry.embedded) if (space === this.space.id) embedded.set(of, entry);
    }
    return embedded;
  }

  /** @param added by ascending numbers, which are larger than those of what is held */
  private async load(added: readonly (readonly [of: number, FileEntry])[]): Promise<void> {
    const { vectors, space, table } = this;
    const where = vectors.segments.size === 0 ? null : `of >= ${added[0]![0]}`;
    const expected = () => added.reduce((sum, [, { chunks }]) => sum + chunks, 0);
    for (const [of, { id, firstChunk: firstId, chunks }] of added) {
      const span = { file: id as unknown as FileId, firstId, levels: new Uint8Array(chunks) };
      vectors.add(of, span, space.dimensions, chunks, expected);
    }
    for await (const rows of table.parts(["id", "of", "level", "vector"], where)) {
      for (const { id, of, level, vector } of rows) {
        const segment = vectors.segments.get(of);
        // Of a file that is gone, or of a change that is not finished.
        if (segment === undefined) continue;
        const { info, first } = segment;
        const at = id - info.firstId;
        info.levels[at] = level;
        vectors.put(first + at, id, new Uint8Array(vector.buffer, vector.byteOffset, vector.length));
      }
    }
  }
}
