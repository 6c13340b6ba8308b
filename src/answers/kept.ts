/**
 * Objects that the daemon shares with the operations in its process. A feature that leaves work to the daemon, or reports on
 * that work, declares what it needs; the daemon shares it while it has a project open.
 */
export class SharedObjects<T> {
  readonly #shared = new Map<string, T>();

  /** @param key what `kept` belongs to: a checkout's root, or the file of a memory or an index. @returns stops sharing */
  share(key: string, kept: T): () => void {
    this.#shared.set(key, kept);
    // The daemon may have opened it again meanwhile, and shared another object.
    return () => void (this.#shared.get(key) === kept && this.#shared.delete(key));
  }

  /** null: no daemon keeps it in this process. */
  findKept(key: string): T | null {
    return this.#shared.get(key) ?? null;
  }
}

/** As `SharedObjects`, for an object that the daemon has once, for all projects. */
export class KeptOnce<T> {
  #shared: T | null = null;

  /** @returns undoes it */
  share(kept: T): () => void {
    this.#shared = kept;
    return () => {
      this.#shared = null;
    };
  }

  /** @throws Error in a process that is not the daemon: only the daemon answers operations on itself */
  get(): T {
    if (this.#shared === null) throw new Error("This process is not the daemon.");
    return this.#shared;
  }

  /** null: this process is no daemon. */
  findShared(): T | null {
    return this.#shared;
  }
}
