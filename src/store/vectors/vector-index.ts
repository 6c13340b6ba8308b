import { HeldVectors } from "./held-vectors.ts";
import type { VectorKernel } from "./vector-kernel.ts";

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

  override size(): { vectors: number; bytes: number } {
    this.refresh();
    return super.size();
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
    const removed = this.source.removedSince?.(this.version) ?? this.missing();
    for (const id of removed) this.drop(id);
  }

  /** Reads all ids, which takes its time where there are many. */
  private missing(): number[] {
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
