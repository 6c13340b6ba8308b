import type { Entry } from "../agents/agent.ts";

/** A line as it is archived: scrubbed, with its order in the session. */
export interface StoredLine {
  uid: string | null;
  seq: number;
  at: number | null;
  entries: Entry[];
  /** The model's name, for lines of an agent's message. */
  model?: string;
}

/** A turn with everything that was said and done in it. */
export interface Turn {
  /** From 1; 0 holds what came before the first prompt. */
  number: number;
  branch: string | null;
  abandoned: boolean;
  lines: StoredLine[];
}
