import type { Write } from "../evidence/writes.ts";
import type { WrittenStretch } from "./align.ts";
import type { AuthorVerdict } from "./verdict.ts";

/** A line that an agent wrote, and how certain that is. */
export interface WrittenLine {
  write: Write;
  support: number;
  verdict: AuthorVerdict;
}

/** A line's place in the written text. */
export interface WrittenPlace {
  of: WriteSource;
  at: number;
}

export interface WriteSource {
  write: Write;
  lines: WrittenStretch<WriteSource>["lines"];
  /** Its lines (index in the stretch) that are in history already. */
  consumed: ReadonlySet<number>;
}
