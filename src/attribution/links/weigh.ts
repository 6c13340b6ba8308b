import type { FileToAttribute } from "../lines/file-lines.ts";
import { type Verdict, wasThere } from "../lines/verdict.ts";

/** How much of a commit is a session's. A line weighs as much as it says: a bracket nearly nothing. */
export interface WeightOfSession {
  /** Of the lines that it wrote at their place. */
  written: number;
  /**
   * Of those that nobody had written there before, wherever the session wrote them: into a plan, or a task for another agent,
   * too.
   */
  first: number;
}

/** Adds to the weights, by session, those of a file's lines. */
export function weigh(
  { lines }: FileToAttribute,
  verdicts: ReadonlyMap<number, Verdict>,
  weights: Map<string, WeightOfSession>,
): void {
  const there = new Set(lines.flatMap(({ isAdded, key }) => (isAdded ? [] : [key])));
  for (const [i, verdict] of verdicts) {
    const { sessionUid, basis } = verdict;
    if (sessionUid === null || wasThere(verdict)) continue;
    const { key, weight } = lines[i]!;
    const of = weights.get(sessionUid) ?? { written: 0, first: 0 };
    weights.set(sessionUid, of);
    if (basis !== "elsewhere" && basis !== "replied") of.written += weight;
    if (!there.has(key)) of.first += weight;
  }
}
