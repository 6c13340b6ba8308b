import type { Cursor } from "../agent.ts";

/** Maximum number of transcripts that grow at the same time. */
const most = 4;

interface Kept<State> {
  /** The state's position in the file. */
  cursor: Cursor;
  state: State;
}

/**
 * Caches the states at the ends of recently read transcripts, so that a growing one is not read from its start each
 * time. A state is valid only for its exact cursor.
 */
export class KeptStates<State> {
  private readonly kept = new Map<string, Kept<State>>();

  /** Removes and returns the state at a cursor; null when not cached. */
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
