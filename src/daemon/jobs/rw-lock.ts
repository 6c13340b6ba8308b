/**
 * Lets work on the memory run in parallel, except for work that needs exclusive access: forgetting, say, must not run while other
 * work still has the data in variables. A request for exclusive access asks the others to stop, and goes before later requests.
 */
export class RwLock {
  private readonly inside = new Set<() => void>();
  private isTaken = false;
  private wanting = 0;
  private waiting: (() => void)[] = [];

  /** @param leave asks the work to stop where it can be resumed */
  async runShared<T>(leave: () => void, work: () => Promise<T>): Promise<T> {
    while (this.isTaken || this.wanting > 0) await this.waitForChange();
    this.inside.add(leave);
    try {
      return await work();
    } finally {
      this.inside.delete(leave);
      this.notifyChange();
    }
  }

  async runExclusive<T>(work: () => Promise<T> | T): Promise<T> {
    this.wanting++;
    try {
      for (const leave of this.inside) leave();
      while (this.isTaken || this.inside.size > 0) await this.waitForChange();
      this.isTaken = true;
    } finally {
      this.wanting--;
    }
    try {
      return await work();
    } finally {
      this.isTaken = false;
      this.notifyChange();
    }
  }

  private waitForChange(): Promise<void> {
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  private notifyChange(): void {
    for (const resolve of this.waiting.splice(0)) resolve();
  }
}
