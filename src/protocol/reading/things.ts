import { formatCount } from "../../base/text/counted.ts";

/** What a memory has of each, in the order in which it is counted, and what it is called where that is more than an s. */
const nouns = {
  sessions: ["session"],
  turns: ["turn"],
  annotations: ["note"],
  chunks: ["chunk"],
  commits: ["commit"],
  checkpoints: ["checkpoint"],
  attributions: ["commit's lines", "commits' lines"],
  events: ["event"],
  questions: ["question of the audit log", "questions of the audit log"],
} as const satisfies Record<string, readonly [one: string, several?: string]>;

export type ThingCounts = Readonly<Partial<Record<keyof typeof nouns, number | undefined>>>;

/** ["3 sessions", "1 note"]; none of those with zero. */
export const listThings = (counts: ThingCounts): string[] =>
  Object.entries<readonly [string, string?]>(nouns).flatMap(([kind, [one, several]]) => {
    const count = counts[kind as keyof typeof nouns] ?? 0;
    return count > 0 ? [formatCount(count, one, several)] : [];
  });
