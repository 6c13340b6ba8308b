import { levels } from "../../../project/levels.ts";
import { type Segment, VectorIndex } from "../../vectors/vector-index.ts";
import { blockSize, type VectorKernel } from "../../vectors/vector-kernel.ts";
import type { ChunkId, Match, Scope } from "../port.ts";
import { chunkId, type IndexDatabase } from "./index-database.ts";
import { type FileVectorRow, vectorRowIds, vectorRowsAfter } from "./vector-rows.ts";

type FileInfo = Pick<FileVectorRow, "file" | "firstId" | "levels">;

/** A row of `chunks` whose vector is near to a query's. */
interface Neighbour {
  row: number;
  /** Cosine of the angle between the two vectors, -1 to 1. */
  similarity: number;
}

/** The first chunks looked at set the mark for the others, so they should be few. */
const firstBlock = 256;

/** Which chunks are near to a query for one model. */
export class ChunkVectors {
  private readonly vectors: VectorIndex<FileVectorRow, FileInfo>;

  constructor(db: IndexDatabase, model: string, create?: (dimensions: number) => VectorKernel) {
    const source = {
      version: () => db.version(),
      count: () => db.chunkCount(),
      rowsAfter: (model: string, id: number) => vectorRowsAfter(db, model, id),
      rowIds: (model: string) => vectorRowIds(db, model),
      removedSince: (version: string) => db.vectorsRemovedSince(version),
    };
    const describe = ({ file, firstId, levels }: FileVectorRow) => ({ file, firstId, levels });
    this.vectors = new VectorIndex(source, model, describe, create);
  }

  /** How many chunks it knows, with or without a vector, and how many bytes they take. */
  size(): { vectors: number; bytes: number } {
    return this.vectors.size();
  }

  /** The `k` chunks of the scope that are nearest to the query, best first; ties by row. */
  nearest(query: Int8Array, k: number, scope: Scope): Match[] {
    const kernel = k < 1 ? null : this.vectors.ask(query);
    if (kernel === null) return [];
    const best = new Best(k);
    if (scope.files === null && scope.levels === null) this.selectAll(kernel, best);
    else this.selectIn(kernel, best, scope);
    return best.sorted().map(({ row, similarity }) => ({ id: chunkId(row), score: similarity }));
  }

  /** The cosines of given chunks, in their order; NaN for one without a vector. */
  similarities(query: Int8Array, ids: readonly ChunkId[]): Float64Array {
    const similarities = new Float64Array(ids.length).fill(Number.NaN);
    const kernel = this.vectors.ask(query);
    if (kernel === null) return similarities;
    const [list, cosines] = [kernel.list(), kernel.cosines()];
    for (let start = 0; start < ids.length; start += blockSize) {
      const slots = ids.slice(start, start + blockSize).map((id) => this.slotOf(Number(id)));
      // A chunk that is not known is compared as slot 0, and the answer not used.
      list.set(slots.map((slot) => slot ?? 0));
      kernel.measure(slots.length);
      slots.forEach((slot, i) => {
        if (slot !== null) similarities[start + i] = cosines[i]!;
      });
    }
    return similarities;
  }

  release(): void {
    this.vectors.release();
  }

  private selectAll(kernel: VectorKernel, best: Best): void {
    const [ids, cosines] = [kernel.ids(), kernel.cosines()];
    const { slots } = this.vectors;
    for (let start = 0, size = firstBlock; start < slots; start += size, size = blockSize) {
      const found = kernel.select(start, Math.min(size, slots - start), best.least);
      for (let i = 0; i < found; i++) best.offer(ids[i]!, cosines[i]!);
    }
  }

  private selectIn(kernel: VectorKernel, best: Best, { files: wantedFiles, levels: wanted }: Scope): void {
    const [list, cosines] = [kernel.list(), kernel.cosines()];
    const rows: number[] = [];
    const flush = () => {
      kernel.measure(rows.length);
      rows.forEach((row, i) => {
        // Not so for NaN.
        if (cosines[i]! >= best.least) best.offer(row, cosines[i]!);
      });
      rows.length = 0;
    };
    const files = wantedFiles && new Set(wantedFiles);
    const isWanted = levels.map((level) => wanted === null || wanted.includes(level));
    for (const { info, first, count } of this.vectors.segments.values()) {
      if (count === 0 || (files !== null && !files.has(info.file))) continue;
      info.levels.forEach((level, i) => {
        if (!isWanted[level]) return;
        list[rows.length] = first + i;
        rows.push(info.firstId + i);
        if (rows.length === blockSize) flush();
      });
    }
    flush();
  }

  /** The slot of a chunk: in the last file that begins before it, if that reaches so far. */
  private slotOf(row: number): number | null {
    const segments = this.byFirstRow();
    let [from, to] = [0, segments.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if (segments[middle]!.info.firstId <= row) from = middle + 1;
      else to = middle;
    }
    const segment = segments[from - 1];
    const at = segment === undefined ? -1 : row - segment.info.firstId;
    return segment !== undefined && at < segment.count ? segment.first + at : null;
  }

  private sorted: Segment<FileInfo>[] = [];
  private sortedAt = 0;

  private byFirstRow(): readonly Segment<FileInfo>[] {
    const { changes, segments } = this.vectors;
    if (this.sortedAt !== changes) {
      this.sorted = [...segments.values()].sort((a, b) => a.info.firstId - b.info.firstId);
      this.sortedAt = changes;
    }
    return this.sorted;
  }
}

/** The best of many: a heap with the worst of them on top. */
class Best {
  /** Lower values are no longer wanted. */
  least = Number.NEGATIVE_INFINITY;
  private readonly heap: Neighbour[] = [];

  constructor(private readonly k: number) {}

  offer(row: number, similarity: number): void {
    const { heap } = this;
    const item = { row, similarity };
    if (heap.length < this.k) {
      heap.push(item);
      this.rise(heap.length - 1);
    } else {
      if (!isBefore(item, heap[0]!)) return;
      heap[0] = item;
      this.sink();
    }
    if (heap.length === this.k) this.least = heap[0]!.similarity;
  }

  sorted(): Neighbour[] {
    return this.heap.sort((a, b) => (isBefore(a, b) ? -1 : 1));
  }

  private rise(at: number): void {
    const { heap } = this;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isBefore(heap[parent]!, heap[at]!)) return;
      [heap[parent], heap[at]] = [heap[at]!, heap[parent]!];
      at = parent;
    }
  }

  private sink(): void {
    const { heap } = this;
    for (let at = 0; ; ) {
      let worst = at;
      for (const child of [2 * at + 1, 2 * at + 2]) {
        if (child < heap.length && isBefore(heap[worst]!, heap[child]!)) worst = child;
      }
      if (worst === at) return;
      [heap[worst], heap[at]] = [heap[at]!, heap[worst]!];
      at = worst;
    }
  }
}

function isBefore(a: Neighbour, b: Neighbour): boolean {
  return a.similarity > b.similarity || (a.similarity === b.similarity && a.row < b.row);
}
