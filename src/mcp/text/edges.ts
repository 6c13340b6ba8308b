import type { GraphEdge } from "../../protocol/operations/graph.ts";
import { howUsed, nameInFull } from "../../protocol/reading/how-sure.ts";
import { oneLine } from "./text.ts";

/**
 * The other end of an edge, and where the mention is if it is in no definition: `retry src/http.ts:12 (unique)`;
 * what is no call says how: `Retry src/http.ts:3 (type)`.
 */
export function edgeNamed(edge: GraphEdge): string {
  const { file, lines, line, kind } = edge;
  return oneLine(
    `${nameInFull(edge)} ${file}:${kind === "file" ? (lines[0] ?? line) : line}${howUsed(edge)}`,
    160,
  );
}

/** With a last entry for those that are not named. */
export function withMore(named: readonly string[], total: number): string[] {
  return total > named.length ? [...named, `${total - named.length} more`] : [...named];
}
