import { blockSize, createKernel, type VectorKernel } from "./vector-kernel.ts";

/** Where the vectors of a row lie. */
export interface Segment<Info> {
  info: Info;
  /** Its slots: this one and those that follow. None where the vectors have another length than the first that came. */
  first: number;
  count: number;
}

/** So many slots may be empty before everything should be loaded again, if they are also a quarter of all. */
const maxEmpty = 1024;

/**
 * The vectors of one model in memory, to be compared with a query's one after the other: at these sizes the exact answer
 * costs less than an approximate index would save. Who fills it follows where they are stored.
 */
export class HeldVectors<Info> {
  private kernel: VectorKernel | null = null;
  private dimensions = 0;
  /** Slots so far, with a vector or empty. New ones are added at the end. */
  private used = 0;
  private room = 0;
  private empty = 0;
  private readonly loaded = new Map<number, Segment<Info>>();
  /** Counts the times that something changed: what was derived from the segments is out of date then. */
  changes = 0;

  /** @param create makes the kernel that holds the vectors */
  constructor(private readonly create: (dimensions: number) => VectorKernel = createKernel) {}

  /** The kernel, asked for a vector; null where nothing can be compared with it. */
  ask(query: Int8Array): VectorKernel | null {
    return this.kernel?.ask(query) ? this.kernel : null;
  }

  /** By row, in the order in which they came. */
  get segments(): ReadonlyMap<number, Segment<Info>> {
    return this.loaded;
  }

  /** How many slots there are, empty ones included. */
  get slots(): number {
    return this.used;
  }

  /** Whether no vector is left. */
  get isEmpty(): boolean {
    return this.used === this.empty;
  }

  /** Whether so many vectors are gone that all should be loaded again. */
  get isWorn(): boolean {
    return this.empty > maxEmpty && this.empty * 4 > this.used;
  }

  /** How many vectors it holds, missing ones included, and how many bytes they take. */
  size(): { vectors: number; bytes: number } {
    return { vectors: this.used - this.empty, bytes: this.kernel?.bytes() ?? 0 };
  }

  /**
   * Adds a row of `count` vectors, to be given by `put`; empty until then.
   * @param expected about how many vectors come in all: room for all of them is made at once, as growing step by step would cost
   *   as much as loading
   */
  add(id: number, info: Info, dimensions: number, count: number, expected: () => number): Segment<Info> {
    if (this.kernel === null && count > 0) {
      this.kernel = this.create(dimensions);
      this.dimensions = dimensions;
    }
    const isOurs = dimensions === this.dimensions;
    const segment = { info, first: this.used, count: isOurs ? count : 0 };
    this.loaded.set(id, segment);
    this.changes++;
    this.used += segment.count;
    if (this.used > this.room) this.grow(expected);
    return segment;
  }

  /** Fills slots with vectors that lie side by side. @param firstId what the kernel calls the first one, the others count on */
  put(slot: number, firstId: number, vectors: Uint8Array): void {
    this.kernel?.put(slot, firstId, vectors);
  }

  /** Forgets a row. */
  drop(id: number): void {
    const segment = this.loaded.get(id);
    if (segment === undefined) return;
    this.kernel?.clear(segment.first, segment.count);
    this.empty += segment.count;
    this.loaded.delete(id);
    this.changes++;
  }

  /** Gives the memory back. */
  release(): void {
    this.kernel = null;
    this.used = 0;
    this.room = 0;
    this.empty = 0;
    this.loaded.clear();
    this.changes++;
  }

  private grow(expected: () => number): void {
    const wanted = this.room === 0 ? expected() : this.used * 1.5;
    this.room = Math.max(Math.ceil(wanted), this.used, blockSize);
    this.kernel?.reserve(this.room);
  }
}
