import type { BlobEngine, BlobKind, BlobStore, StoredBlob } from "../../src/engines/blobs/blob-store.ts";

/** An engine that keeps blobs for as long as the process runs, and fails when a test says so. */
export class MemoryEngine implements BlobEngine {
  readonly place = "";
  readonly indexes = new Map<string, Map<string, StoredBlob>>();
  /** Calls that changes and reads may make until they fail. */
  failsAfter = Number.POSITIVE_INFINITY;
  /** What was read: kinds, and the number from which on. */
  readonly reads: string[] = [];

  async open(file: string, mode: "read" | "write" | "rebuild"): Promise<BlobStore | null> {
    if (mode === "read" && !this.isThere(file)) return null;
    const blobs = this.indexes.get(file) ?? new Map<string, StoredBlob>();
    this.indexes.set(file, blobs);
    return new MemoryBlobs(blobs, this);
  }

  isThere(file: string): boolean {
    return this.indexes.has(file);
  }

  async remove(file: string): Promise<void> {
    this.indexes.delete(file);
  }

  explain(error: unknown): unknown {
    return error;
  }

  describePlace(file: string): string {
    return file;
  }

  /** @throws where the test said so */
  step(): void {
    if (this.failsAfter-- <= 0) throw new Error("the power is gone");
  }
}

const keyOf = (kind: BlobKind, number: number) => `${kind} ${number}`;

class MemoryBlobs implements BlobStore {
  constructor(
    private readonly blobs: Map<string, StoredBlob>,
    private readonly engine: MemoryEngine,
  ) {}

  async readVersion() {
    return Math.max(-1, ...this.of("journal").map(({ number }) => number));
  }

  async add(blobs: readonly StoredBlob[]) {
    this.engine.step();
    if (blobs.some(({ kind, number }) => this.blobs.has(keyOf(kind, number)))) throw new Error("it is there");
    for (const blob of blobs) this.blobs.set(keyOf(blob.kind, blob.number), blob);
  }

  async read(kind: BlobKind, numbers: readonly number[]) {
    return new Map(
      numbers.flatMap((number): [number, Uint8Array][] => {
        const blob = this.blobs.get(keyOf(kind, number));
        return blob === undefined ? [] : [[number, blob.bytes]];
      }),
    );
  }

  async *readFrom(kind: BlobKind, first: number) {
    this.engine.reads.push(`${kind} ${first}`);
    for (const { number, bytes } of this.of(kind)) {
      if (number < first) continue;
      this.engine.step();
      yield new Map([[number, bytes]]);
    }
  }

  async remove(kind: BlobKind, numbers: readonly number[]) {
    for (const number of numbers) this.blobs.delete(keyOf(kind, number));
  }

  async removeFrom(kind: BlobKind, first: number) {
    for (const { number } of this.of(kind)) if (number >= first) this.blobs.delete(keyOf(kind, number));
  }

  async compact() {}

  async countBytes() {
    return [...this.blobs.values()].reduce((sum, { bytes }) => sum + bytes.length, 0);
  }

  async close() {}

  private of(kind: BlobKind): StoredBlob[] {
    return [...this.blobs.values()].filter((blob) => blob.kind === kind);
  }
}
