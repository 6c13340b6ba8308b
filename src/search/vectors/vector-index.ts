import { levels } from "../../project/levels.ts";
import type { CodeIndex } from "../../store/index/code-index.ts";
import type { LookupScope } from "../../store/index/code-lookup.ts";
import { type VectorRow, vectorRowIds, vectorRowsAfter } from "../../store/index/code-vectors.ts";
import { blockSize, createKernel, type VectorKernel } from "./vector-kernel.ts";

/** A chunk near to a query. */
export interface Neighbour {
  /** Row of `chunks`. */
  rowid: number;
  /** Cosine of the angle between the two vectors, -1 to 1. */
  similarity: number;
}

/** The slots of a row of `vectors`: those of chunk `firstChunk` and of the chunks that follow it. */
interface Segment {
  fileId: number;
  firstChunk: number;
  first: number;
  /** For each chunk the place of its level in `levels`. */
  levels: Uint8Array;
}

/** So many slots may be empty before all is loaded anew, if they are also half of all. */
const mostEmpty = 4096;
/** The first chunks looked at set the mark for the others, so they should be few. */
const firstBlock = 256;

/**
 * The vectors of one model in memory, to be compared with a query's one after the other: at these sizes the exact
 * answer costs less than an approximate index would save. Follows the database; the first question loads it.
 */
export class VectorIndex {
  private kernel: VectorKernel | null = null;
  private dimensions = 0;
  /** Rows of the kernel so far, with a vector or empty. New ones are added at the end. */
  private slots = 0;
  private room = 0;
  private empty = 0;
  /** By row of `vectors`. */
  private readonly loaded = new Map<number, Segment>();
  /** The same by `firstChunk`, ascending; null when it has to be sorted again. */
  private segments: Segment[] | null = null;
  private newest = 0;
  private version = "";

  constructor(
    private readonly index: CodeIndex,
    readonly model: string,
    private readonly create: (dimensions: number) => VectorKernel = createKernel,
  ) {}

  /** Takes in what changed in the database since the last time; when nothing did, it costs microseconds. */
  refresh(): void {
    const version = this.index.version();
    if (version === this.version) return;
    this.dropVanished();
    const isWasteful = this.empty > mostEmpty && this.empty * 2 > this.slots;
    if (isWasteful || this.loaded.size === 0) this.release();
    for (const row of vectorRowsAfter(this.index, this.model, this.newest)) {
      this.newest = row.id;
      this.add(row);
    }
    this.version = version;
  }

  /** How many chunks it knows, with or without a vector, and how many bytes they take. */
  size(): { chunks: number; bytes: number } {
    this.refresh();
    return { chunks: this.slots - this.empty, bytes: this.kernel?.bytes() ?? 0 };
  }

  /** The `k` chunks of the scope that are nearest to the query, best first; ties by rowid. */
  nearest(query: Int8Array, k: number, scope: LookupScope): Neighbour[] {
    this.refresh();
    if (!this.kernel?.ask(query) || k < 1) return [];
    const best = new Best(k);
    if (scope.fileIds === null && scope.levels === null) this.selectAll(this.kernel, best);
    else this.selectIn(this.kernel, best, scope);
    return best.sorted();
  }

  /** The cosines of given chunks, in their order; NaN for one without a vector. */
  similarities(query: Int8Array, rowids: readonly number[]): Float64Array {
    this.refresh();
    const similarities = new Float64Array(rowids.length).fill(Number.NaN);
    if (!this.kernel?.ask(query)) return similarities;
    const [list, cosines] = [this.kernel.list(), this.kernel.cosines()];
    for (let start = 0; start < rowids.length; start += blockSize) {
      const slots = rowids.slice(start, start + blockSize).map((rowid) => this.slotOf(rowid));
      // A chunk that is not known is compared as slot 0, and the answer not used.
      list.set(slots.map((slot) => slot ?? 0));
      this.kernel.measure(slots.length);
      slots.forEach((slot, i) => {
        if (slot !== null) similarities[start + i] = cosines[i]!;
      });
    }
    return similarities;
  }

