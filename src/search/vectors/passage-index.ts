import { quantise } from "../../models/embed/quantise.ts";
import { type CommonPart, commonPart, cosineWithout, dot, sumOfUnits } from "./common-part.ts";
import { blockSize, createKernel, type VectorKernel } from "./vector-kernel.ts";

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
  /** Of its passages, each of length 1; null where it is no part of the sample. */
  sum: Float64Array | null;
}

/** Beyond so many chunks, one of eight says well enough what all have in common. */
const sampledFrom = 1000;
const sampleStep = 8;
const isInSample = (chunkId: number) => chunkId % sampleStep === 0;
/** So many slots may be empty before all is loaded anew, if they are also a tenth of all. */
const mostEmpty = 256;

/**
 * The passages of all chunks for one model, in memory: conversations are asked about in a word or two of a long turn,
 * so a chunk has a vector for each of its paragraphs. Follows the database; the first question loads it. What it
 * answers depends on what the database holds, not on how that came there.
 */
export class PassageIndex {
  private kernel: VectorKernel | null = null;
  private dimensions = 0;
  private slots = 0;
  private room = 0;
  private empty = 0;
  private newest = 0;
  private version = "";
  private isSampled = false;
  /** By row. */
  private readonly loaded = new Map<number, Place>();
  private places: { all: Place[]; chunkIds: number[]; placeOf: Map<number, number> } | null = null;
  private common: CommonPart | null = null;

  constructor(
    private readonly source: PassageSource,
    readonly model: string,
  ) {}

  /** Takes in what changed in the database since the last time. */
  refresh(): void {
    const version = this.source.version();
    if (version === this.version) return;
    this.dropVanished();
    let rows = [...this.source.passagesAfter(this.model, this.newest)];
    const isSampled = this.loaded.size + rows.length > sampledFrom;
    const isWorn = this.empty > mostEmpty && this.empty * 10 > this.slots;
    const isEmpty = this.kernel !== null && this.slots === this.empty;
    if (isWorn || isEmpty || (this.isSampled && !isSampled)) {
      this.release();
      rows = [...this.source.passagesAfter(this.model, 0)];
    }
    this.isSampled = isSampled;
    this.makeRoom(rows);
    for (const row of rows) this.add(row);
    this.version = version;
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
    const left = cosineWithout(query, common);
    const { all: places, chunkIds, placeOf } = this.listPlaces();
    const best = new Float64Array(places.length).fill(Number.NaN);
    const whole = new Float64Array(places.length).fill(Number.NaN);
    places.forEach(({ first, count }, place) => {
      if (count === 0) return;
      let nearest = Number.NEGATIVE_INFINITY;
      let sum = 0;
      for (let slot = first; slot < first + count; slot++) {
        const value = left(cosines[slot]!, slot);
        sum += value;
        if (value > nearest) nearest = value;
      }
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

  private commonPart(kernel: VectorKernel): CommonPart {
    if (this.common === null) {
      const mean = this.mean();
      const length = Math.sqrt(dot(mean, mean));
      // The kernel compares int8 vectors, so that is what it has to be for once.
      const direction = quantise(Float32Array.from(mean));
      const cosines = (direction && this.cosines(kernel, direction)) ?? new Float64Array(this.slots);
      this.common = commonPart(
        mean,
        cosines.map((cosine) => cosine * length),
      );
    }
    return this.common;
  }

  /** Of all passages, or of those in the sample. */
  private mean(): Float64Array {
    const mean = new Float64Array(this.dimensions);
    let counted = 0;
    for (const { chunkId, count, sum } of this.loaded.values()) {
      if (sum === null || (this.isSampled && !isInSample(chunkId))) continue;
      for (let i = 0; i < mean.length; i++) mean[i]! += sum[i]!;
      counted += count;
    }
    return mean.map((x) => x / Math.max(counted, 1));
  }

  private makeRoom(rows: readonly PassageRow[]): void {
    const first = rows.find(({ data }) => data.length > 0);
    if (first === undefined) return;
    if (this.kernel === null) {
      this.kernel = createKernel(first.dimensions);
      this.dimensions = first.dimensions;
    }
    const more = rows.reduce((sum, { data }) => sum + Math.floor(data.length / this.dimensions), 0);
    if (this.slots + more <= this.room) return;
    this.room = Math.max(this.slots + more, this.room === 0 ? 0 : Math.ceil(this.slots * 1.25), blockSize);
    this.kernel.reserve(this.room);
  }

  private add({ id, chunkId, dimensions, data }: PassageRow): void {
    this.newest = id;
    this.common = null;
    this.places = null;
    const isOurs = this.kernel !== null && dimensions === this.dimensions;
    const count = isOurs ? Math.floor(data.length / dimensions) : 0;
    const counts = count > 0 && (!this.isSampled || isInSample(chunkId));
    const sum = counts ? sumOfUnits(data, dimensions) : null;
    this.loaded.set(id, { chunkId, first: this.slots, count, sum });
    if (count === 0) return;
    this.kernel!.put(this.slots, this.slots, data);
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
      this.common = null;
      this.places = null;
    }
  }
}
