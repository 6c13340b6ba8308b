import type { Cursor } from "../agent.ts";

/** How many transcripts of an agent are likely to grow at the same time. */
const most = 4;

interface Kept<State> {
  /** Where in the file the state is of. */
  cursor: Cursor;
  state: State;
}

/**
 * The states at the ends of the transcripts that were read last: one that grows line by line need not be read from its
 * start each time. Each is good for going on from exactly where it was left, and is found out anew for all else.
 */
export class KeptStates<State> {
  private readonly kept = new Map<string, Kept<State>>();

  /** The state at a place of a file, which is the caller's from now on; null when it is not kept. */
  take(file: string, cursor: Cursor | null): State | null {
    const found = this.kept.get(file);
    if (!found) return null;
    this.kept.delete(file);
    const isIt = found.cursor.offset === cursor?.offset && found.cursor.lineHash === cursor?.lineHash;
    return isIt ? found.state : null;
  }

  put(file: string, cursor: Cursor, state: State): void {
    this.kept.delete(file);
    this.kept.set(file, { cursor, state });
    for (const [oldest] of this.kept) {
      if (this.kept.size <= most) return;
      this.kept.delete(oldest);
    }
  }
}
