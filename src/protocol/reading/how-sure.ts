import type { GraphEdge } from "../operations/graph.ts";

/** A definition with the type that it is in: `Hono.fetch`. A file by its own name. */
export const nameInFull = ({ name, parent, kind }: Pick<GraphEdge, "name" | "parent" | "kind">): string =>
  parent === null || kind === "file" ? name : `${parent}.${name}`;

/** What is said behind an edge's other end, unless it is resolved: " (1 of 3)", " (unique)"; `more` comes first. */
export function howSure(
  { confidence, candidates }: Pick<GraphEdge, "confidence" | "candidates">,
  ...more: string[]
): string {
  const sure = confidence === "ambiguous" ? `1 of ${candidates}` : confidence;
  const parts = confidence === "resolved" ? more : [...more, sure];
  return parts.length === 0 ? "" : ` (${parts.join(", ")})`;
}

/** The same, and how the other end is used unless it is called: " (type, unique)". */
export const howUsed = (edge: Pick<GraphEdge, "how" | "confidence" | "candidates">): string =>
  isCall(edge) ? howSure(edge) : howSure(edge, edge.how);

/** Whether an edge runs code: who names a type or hands a function on calls nothing. */
export const isCall = ({ how }: Pick<GraphEdge, "how">): boolean => how === "call" || how === "construct";
