import type { BindingHow } from "../values.ts";

/** Less is a guess. */
export const certain = 0.7;

const words: Readonly<Record<BindingHow, string>> = {
  lines: "wrote lines of it",
  removed: "removed the same lines",
  command: "ran git commit",
  touched: "changed its files shortly before",
  trailer: "named in the commit by another tool",
};

/** What links a commit with a session, in words: "ran git commit", "wrote 12 lines of it", "maybe: ran git commit". */
export function linkEvidence({ how, confidence, lines = 0 }: Link): string {
  const said =
    how === "lines" && lines > 0 ? `wrote ${lines === 1 ? "1 line" : `${lines} lines`} of it` : words[how];
  return confidence < certain ? `maybe: ${said}` : said;
}

interface Link {
  how: BindingHow;
  confidence: number;
  /** Those that it wrote; left out where they are said beside it. */
  lines?: number;
}
