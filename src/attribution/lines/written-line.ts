import type { Write } from "../evidence/writes.ts";
import type { Stretch } from "./align.ts";
import type { Verdict } from "./verdict.ts";

/** A line that an agent wrote, and how certain that is. */
export interface WrittenLine {
  write: Write;
  support: number;
  verdict: Verdict;
}

/** A line's place in the written text. */
export interface WrittenPlace {
  of: Source;
  at: number;
}

export interface Source {
  write: Write;
  lines: Stretch<Source>["lines"];
  /** Its lines (index in the stretch) that are in history already. */
  consumed: ReadonlySet<number>;
}