  /** Gives the memory back; the next question loads it again. */
  release(): void {
    this.kernel = null;
    this.slots = 0;
    this.room = 0;
    this.empty = 0;
    this.loaded.clear();
    this.segments = null;
    this.newest = 0;
    this.version = "";
  }

  private selectAll(kernel: VectorKernel, best: Best): void {
    const [ids, cosines] = [kernel.ids(), kernel.cosines()];
    for (let start = 0, size = firstBlock; start < this.slots; start += size, size = blockSize) {
      const found = kernel.select(start, Math.min(size, this.slots - start), best.least);
      for (let i = 0; i < found; i++) best.offer(ids[i]!, cosines[i]!);
    }
  }

  private selectIn(kernel: VectorKernel, best: Best, { fileIds, levels: wanted }: LookupScope): void {
    const [list, cosines] = [kernel.list(), kernel.cosines()];
    const rowids: number[] = [];
    const flush = () => {
      kernel.measure(rowids.length);
      rowids.forEach((rowid, i) => {
        // Not so for NaN.
        if (cosines[i]! >= best.least) best.offer(rowid, cosines[i]!);
      });
      rowids.length = 0;
    };
    const files = fileIds && new Set(fileIds);
    const isWanted = levels.map((level) => wanted === null || wanted.includes(level));
    for (const { fileId, firstChunk, first, levels: levelsOfRow } of this.loaded.values()) {
      if (files !== null && !files.has(fileId)) continue;
      levelsOfRow.forEach((level, i) => {
        if (!isWanted[level]) return;
        list[rowids.length] = first + i;
        rowids.push(firstChunk + i);
        if (rowids.length === blockSize) flush();
      });
    }
    flush();
  }

  /** The slot of a chunk: in the last segment that begins before it, if that reaches so far. */
  private slotOf(rowid: number): number | null {
    this.segments ??= [...this.loaded.values()].sort((a, b) => a.firstChunk - b.firstChunk);
    let [from, to] = [0, this.segments.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if (this.segments[middle]!.firstChunk <= rowid) from = middle + 1;
      else to = middle;
    }
    const segment = this.segments[from - 1];
    const at = segment === undefined ? -1 : rowid - segment.firstChunk;
    return segment !== undefined && at < segment.levels.length ? segment.first + at : null;
  }

  private dropVanished(): void {
    if (this.loaded.size === 0) return;
    const present = new Set(vectorRowIds(this.index, this.model));
    for (const [id, { first, levels: levelsOfRow }] of this.loaded) {
      if (present.has(id)) continue;
      this.kernel?.clear(first, levelsOfRow.length);
      this.empty += levelsOfRow.length;
      this.loaded.delete(id);
      this.segments = null;
    }
  }

  private add({ id, fileId, firstChunk, dimensions, levels: levelsOfRow, data }: VectorRow): void {
    if (this.kernel === null) {
      this.kernel = this.create(dimensions);
      this.dimensions = dimensions;
    }
    // Of another length: another space, whatever its name says.
    if (dimensions !== this.dimensions) return;
    const first = this.slots;
    this.slots += levelsOfRow.length;
    if (this.slots > this.room) this.grow(this.kernel);
    this.kernel.put(first, firstChunk, data);
    this.loaded.set(id, { fileId, firstChunk, first, levels: levelsOfRow });
    this.segments = null;
  }

  /** At first for all chunks there are: to grow step by step would cost as much as to load. */
  private grow(kernel: VectorKernel): void {
    const wanted = this.room === 0 ? this.index.chunkCount() : this.slots * 1.5;
    this.room = Math.max(Math.ceil(wanted), this.slots, blockSize);
    kernel.reserve(this.room);
  }
}

/** The best of many: a heap with the worst of them on top. */
class Best {
  /** What is less than this is not wanted any more. */
  least = Number.NEGATIVE_INFINITY;
  private readonly heap: Neighbour[] = [];

  constructor(private readonly k: number) {}

  offer(rowid: number, similarity: number): void {
    const { heap } = this;
    const item = { rowid, similarity };
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
  return a.similarity > b.similarity || (a.similarity === b.similarity && a.rowid < b.rowid);
}
