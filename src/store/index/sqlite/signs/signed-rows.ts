import { nthLargest } from "../../../best.ts";
import { createSignKernel, type SignKernel } from "../../../vectors/sign-kernel.ts";
import { rowLength, type SignBlock } from "./sign-blocks.ts";

/** A chunk, where its vector is stored. */
export interface ChunkPlace {
  chunk: number;
  /** The id of its row in `vectors`, and which of the row's vectors it has. */
  row: number;
  at: number;
}

/** The signs of the vectors of one model in memory, and where these vectors are. All in typed arrays, as there are many. */
export class SignedRows {
  private readonly kernel: SignKernel;
  /** Rows of `vectors`, ascending by id: those that are gone have no file. */
  private rows = 0;
  private ids = new Uint32Array(0);
  private files = new Uint32Array(0);
  private firstChunks = new Uint32Array(0);
  /** The slot of each row's first chunk; the last is that of a row to come. */
  private firstSlots = new Uint32Array(1);
  /** For how many slots there is room. What their flags say is in `SignBlock`; of what is gone they are 0. */
  private room = 0;
  /** How many of the rows, and of the slots, are gone. */
  private removed = 0;
  private gone = 0;

  constructor(
    private readonly bytes: number,
    create: (bytes: number) => SignKernel = createSignKernel,
  ) {
    this.kernel = create(bytes);
  }

  /** Makes room. */
  reserve(rows: number, chunks: number): void {
    this.ids = enlarged(this.ids, rows);
    this.files = enlarged(this.files, rows);
    this.firstChunks = enlarged(this.firstChunks, rows);
    this.firstSlots = enlarged(this.firstSlots, rows + 1);
    this.room = Math.max(this.room, Math.ceil(chunks));
    this.kernel.reserve(this.room);
  }

  /** @param block of rows beyond those that are known */
  add({ rows, flags, signs }: SignBlock): void {
    const count = rows.length / rowLength;
    const { slots } = this;
    if (this.rows + count > this.ids.length || slots + flags.length > this.room) {
      this.reserve((this.rows + count) * 1.25, (slots + flags.length) * 1.25);
    }
    this.kernel.put(slots, signs, flags);
    for (let i = 0; i < rows.length; i += rowLength) {
      const row = this.rows++;
      this.ids[row] = rows[i]!;
      this.files[row] = rows[i + 1]!;
      this.firstChunks[row] = rows[i + 2]!;
      this.firstSlots[row + 1] = this.firstSlots[row]! + rows[i + 3]!;
    }
    this.byChunk = null;
  }

  /** @returns the chunks that it had */
  remove(id: number): Iterable<number> {
    const row = lastUpTo(this.ids, this.rows, id);
    if (row < 0 || this.ids[row] !== id || this.files[row] === 0) return [];
    const [from, to] = [this.firstSlots[row]!, this.firstSlots[row + 1]!];
    this.kernel.flags().fill(0, from, to);
    this.files[row] = 0;
    this.removed++;
    this.gone += to - from;
    this.byChunk = null;
    return Array.from({ length: to - from }, (_, i) => this.firstChunks[row]! + i);
  }

  /** How many rows are there. */
  get present(): number {
    return this.rows - this.removed;
  }

  /** Ids of all rows that are there, ascending. */
  *presentIds(): Generator<number> {
    for (let row = 0; row < this.rows; row++) if (this.files[row] !== 0) yield this.ids[row]!;
  }

  /** The largest id that was added; 0 for none. */
  get newest(): number {
    return this.rows === 0 ? 0 : this.ids[this.rows - 1]!;
  }

  /** Of chunks, gone ones among them. */
  get slots(): number {
    return this.firstSlots[this.rows]!;
  }

  /** How many chunks there are, and how many bytes they take. */
  size(): { vectors: number; bytes: number } {
    const arrays = [this.ids, this.files, this.firstChunks, this.firstSlots];
    const bytes = arrays.reduce((sum, { byteLength }) => sum + byteLength, this.kernel.bytes());
    return { vectors: this.slots - this.gone, bytes };
  }

