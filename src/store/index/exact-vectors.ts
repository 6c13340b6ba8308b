import { levels } from "../../base/levels.ts";
import { Best, type ScoredRow } from "../best.ts";
import type { HeldVectors, VectorSegment } from "../vectors/vector-index.ts";
import { blockSize, type VectorKernel } from "../vectors/vector-kernel.ts";
import type { FileId, SearchScope } from "./port.ts";

/** The chunks of a file, whose vectors are held together. */
export interface FileSpan {
  file: FileId;
  /** Of its chunks; those of the others count on. */
  firstId: number;
  /** For each chunk the place of its level in `levels`. */
  levels: Uint8Array;
}

/** The first chunks looked at set the mark for the others, so they should be few. */
const firstBlockChunks = 256;

/** Which chunks are near to a query: all of one model's vectors are compared, from memory. */
export class ExactVectors {
  constructor(private readonly vectors: HeldVectors<FileSpan>) {}

  /** The `k` chunks of the scope that are nearest to the query, best first; ties by chunk. */
  findNearest(query: Int8Array, k: number, scope: SearchScope): ScoredRow[] {
    const kernel = k < 1 ? null : this.vectors.ask(query);
    if (kernel === null) return [];
    const best = new Best(k);
    if (scope.files === null && scope.levels === null) this.selectAll(kernel, best);
    else this.selectIn(kernel, best, scope);
    return best.takeSorted();
  }

  /** The cosines of given chunks, in their order; NaN for one without a vector. */
  measureSimilarities(query: Int8Array, chunks: readonly number[]): Float64Array {
    const similarities = new Float64Array(chunks.length).fill(Number.NaN);
    const kernel = this.vectors.ask(query);
    if (kernel === null) return similarities;
    const [list, cosines] = [kernel.list(), kernel.cosines()];
    for (let start = 0; start < chunks.length; start += blockSize) {
      const slots = chunks.slice(start, start + blockSize).map((chunk) => this.findSlot(chunk));
      // A chunk that is not known is compared as slot 0, and the answer not used.
      list.set(slots.map((slot) => slot ?? 0));
      kernel.measure(slots.length);
      slots.forEach((slot, i) => {
        if (slot !== null) similarities[start + i] = cosines[i]!;
      });
    }
    return similarities;
  }

  private selectAll(kernel: VectorKernel, best: Best): void {
    const [ids, cosines] = [kernel.ids(), kernel.cosines()];
    const { slots } = this.vectors;
    for (let start = 0, size = firstBlockChunks; start < slots; start += size, size = blockSize) {
      const found = kernel.select(start, Math.min(size, slots - start), best.least);
      for (let i = 0; i < found; i++) best.offer(ids[i]!, cosines[i]!);
    }
  }

  private selectIn(
    kernel: VectorKernel,
    best: Best,
    { files: wantedFiles, levels: wanted }: SearchScope,
  ): void {
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
  private findSlot(row: number): number | null {
    const segments = this.sortByFirstRow();
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

  private sorted: VectorSegment<FileSpan>[] = [];
  private sortedAt = 0;

  private sortByFirstRow(): readonly VectorSegment<FileSpan>[] {
    const { changes, segments } = this.vectors;
    if (this.sortedAt !== changes) {
      this.sorted = [...segments.values()].sort((a, b) => a.info.firstId - b.info.firstId);
      this.sortedAt = changes;
    }
    return this.sorted;
  }
}
