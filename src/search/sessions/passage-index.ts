import { quantise } from "../../embed/quantise.ts";
import { blockSize, createKernel, type VectorKernel } from "../vector-kernel.ts";

/** The passages of a chunk as a model sees them. */
export interface PassageRow {
  /** Ascending; a chunk that is written again gets a new one. */
  id: number;
  chunkId: number;
  dimensions: number;
  /** int8 vectors side by side; empty where the model has none. */
  data: Uint8Array;
}

/** Where passages come from. */
export interface PassageSource {
  /** Changes with the database. */
  version(): string;
  passagesAfter(model: string, id: number): Iterable<PassageRow>;
  passageIds(model: string): Iterable<number>;
}

/** How near every chunk is to a query; by place. */
export interface Nearness {
  /** Rows of `chunks`, and the place of each. */
  chunkIds: readonly number[];
  placeOf: ReadonlyMap<number, number>;
  /** Of the nearest passage of a chunk; NaN where it has none. */
  best: Float64Array;
  /** Of all its passages together. */
  whole: Float64Array;
}

interface Place {
  chunkId: number;
  first: number;
  count: number;
}

/**
 * How much of what all passages have in common is taken away before they are compared: the vectors of one project's
 * conversations lie close together (Mu and Viswanath, "All-but-the-Top", ICLR 2018). Measured: bench/recall.ts.
 */
const commonShare = 0.5;
/** So many slots may be empty before all is loaded anew, if they are also a tenth of all. */
const mostEmpty = 256;

/**
 * The passages of all chunks for one model, in memory: conversations are asked about in a word or two of a long turn,
 * so a chunk has a vector for each of its paragraphs. Follows the database; the first question loads it.
 */
export class PassageIndex {
  private kernel: VectorKernel | null = null;
  private dimensions = 0;
  private slots = 0;
  private room = 0;
  private empty = 0;
  private newest = 0;
  private version = "";
  /** By row. */
  private readonly loaded = new Map<number, Place>();
  /** Sum of all unit vectors, to know what they have in common. */
  private sum = new Float64Array(0);
  private places: { all: Place[]; chunkIds: number[]; placeOf: Map<number, number> } | null = null;
  private common: { bySlot: Float64Array; mean: Float64Array } | null = null;

  constructor(
    private readonly source: PassageSource,
    readonly model: string,
  ) {}

  /** Takes in what changed in the database since the last time. */
  refresh(): void {
    const version = this.source.version();
    if (version === this.version) return;
    this.dropVanished();
    if (this.loaded.size === 0 || (this.empty > mostEmpty && this.empty * 10 > this.slots)) this.release();
    const rows = [...this.source.passagesAfter(this.model, this.newest)];
    this.makeRoom(rows);
    for (const row of rows) this.add(row);
    this.version = version;
    this.places = null;
  }

  /** How many passages it knows. */
  size(): number {
    this.refresh();
    return this.slots - this.empty;
  }

  /** Every chunk's nearness to a query; null where the model knows nothing. */
  nearness(query: Int8Array): Nearness | null {
    this.refresh();
    if (this.kernel === null || query.length !== this.dimensions) return null;
    const common = this.commonPart(this.kernel);
    const cosines = this.cosines(this.kernel, query);
    if (cosines === null) return null;
    const ofQuery = dot(unit(query), common.mean);
    const squareOfMean = dot(common.mean, common.mean);
    // |q - a m|, for cosines of what is left; |q| is 1.
    const lengthOfQuery = lengthWithout(ofQuery, squareOfMean);
    const { all: places, chunkIds, placeOf } = this.listPlaces();
    const best = new Float64Array(places.length).fill(Number.NaN);
    const whole = new Float64Array(places.length).fill(Number.NaN);
    const left = (cosine: number, ofPassage: number) =>
      (cosine - commonShare * (ofPassage + ofQuery) + commonShare ** 2 * squareOfMean) /
      (lengthOfQuery * lengthWithout(ofPassage, squareOfMean));
    places.forEach(({ first, count }, place) => {
      let nearest = Number.NEGATIVE_INFINITY;
      let sum = 0;
      for (let slot = first; slot < first + count; slot++) {
        const value = left(cosines[slot]!, common.bySlot[slot]!);
        sum += value;
        if (value > nearest) nearest = value;
      }
      if (count === 0 || Number.isNaN(sum)) return;
      best[place] = nearest;
      whole[place] = sum / count;
    });
    return { chunkIds, placeOf, best, whole };
  }

