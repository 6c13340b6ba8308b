import type { BindingHow } from "../values.ts";

/** Less is a guess. */
const certain = 0.7;

const words: Readonly<Record<BindingHow, string>> = {
  lines: "wrote lines of it",
  removed: "removed the same lines",
  command: "ran git commit",
  touched: "changed its files shortly before",
  trailer: "named in the commit by another tool",
};

/** What links a commit with a session, in words: "ran git commit". */
export const linkEvidence = ({ how, confidence }: { how: BindingHow; confidence: number }): string =>
  confidence < certain ? `maybe: ${words[how]}` : words[how];
