/** What was read and is kept as long as all of it takes no more than so many bytes: what was kept first goes first. */
export class Kept<Key, Value> {
  private readonly known = new Map<Key, Value>();
  private bytes = 0;

  constructor(
    private readonly maxBytes: number,
    private readonly sizeOf: (value: Value) => number,
  ) {}

  get(key: Key): Value | undefined {
    return this.known.get(key);
  }

  set(key: Key, value: Value): void {
    this.delete(key);
    this.known.set(key, value);
    this.bytes += this.sizeOf(value);
    for (const old of this.known.keys()) {
      if (this.bytes <= this.maxBytes) break;
      this.delete(old);
    }
  }

  delete(key: Key): void {
    const value = this.known.get(key);
    if (value === undefined) return;
    this.known.delete(key);
    this.bytes -= this.sizeOf(value);
  }

  clear(): void {
    this.known.clear();
    this.bytes = 0;
  }
}
