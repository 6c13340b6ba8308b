import type { SharedKind } from "./branch/layout.ts";

/** How much was, or would be, shared or taken in. */
export interface SyncCounts {
  sessions: number;
  /** Turns that are new, or have more in them. */
  turns: number;
  annotations: number;
  checkpoints: number;
  attributions: number;
  events: number;
}

export const noCounts = (): SyncCounts => ({
  sessions: 0,
  turns: 0,
  annotations: 0,
  checkpoints: 0,
  attributions: 0,
  events: 0,
});

export const countOf = (kind: SharedKind) => `${kind}s` as const satisfies keyof SyncCounts;
