import { blockSize, createKernel, type VectorKernel } from "./vector-kernel.ts";

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

/** Where the vectors of a row lie. */
export interface Segment<Info> {
  info: Info;
  /** Its slots: this one and those that follow. None where the vectors have another length than the first that came. */
  first: number;
  count: number;
}

/** So many slots may be empty before everything is loaded again, if they are also a quarter of all. */
const maxEmpty = 1024;

/**
 * The vectors of one model in memory, to be compared with a query's one after the other: at these sizes the exact answer
 * costs less than an approximate index would save. Follows its source; the first question loads it.
 */
export class VectorIndex<Row extends VectorRow, Info> {
  private kernel: VectorKernel | null = null;
  private dimensions = 0;
  /** Slots so far, with a vector or empty. New ones are added at the end. */
  private used = 0;
  private room = 0;
  private empty = 0;
  private newest = 0;
  private version = "";
  private readonly loaded = new Map<number, Segment<Info>>();
  /** Counts the times that something changed: what was derived from the segments is out of date then. */
  changes = 0;

  /**
   * @param describe what to remember of a row besides its vectors
   * @param create makes the kernel that holds the vectors
   */
  constructor(
    private readonly source: VectorSource<Row>,
    private readonly model: string,
    private readonly describe: (row: Row) => Info,
    private readonly create: (dimensions: number) => VectorKernel = createKernel,
  ) {}

  /** The kernel with everything that is stored now, asked for a vector; null where nothing can be compared with it. */
  ask(query: Int8Array): VectorKernel | null {
    this.refresh();
    return this.kernel?.ask(query) ? this.kernel : null;
  }

  /** By row, in the order of the rows. As of the last refresh. */
  get segments(): ReadonlyMap<number, Segment<Info>> {
    return this.loaded;
  }

  /** How many slots there are, empty ones included. As of the last refresh. */
  get slots(): number {
    return this.used;
  }

  /** How many vectors it knows, missing ones included, and how many bytes they take. */
  size(): { vectors: number; bytes: number } {
    this.refresh();
    return { vectors: this.used - this.empty, bytes: this.kernel?.bytes() ?? 0 };
  }

  /** Loads changes since the last call; without any it costs microseconds. */
  refresh(): void {
    const version = this.source.version();
    if (version === this.version) return;
    this.dropVanished();
    const isWorn = this.empty > maxEmpty && this.empty * 4 > this.used;
    // Where no vector is left, those of another length have their turn.
    if (isWorn || this.used === this.empty) this.release();
    for (const row of this.source.rowsAfter(this.model, this.newest)) this.add(row);
    this.version = version;
  }

  /** Gives the memory back; the next question loads it again. */
  release(): void {
    this.kernel = null;
    this.used = 0;
    this.room = 0;
    this.empty = 0;
    this.newest = 0;
    this.version = "";
    this.loaded.clear();
    this.changes++;
  }

  private dropVanished(): void {
    if (this.loaded.size === 0) return;
    const removed = this.source.removedSince?.(this.version) ?? this.missing();
    for (const id of removed) this.drop(id);
  }

  /** Reads all ids, which takes its time where there are many. */
  private missing(): number[] {
    const present = new Set(this.source.rowIds(this.model));
    return [...this.loaded.keys()].filter((id) => !present.has(id));
  }

  private drop(id: number): void {
    const segment = this.loaded.get(id);
    if (segment === undefined) return;
    this.kernel?.clear(segment.first, segment.count);
    this.empty += segment.count;
    this.loaded.delete(id);
    this.changes++;
  }

  private add(row: Row): void {
    const { id, dimensions, data, firstId } = row;
    if (this.kernel === null && data.length > 0) {
      this.kernel = this.create(dimensions);
      this.dimensions = dimensions;
    }
    // Vectors of another length are of another space, whatever their model is called.
    const isOurs = data.length > 0 && dimensions === this.dimensions;
    const count = isOurs ? Math.floor(data.length / dimensions) : 0;
    const first = this.used;
    this.newest = id;
    this.loaded.set(id, { info: this.describe(row), first, count });
    this.changes++;
    if (this.kernel === null || count === 0) return;
    this.used += count;
    if (this.used > this.room) this.grow(this.kernel);
    this.kernel.put(first, firstId ?? first, data);
  }

  /** At first for all vectors there are: to grow step by step would cost as much as to load. */
  private grow(kernel: VectorKernel): void {
    const wanted = this.room === 0 ? this.source.count(this.model) : this.used * 1.5;
    this.room = Math.max(Math.ceil(wanted), this.used, blockSize);
    kernel.reserve(this.room);
  }
}
