import type { Decision } from "../operations/decisions.ts";

/** What is said before a note: an agent's is never taken for a person's. Null for what is no note. */
export const noteLabel = ({ source, noted_by }: Pick<Decision, "source" | "noted_by">): string | null =>
  source === "annotation" ? (noted_by === "agent" ? "Note by an agent:" : "Note:") : null;
