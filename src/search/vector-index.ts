import { levels } from "../project/levels.ts";
import type { CodeIndex } from "../store/code-index.ts";
import type { LookupScope } from "../store/code-lookup.ts";
import { type VectorRow, vectorRowIds, vectorRowsAfter } from "../store/code-vectors.ts";
import { blockSize, createKernel, type VectorKernel } from "./vector-kernel.ts";

/** A chunk near to a query. */
export interface Neighbour {
  /** Row of `chunks`. */
  rowid: number;
  /** Cosine of the angle between the two vectors, -1 to 1. */
  similarity: number;
}

/**
 * The vectors of one model in memory, to be compared with a query's one after the other: at these sizes the exact
 * answer costs less than an approximate index would save. Follows the database; the first question loads it.
 */
export class VectorIndex {
  private kernel: VectorKernel | null = null;
  private dimensions = 0;
  /** Slots in use or free again, side by side from 0 on. */
  private slots = 0;
  private free: number[] = [];
  /** By slot: row of `chunks`, row of `files`, place in `levels`, and 1 / length, 0 for a slot without vector. */
  private rowids = new Float64Array(0);
  private files = new Float64Array(0);
  private levels = new Uint8Array(0);
  private inverse = new Float64Array(0);
  private readonly slotOf = new Map<number, number>();
  /** The slots of each row of `vectors`. */
  private readonly loaded = new Map<number, Int32Array>();
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
    const present = new Set(vectorRowIds(this.index, this.model));
    for (const [id, slots] of this.loaded) {
      if (!present.has(id)) this.drop(id, slots);
    }
    for (const row of vectorRowsAfter(this.index, this.model, this.newest)) {
      this.newest = row.id;
      this.add(row);
    }
    this.version = version;
  }

  /** How many chunks it holds vectors of, and how many bytes those take. */
  size(): { chunks: number; bytes: number } {
    this.refresh();
    return { chunks: this.slotOf.size, bytes: this.kernel?.rows().byteLength ?? 0 };
  }

  /** The `k` chunks of the scope that are nearest to the query, best first; ties by rowid. */
  nearest(query: Int8Array, k: number, scope: LookupScope): Neighbour[] {
    this.refresh();
    const scale = this.take(query);
    if (this.kernel === null || scale === 0 || k < 1) return [];
    const best = new Best(k);
    const chosen = this.chosen(scope);
    const count = chosen?.length ?? this.slots;
    for (let start = 0; start < count; start += blockSize) {
      const n = Math.min(blockSize, count - start);
      if (chosen) {
        this.kernel.list().set(chosen.subarray(start, start + n));
        this.kernel.dotListed(n);
      } else {
        this.kernel.dot(start, n);
      }
      const dots = this.kernel.dots();
      for (let i = 0; i < n; i++) {
        const slot = chosen ? chosen[start + i]! : start + i;
        const inverse = this.inverse[slot]!;
        if (inverse === 0) continue;
        const similarity = dots[i]! * inverse * scale;
        if (similarity >= best.least) best.offer(this.rowids[slot]!, similarity);
      }
    }
    return best.sorted();
  }

  /** The cosines of given chunks, in their order; NaN for one without a vector. */
  similarities(query: Int8Array, rowids: readonly number[]): Float64Array {
    this.refresh();
    const scale = this.take(query);
    const cosines = new Float64Array(rowids.length).fill(Number.NaN);
    if (this.kernel === null || scale === 0) return cosines;
    const [list, dots] = [this.kernel.list(), this.kernel.dots()];
    for (let start = 0; start < rowids.length; start += blockSize) {
      const n = Math.min(blockSize, rowids.length - start);
      for (let i = 0; i < n; i++) list[i] = this.slotOf.get(rowids[start + i]!) ?? 0;
      this.kernel.dotListed(n);
      for (let i = 0; i < n; i++) {
        const slot = this.slotOf.get(rowids[start + i]!);
        const inverse = slot === undefined ? 0 : this.inverse[slot]!;
        if (inverse !== 0) cosines[start + i] = dots[i]! * inverse * scale;
      }
    }
    return cosines;
  }

  /** Gives the memory back; the next question loads it again. */
  release(): void {
    this.kernel = null;
    this.dimensions = 0;
    this.slots = 0;
    this.free = [];
    this.rowids = new Float64Array(0);
    this.files = new Float64Array(0);
    this.levels = new Uint8Array(0);
    this.inverse = new Float64Array(0);
    this.slotOf.clear();
    this.loaded.clear();
    this.newest = 0;
    this.version = "";
  }

  /** Hands the query to the kernel. Returns 1 / its length; 0 when it cannot be compared. */
  private take(query: Int8Array): number {
    if (this.kernel === null || query.length !== this.dimensions) return 0;
    this.kernel.query().set(query);
    let square = 0;
    for (const component of query) square += component * component;
    return square === 0 ? 0 : 1 / Math.sqrt(square);
  }

  /** The slots that a scope leaves; null for all. */
  private chosen({ fileIds, levels: wanted }: LookupScope): Int32Array | null {
    if (fileIds === null && wanted === null) return null;
    const files = fileIds && new Set(fileIds);
    const isWanted = levels.map((level) => wanted === null || wanted.includes(level));
    const chosen = new Int32Array(this.slots);
    let n = 0;
    for (let slot = 0; slot < this.slots; slot++) {
      if (this.inverse[slot] === 0 || !isWanted[this.levels[slot]!]) continue;
      if (files === null || files.has(this.files[slot]!)) chosen[n++] = slot;
    }
    return chosen.subarray(0, n);
  }

  private add({ id, fileId, firstChunk, dimensions, levels: levelsOfRow, data }: VectorRow): void {
    if (this.kernel === null) {
      this.kernel = this.create(dimensions);
      this.dimensions = dimensions;
    }
    // Of another length: another space, whatever its name says.
    if (dimensions !== this.dimensions) return;
    const slots = this.occupy(levelsOfRow.length);
    const [rows, dots] = [this.kernel.rows(), this.kernel.dots()];
    slots.forEach((slot, i) => {
      rows.set(data.subarray(i * dimensions, (i + 1) * dimensions), slot * this.kernel!.stride);
      this.kernel!.squares(slot, 1);
      this.inverse[slot] = dots[0] === 0 ? 0 : 1 / Math.sqrt(dots[0]!);
      this.rowids[slot] = firstChunk + i;
      this.files[slot] = fileId;
      this.levels[slot] = levelsOfRow[i]!;
      this.slotOf.set(firstChunk + i, slot);
    });
    this.loaded.set(id, slots);
  }

  private drop(id: number, slots: Int32Array): void {
    for (const slot of slots) {
      this.inverse[slot] = 0;
      this.slotOf.delete(this.rowids[slot]!);
      this.free.push(slot);
    }
    this.loaded.delete(id);
  }

  /** So many slots, free ones first. */
  private occupy(count: number): Int32Array {
    const slots = new Int32Array(count);
    for (let i = 0; i < count; i++) slots[i] = this.free.pop() ?? this.slots++;
    if (this.slots > this.rowids.length) this.grow();
    return slots;
  }

  private grow(): void {
    const room = Math.max(1024, Math.ceil(this.slots * 1.5));
    this.kernel!.reserve(room);
    this.rowids = enlarged(this.rowids, new Float64Array(room));
    this.files = enlarged(this.files, new Float64Array(room));
    this.levels = enlarged(this.levels, new Uint8Array(room));
    this.inverse = enlarged(this.inverse, new Float64Array(room));
  }
}

function enlarged<T extends { set(from: T): void }>(from: T, to: T): T {
  to.set(from);
  return to;
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
