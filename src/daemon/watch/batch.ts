/**
 * Collects items without duplicates and delivers them together: after `debounceMs` without a new one, or when the first
 * has waited `maxWaitMs`, so that an endless stream is delivered as well.
 */
export class Batch<T> {
  private items = new Set<T>();
  private timer: NodeJS.Timeout | undefined;
  private firstAt = 0;

  constructor(
    private readonly debounceMs: number,
    private readonly maxWaitMs: number,
    private readonly handOver: (items: Set<T>) => void,
  ) {}

  add(items: Iterable<T>): void {
    const wasEmpty = this.items.size === 0;
    for (const item of items) this.items.add(item);
    if (this.items.size === 0) return;
    const now = performance.now();
    if (wasEmpty) this.firstAt = now;
    clearTimeout(this.timer);
    const wait = Math.min(this.debounceMs, this.firstAt + this.maxWaitMs - now);
    this.timer = setTimeout(() => this.flush(), Math.max(0, wait));
  }

  /** Forgets what was gathered. */
  clear(): void {
    clearTimeout(this.timer);
    this.items = new Set();
  }

  private flush(): void {
    const items = this.items;
    this.items = new Set();
    this.handOver(items);
  }
}
