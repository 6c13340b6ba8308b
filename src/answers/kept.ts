/**
 * What a daemon keeps for the operations of this process: each feature that leaves work to a daemon, or reports on it, says
 * what it needs of one, and the daemon shares that while it has a project open.
 */
export class Kept<T> {
  readonly #shared = new Map<string, T>();

  /** @param key what it is of: a checkout's root, or the file of a memory or an index. @returns undoes it */
  share(key: string, kept: T): () => void {
    this.#shared.set(key, kept);
    // It may have been opened again meanwhile.
    return () => void (this.#shared.get(key) === kept && this.#shared.delete(key));
  }

  /** null: no daemon keeps it in this process. */
  findKept(key: string): T | null {
    return this.#shared.get(key) ?? null;
  }
}

/** What there is one of in a daemon, for all projects. */
export class KeptOnce<T> {
  #shared: T | null = null;

  /** @returns undoes it */
  share(kept: T): () => void {
    this.#shared = kept;
    return () => {
      this.#shared = null;
    };
  }

  /** @throws Error in a process that is no daemon: operations on the daemon are answered there alone */
  get(): T {
    if (this.#shared === null) throw new Error("This process is not the daemon.");
    return this.#shared;
  }

  /** null: this process is no daemon. */
  findShared(): T | null {
    return this.#shared;
  }
}
