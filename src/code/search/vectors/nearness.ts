import { quantise } from "../../../models/embed/quantise.ts";
import type { PassageRow } from "../../../store/memory/chunks/vectors.ts";
import type { SessionChunkId } from "../../../store/memory/memory-records.ts";
import { VectorIndex, type VectorSegment, type VectorSource } from "../../../store/vectors/vector-index.ts";
import { blockSize, type GroupNearness, type VectorKernel } from "../../../store/vectors/vector-kernel.ts";
import {
  buildCommonPart,
  type CommonPart,
  computeCorrection,
  dotProduct,
  sumOfUnits,
} from "./common-part.ts";

/** How near every chunk is to a query; by place: its nearest passage, and all its passages together. NaN: it has none. */
export interface ChunkNearness extends GroupNearness {
  /** The chunks, and the place of each. */
  chunkIds: readonly SessionChunkId[];
  placeOf: ReadonlyMap<SessionChunkId, number>;
}

interface ChunkInfo {
  chunkId: SessionChunkId;
  /** Of its passages, each of length 1; null where it takes no part in the mean. */
  sum: Float64Array | null;
}

/** Values derived from all vectors, valid until one of them changes. */
interface Derived {
  changes: number;
  common: Omit<CommonPart, "shares" | "factors">;
  chunkIds: readonly SessionChunkId[];
  placeOf: ReadonlyMap<SessionChunkId, number>;
}

/** Beyond this many chunks, one of eight is enough to estimate the common part. */
const sampledFrom = 1000;
const sampleStep = 8;
const isInSample = (chunkId: SessionChunkId) => chunkId % sampleStep === 0;

/**
 * How near chunks are to queries for one model: sessions are asked about in a word or two of a long turn, so a chunk has a
 * vector for each of its paragraphs. What it answers depends on what its source holds, not on how that came there.
 */
export class PassageNearness {
  private readonly vectors: VectorIndex<PassageRow, ChunkInfo>;
  private derived: Derived | null = null;

  constructor(source: VectorSource<PassageRow>, model: string) {
    this.vectors = new VectorIndex(source, model, ({ chunkId, dimensions, data }) => {
      const counts = isInSample(chunkId) || this.vectors.segments.size < sampledFrom;
      return { chunkId, sum: counts && data.length > 0 ? sumOfUnits(data, dimensions) : null };
    });
  }

  /** How many passages it knows. */
  countPassages(): number {
    return this.vectors.measureSize().vectors;
  }

  /** Every chunk's nearness to a query; null where the model knows nothing. */
  to(query: Int8Array): ChunkNearness | null {
    const known = this.prepare(query);
    if (known === null) return null;
    const { common, chunkIds, placeOf } = known.derived;
    const { constant, factor } = computeCorrection(query, common);
    return { chunkIds, placeOf, ...known.kernel.nearest(constant, factor) };
  }

  /** Gives the memory back; the next question loads it again. */
  release(): void {
    this.vectors.release();
    this.derived = null;
  }

  /** The kernel, prepared for a query and with every chunk's passages as a group, and the values derived from all vectors. */
  private prepare(query: Int8Array): { kernel: VectorKernel; derived: Derived } | null {
    let kernel = this.vectors.ask(query);
    if (kernel !== null && this.derived?.changes !== this.vectors.changes && this.hasMissingSums()) {
      this.vectors.release();
      kernel = this.vectors.ask(query);
    }
    if (kernel === null) return null;
    if (this.derived?.changes !== this.vectors.changes) {
      this.derived = this.derive(kernel, query.length);
      kernel.ask(query);
    }
    return { kernel, derived: this.derived };
  }

  private get isSampled(): boolean {
    return this.vectors.segments.size > sampledFrom;
  }

  /** There were so many chunks when some came that these were to take no part; now they are few. */
  private hasMissingSums(): boolean {
    if (this.isSampled) return false;
    return [...this.vectors.segments.values()].some(({ count, info }) => count > 0 && info.sum === null);
  }

  private derive(kernel: VectorKernel, dimensions: number): Derived {
    const spans = [...this.vectors.segments.values()];
    const chunkIds = spans.map(({ info }) => info.chunkId);
    const mean = this.computeMean(spans, dimensions);
    const length = Math.sqrt(dotProduct(mean, mean));
    // The kernel compares int8 vectors, so the mean is converted for once.
    const direction = quantise(Float32Array.from(mean));
    const isAsked = direction !== null && kernel.ask(direction);
    const cosines = isAsked ? this.computeCosines(kernel) : new Float64Array(this.vectors.slots);
    const products = cosines.map((cosine) => cosine * length);
    const { shares, factors, ...common } = buildCommonPart(mean, products);
    kernel.group({
      firsts: Uint32Array.from(spans, ({ first }) => first),
      counts: Uint32Array.from(spans, ({ count }) => count),
      shares,
      factors,
    });
    return {
      changes: this.vectors.changes,
      common,
      chunkIds,
      placeOf: new Map(chunkIds.map((id, place) => [id, place])),
    };
  }

  /** Of all passages, or of those in the sample. */
  private computeMean(spans: readonly VectorSegment<ChunkInfo>[], dimensions: number): Float64Array {
    const total = new Float64Array(dimensions);
    let counted = 0;
    for (const { count, info } of spans) {
      // From now on they take no part.
      if (this.isSampled && !isInSample(info.chunkId)) info.sum = null;
      if (count === 0 || info.sum === null) continue;
      for (let i = 0; i < total.length; i++) total[i]! += info.sum[i]!;
      counted += count;
    }
    return total.map((x) => x / Math.max(counted, 1));
  }

  /** The cosine of every slot with the kernel's query; 0 for an empty one. */
  private computeCosines(kernel: VectorKernel): Float64Array {
    const { slots } = this.vectors;
    const all = new Float64Array(slots);
    for (let start = 0; start < slots; start += blockSize) {
      // Every cosine is at least -2; ids are slots.
      const asked = Math.min(blockSize, slots - start);
      const found = kernel.select(start, asked, -2);
      const [ids, cosines] = [kernel.ids(), kernel.cosines()];
      if (found === asked) all.set(cosines.subarray(0, found), start);
      else for (let i = 0; i < found; i++) all[ids[i]!] = cosines[i]!;
    }
    return all;
  }
}
