import { levels } from "../../../project/levels.ts";
import { type Segment, VectorIndex } from "../../vectors/vector-index.ts";
import { blockSize, type VectorKernel } from "../../vectors/vector-kernel.ts";
import { Best } from "../best.ts";
import type { ChunkId, Match, Scope } from "../port.ts";
import { chunkId, type IndexDatabase } from "./index-database.ts";
import { type FileVectorRow, vectorRowIds, vectorRowsAfter } from "./vector-rows.ts";

type FileInfo = Pick<FileVectorRow, "file" | "firstId" | "levels">;

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
    return best.sorted().map(({ row, score }) => ({ id: chunkId(row), score }));
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
