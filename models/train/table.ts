import type { Bags } from "./bags.ts";

/** Unit vectors of a batch of texts, one a row, and the lengths they had before. */
export interface Batch {
  bags: Bags;
  texts: Uint32Array;
  vectors: Float32Array;
  lengths: Float32Array;
}

const decay1 = 0.9;
const decay2 = 0.999;
const epsilon = 1e-8;

/**
 * The token vectors under training, with Adam (Kingma and Ba 2015) in its lazy form: only the rows that a batch
 * touched are moved.
 */
export class TokenTable {
  readonly rows: Float32Array;
  private readonly gradient: Float32Array;
  private readonly mean: Float32Array;
  private readonly variance: Float32Array;
  private readonly touched = new Set<number>();
  private steps = 0;

  constructor(
    readonly size: number,
    readonly dimensions: number,
  ) {
    const count = size * dimensions;
    this.rows = new Float32Array(count);
    this.gradient = new Float32Array(count);
    this.mean = new Float32Array(count);
    this.variance = new Float32Array(count);
  }

  /** Starts over with the optimiser's memory, keeping the vectors. */
  restart(): void {
    this.mean.fill(0);
    this.variance.fill(0);
    this.steps = 0;
  }

  /** The unit vectors of some texts. */
  embed(bags: Bags, texts: Uint32Array): Batch {
    const { dimensions: n, rows } = this;
    const vectors = new Float32Array(texts.length * n);
    const lengths = new Float32Array(texts.length);
    texts.forEach((text, b) => {
      const at = b * n;
      const end = bags.offsets[text + 1]!;
      for (let k = bags.offsets[text]!; k < end; k++) {
        const row = bags.ids[k]! * n;
        const weight = bags.weights[k]!;
        for (let d = 0; d < n; d++) vectors[at + d]! += weight * rows[row + d]!;
      }
      let square = 0;
      for (let d = 0; d < n; d++) square += vectors[at + d]! ** 2;
      const length = Math.sqrt(square) || 1;
      lengths[b] = length;
      for (let d = 0; d < n; d++) vectors[at + d]! /= length;
    });
    return { bags, texts, vectors, lengths };
  }

  /** Takes in the gradient of the loss by a batch's unit vectors. */
  backward({ bags, texts, vectors, lengths }: Batch, gradient: Float32Array): void {
    const n = this.dimensions;
    const raw = new Float32Array(n);
    texts.forEach((text, b) => {
      const at = b * n;
      let along = 0;
      for (let d = 0; d < n; d++) along += gradient[at + d]! * vectors[at + d]!;
      const length = lengths[b]!;
      for (let d = 0; d < n; d++) raw[d] = (gradient[at + d]! - along * vectors[at + d]!) / length;
      const end = bags.offsets[text + 1]!;
      for (let k = bags.offsets[text]!; k < end; k++) {
        const id = bags.ids[k]!;
        this.touched.add(id);
        const row = id * n;
        const weight = bags.weights[k]!;
        for (let d = 0; d < n; d++) this.gradient[row + d]! += weight * raw[d]!;
      }
    });
  }

  /** Moves the rows that were touched since the last step. */
  step(rate: number): void {
    this.steps++;
    const { gradient, mean, variance, rows } = this;
    const size = (rate * Math.sqrt(1 - decay2 ** this.steps)) / (1 - decay1 ** this.steps);
    for (const id of this.touched) {
      const end = (id + 1) * this.dimensions;
      for (let i = id * this.dimensions; i < end; i++) {
        const g = gradient[i]!;
        gradient[i] = 0;
        const m = decay1 * mean[i]! + (1 - decay1) * g;
        const v = decay2 * variance[i]! + (1 - decay2) * g * g;
        mean[i] = m;
        variance[i] = v;
        rows[i]! -= (size * m) / (Math.sqrt(v) + epsilon);
      }
    }
    this.touched.clear();
  }
}