  /**
   * The chunks that are probably the nearest: those that differ in the fewest signs, and of these the ones that `shares`
   * says are nearest. In the order of their slots.
   * @param files null for all @param wanted flags of levels
   */
  probable(
    query: { signs: Uint8Array; shares: Float32Array },
    { bySigns, byShares }: { bySigns: number; byShares: number },
    files: readonly number[] | null,
    wanted: number,
  ): ChunkPlace[] {
    const { kernel, slots } = this;
    kernel.ask(query.signs, query.shares);
    const near = kernel.fewest(slots, bySigns, wanted, files && this.flagsOf(new Set(files)));
    if (near.length <= byShares) return Array.from(near, (slot) => this.placeOf(slot));
    const worth = kernel.worth();
    const least = nthLargest(worth.slice(), byShares);
    const likely: ChunkPlace[] = [];
    for (let i = 0; i < near.length; i++) if (worth[i]! >= least) likely.push(this.placeOf(near[i]!));
    return likely;
  }

  /** Where the vector of a chunk is; null where none is known. */
  find(chunk: number): ChunkPlace | null {
    this.byChunk ??= this.sortedByChunk();
    const { order, firsts } = this.byChunk;
    const row = order[lastUpTo(firsts, firsts.length, chunk)];
    if (row === undefined) return null;
    const slot = this.firstSlots[row]! + chunk - this.firstChunks[row]!;
    if (slot >= this.firstSlots[row + 1]! || this.kernel.flags()[slot] === 0) return null;
    return { chunk, row: this.ids[row]!, at: chunk - this.firstChunks[row]! };
  }

  /** The flags of the chunks of these files; 0 for others. */
  private flagsOf(files: ReadonlySet<number>): Uint8Array {
    const all = this.kernel.flags();
    const flags = new Uint8Array(this.slots);
    for (let row = 0; row < this.rows; row++) {
      if (!files.has(this.files[row]!)) continue;
      const from = this.firstSlots[row]!;
      flags.set(all.subarray(from, this.firstSlots[row + 1]!), from);
    }
    return flags;
  }

  private placeOf(slot: number): ChunkPlace {
    // Of rows without chunks the last that begins there is the one that has it.
    const row = lastUpTo(this.firstSlots, this.rows, slot);
    const at = slot - this.firstSlots[row]!;
    return { chunk: this.firstChunks[row]! + at, row: this.ids[row]!, at };
  }

  /** Rows that are there, by their first chunk: mostly they were written in this order. */
  private byChunk: { order: Uint32Array; firsts: Uint32Array } | null = null;

  private sortedByChunk() {
    const order = new Uint32Array(this.rows);
    let count = 0;
    let isSorted = true;
    for (let row = 0; row < this.rows; row++) {
      if (this.files[row] === 0 || this.firstSlots[row] === this.firstSlots[row + 1]) continue;
      if (count > 0 && this.firstChunks[order[count - 1]!]! > this.firstChunks[row]!) isSorted = false;
      order[count++] = row;
    }
    const present = order.subarray(0, count);
    if (!isSorted) present.sort((a, b) => this.firstChunks[a]! - this.firstChunks[b]!);
    return { order: present, firsts: present.map((row) => this.firstChunks[row]!) };
  }
}

/** The place of the last value that is not greater; -1 if all are. @param values ascending, so many of them */
function lastUpTo(values: Uint32Array, count: number, value: number): number {
  let [from, to] = [0, count];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (values[middle]! <= value) from = middle + 1;
    else to = middle;
  }
  return from - 1;
}

function enlarged<T extends Uint8Array | Uint16Array | Uint32Array>(from: T, length: number): T {
  const wanted = Math.max(Math.ceil(length), from.length);
  if (wanted === from.length) return from;
  const to = new (from.constructor as new (length: number) => T)(wanted);
  to.set(from);
  return to;
}
