/** A row that was found, and how well it fits. */
export interface ScoredRow {
  row: number;
  score: number;
}

/** The best of many: a heap with the worst of them on top. Of equal ones the lower rows are better. */
export class Best {
  /** Lower scores are no longer wanted. */
  least = Number.NEGATIVE_INFINITY;
  private readonly heap: ScoredRow[] = [];

  /** @param k at least 1 */
  constructor(private readonly k: number) {}

  offer(row: number, score: number): void {
    const { heap } = this;
    if (heap.length < this.k) {
      heap.push({ row, score });
      this.siftUp(heap.length - 1);
    } else {
      const worst = heap[0]!;
      // Most are refused here: nothing is made for them.
      if (score < worst.score || (score === worst.score && row >= worst.row)) return;
      heap[0] = { row, score };
      this.siftDown();
    }
    if (heap.length === this.k) this.least = heap[0]!.score;
  }

  /** Best first; ends it. */
  takeSorted(): ScoredRow[] {
    return this.heap.sort((a, b) => (isBefore(a, b) ? -1 : 1));
  }

  private siftUp(at: number): void {
    const { heap } = this;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isBefore(heap[parent]!, heap[at]!)) return;
      [heap[parent], heap[at]] = [heap[at]!, heap[parent]!];
      at = parent;
    }
  }

  private siftDown(): void {
    const { heap } = this;
    for (let at = 0; ; ) {
      let worst = at;
      for (const child of [2 * at + 1, 2 * at + 2]) {
        if (child < heap.length && isBefore(heap[worst]!, heap[child]!)) worst = child;
      }
      if (worst === at) return;
      [heap[worst], heap[at]] = [heap[at]!, heap[worst]!];
      at = worst;
    }
  }
}

function isBefore(a: ScoredRow, b: ScoredRow): boolean {
  return a.score > b.score || (a.score === b.score && a.row < b.row);
}