  private listPlaces() {
    if (this.places === null) {
      const all = [...this.loaded.values()];
      const chunkIds = all.map(({ chunkId }) => chunkId);
      this.places = { all, chunkIds, placeOf: new Map(chunkIds.map((id, place) => [id, place])) };
    }
    return this.places;
  }

  /** Gives the memory back; the next question loads it again. */
  release(): void {
    this.kernel = null;
    this.slots = 0;
    this.room = 0;
    this.empty = 0;
    this.newest = 0;
    this.version = "";
    this.loaded.clear();
    this.sum = new Float64Array(0);
    this.common = null;
    this.places = null;
  }

  private cosines(kernel: VectorKernel, query: Int8Array): Float64Array | null {
    if (!kernel.ask(query)) return null;
    const all = new Float64Array(this.slots);
    for (let start = 0; start < this.slots; start += blockSize) {
      // Every cosine is at least -2; ids are slots.
      const found = kernel.select(start, Math.min(blockSize, this.slots - start), -2);
      const [ids, cosines] = [kernel.ids(), kernel.cosines()];
      for (let i = 0; i < found; i++) all[ids[i]!] = cosines[i]!;
    }
    return all;
  }

  /** The mean of all passages, and how much of it is in each. */
  private commonPart(kernel: VectorKernel) {
    if (this.common !== null) return this.common;
    const count = Math.max(this.slots - this.empty, 1);
    const mean = this.sum.map((x) => x / count);
    const length = Math.sqrt(dot(mean, mean));
    const direction = quantise(Float32Array.from(mean));
    const bySlot = (direction && this.cosines(kernel, direction)) ?? new Float64Array(this.slots);
    this.common = { bySlot: bySlot.map((cosine) => cosine * length), mean };
    return this.common;
  }

  private makeRoom(rows: readonly PassageRow[]): void {
    const first = rows.find(({ data }) => data.length > 0);
    if (first === undefined) return;
    if (this.kernel === null) {
      this.kernel = createKernel(first.dimensions);
      this.dimensions = first.dimensions;
      this.sum = new Float64Array(first.dimensions);
    }
    const more = rows.reduce((sum, { data }) => sum + Math.floor(data.length / this.dimensions), 0);
    if (this.slots + more <= this.room) return;
    this.room = Math.max(this.slots + more, this.room === 0 ? 0 : Math.ceil(this.slots * 1.25), blockSize);
    this.kernel.reserve(this.room);
  }

  private add({ id, chunkId, dimensions, data }: PassageRow): void {
    this.newest = id;
    this.common = null;
    const isOurs = this.kernel !== null && dimensions === this.dimensions;
    const count = isOurs ? Math.floor(data.length / dimensions) : 0;
    this.loaded.set(id, { chunkId, first: this.slots, count });
    if (count === 0) return;
    this.kernel!.put(this.slots, this.slots, data);
    for (let passage = 0; passage < count; passage++) {
      const vector = new Int8Array(data.buffer, data.byteOffset + passage * dimensions, dimensions);
      addUnit(this.sum, vector);
    }
    this.slots += count;
  }

  private dropVanished(): void {
    if (this.loaded.size === 0) return;
    const present = new Set(this.source.passageIds(this.model));
    for (const [id, { first, count }] of this.loaded) {
      if (present.has(id)) continue;
      this.kernel?.clear(first, count);
      this.empty += count;
      this.loaded.delete(id);
    }
  }
}

/** |x - a m| for a unit vector x with `product` = x · m. */
function lengthWithout(product: number, squareOfMean: number): number {
  return Math.sqrt(Math.max(1 - 2 * commonShare * product + commonShare ** 2 * squareOfMean, 1e-6));
}

function addUnit(sum: Float64Array, vector: Int8Array): void {
  let square = 0;
  for (let i = 0; i < vector.length; i++) square += vector[i]! * vector[i]!;
  if (square === 0) return;
  const scale = 1 / Math.sqrt(square);
  for (let i = 0; i < vector.length; i++) sum[i]! += vector[i]! * scale;
}

function unit(vector: Int8Array): Float64Array {
  const sum = new Float64Array(vector.length);
  addUnit(sum, vector);
  return sum;
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}
