/** Lets a few pieces of work go at a time; the others wait in their order. */
export interface Gate {
  /**
   * Does the work when it is its turn.
   * @param signal aborted: it is given up where it has not begun, with the signal's reason
   */
  pass<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
  /** How many wait. */
  readonly waiting: number;
}

/** @param places how much may go on at once */
export function createGate(places: number): Gate {
  const queue: (() => void)[] = [];
  let taken = 0;
  const leave = () => {
    const next = queue.shift();
    if (next) next();
    else taken--;
  };
  return {
    get waiting() {
      return queue.length;
    },
    async pass(work, signal) {
      if (taken < places) taken++;
      else await new Promise<void>((resolve) => queue.push(resolve));
      try {
        signal?.throwIfAborted();
        return await work();
      } finally {
        leave();
      }
    },
  };
}
