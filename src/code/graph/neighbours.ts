import type { GraphEdge, Neighbours } from "../../protocol/graph.ts";
import { roleOf } from "../files/path-role.ts";
import type { GraphNode, Target } from "./definitions.ts";
import type { CodeGraph, Edge } from "./graph.ts";

const shown = 10;

/** What uses a definition and what it uses, for an answer. */
export async function neighboursOf(graph: CodeGraph, target: Target): Promise<Neighbours> {
  const [callers, callees] = [await graph.callers([target]), await graph.callees(target)];
  return {
    is_known: await graph.covers(target.file),
    used_by: callers.edges.slice(0, shown).map(edgeFor),
    used_by_total: callers.edges.length,
    used_by_tests: callers.edges.filter(({ node }) => roleOf(node.file) === "test").length,
    uses: callees.edges.slice(0, shown).map(edgeFor),
    uses_total: callees.edges.length,
    unknown_calls: callees.unknown,
  };
}

/** With the keys of an answer. */
export function nodeFor({ file, name, kind, parent, line, endLine }: GraphNode) {
  return { file, name, kind, parent, line, end_line: endLine };
}

export function edgeFor({ node, kind, lines, confidence, candidates }: Edge): GraphEdge {
  return { ...nodeFor(node), how: kind, lines, confidence, candidates };
}
