import { blockSize, createKernel, type VectorKernel } from "./vector-kernel.ts";

/** Where the vectors of a row lie. */
export interface VectorSegment<Info> {
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
  private readonly loaded = new Map<number, VectorSegment<Info>>();
  /** Counts the times that something changed: what was derived from the segments is out of date then. */
  changes = 0;

  /** @param create makes the kernel that holds the vectors */
  constructor(private readonly create: (dimensions: number) => VectorKernel = createKernel) {}

  /** The kernel, asked for a vector; null where nothing can be compared with it. */
  ask(query: Int8Array): VectorKernel | null {
    return this.kernel?.ask(query) ? this.kernel : null;
  }

  /** By row, in the order in which they came. */
  get segments(): ReadonlyMap<number, VectorSegment<Info>> {
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
  measureSize(): { vectors: number; bytes: number } {
    return { vectors: this.used - this.empty, bytes: this.kernel?.bytes() ?? 0 };
  }

  /**
   * Adds a row of `count` vectors, to be given by `put`; empty until then.
   * @param expected about how many vectors come in all: room for all of them is made at once, as growing step by step would cost
   *   as much as loading
   */
  add(
    id: number,
    info: Info,
    dimensions: number,
    count: number,
    expected: () => number,
  ): VectorSegment<Info> {
    if (this.kernel === null && count > 0) {
      this.kernel = this.create(dimensions);
      this.dimensions = dimensions;
    }
    const isOurs = dimensions === this.dimensions;
    const segment = { info, first: this.used, count: isOurs ? count : 0 };
    this.loaded.set(id, segment);
    this.changes++;
    this.used += segment.count;
    if (this.used > this.room) this.growRoom(expected);
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

  private growRoom(expected: () => number): void {
    const wanted = this.room === 0 ? expected() : this.used * 1.5;
    this.room = Math.max(Math.ceil(wanted), this.used, blockSize);
    this.kernel?.reserve(this.room);
  }
}

/** Vectors that are stored together: those of a file's chunks, those of a chunk's passages. */
export interface VectorRow {
  /** Ascending; what is written again gets a new one. */
  id: number;
  dimensions: number;
  /** int8 vectors side by side, zeros in place of one that is missing. */
  data: Uint8Array;
  /** What the kernel calls the first vector; the others count on. Its slot where this is left out. */
  firstId?: number;
}

/** Where vectors are stored. */
export interface VectorSource<Row extends VectorRow> {
  /** Changes whenever the vectors may have changed. */
  version(): string;
  /** About how many vectors of a model there are, to make room for all of them at once. */
  count(model: string): number;
  /** Rows of a model with an id beyond this one, ascending. */
  rowsAfter(model: string, id: number): Iterable<Row>;
  rowIds(model: string): Iterable<number>;
  /** Rows that are gone since a version, others among them; null where that is not known. */
  removedSince?(version: string): Iterable<number> | null;
}

/** Vectors in memory that follow where they are stored; the first question loads them. */
export class VectorIndex<Row extends VectorRow, Info> extends HeldVectors<Info> {
  private newest = 0;
  private version = "";

  /**
   * @param describe what to remember of a row besides its vectors
   * @param create makes the kernel that holds the vectors
   */
  constructor(
    private readonly source: VectorSource<Row>,
    private readonly model: string,
    private readonly describe: (row: Row) => Info,
    create?: (dimensions: number) => VectorKernel,
  ) {
    super(create);
  }

  /** The kernel with everything that is stored now. */
  override ask(query: Int8Array): VectorKernel | null {
    this.refresh();
    return super.ask(query);
  }

  override measureSize(): { vectors: number; bytes: number } {
    this.refresh();
    return super.measureSize();
  }

  /** The next question loads it again. */
  override release(): void {
    super.release();
    this.newest = 0;
    this.version = "";
  }

  /** Loads changes since the last call; without any it costs microseconds. */
  refresh(): void {
    const version = this.source.version();
    if (version === this.version) return;
    this.dropVanished();
    // Where no vector is left, those of another length have their turn.
    if (this.isWorn || this.isEmpty) this.release();
    for (const row of this.source.rowsAfter(this.model, this.newest)) this.load(row);
    this.version = version;
  }

  private dropVanished(): void {
    if (this.segments.size === 0) return;
    const removed = this.source.removedSince?.(this.version) ?? this.findMissingIds();
    for (const id of removed) this.drop(id);
  }

  /** Reads all ids, which takes its time where there are many. */
  private findMissingIds(): number[] {
    const present = new Set(this.source.rowIds(this.model));
    return [...this.segments.keys()].filter((id) => !present.has(id));
  }

  private load(row: Row): void {
    const { id, dimensions, data, firstId } = row;
    const count = data.length === 0 ? 0 : Math.floor(data.length / dimensions);
    const expected = () => this.source.count(this.model);
    const { first, count: held } = this.add(id, this.describe(row), dimensions, count, expected);
    if (held > 0) this.put(first, firstId ?? first, data);
    this.newest = id;
  }
}
