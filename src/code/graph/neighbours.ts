import type { GraphEdge, Neighbours } from "../../protocol/graph.ts";
import { classifyPath } from "../files/path-role.ts";
import type { GraphNode, GraphTarget } from "./definitions.ts";
import type { CodeGraph, Edge } from "./graph.ts";

const maxShownEdges = 10;

/** What uses a definition and what it uses, for an answer. */
export async function findNeighbours(graph: CodeGraph, target: GraphTarget): Promise<Neighbours> {
  const [callers, callees] = [await graph.findCallers([target]), await graph.findCallees(target)];
  return {
    is_known: await graph.hasReferences(target.file),
    used_by: callers.edges.slice(0, maxShownEdges).map(toGraphEdge),
    used_by_total: callers.edges.length,
    used_by_tests: callers.edges.filter(({ node }) => classifyPath(node.file) === "test").length,
    uses: callees.edges.slice(0, maxShownEdges).map(toGraphEdge),
    uses_total: callees.edges.length,
    unknown_calls: callees.unknown,
  };
}

/** With the keys of an answer. */
export function toNodeJson({ file, name, kind, parent, line, endLine }: GraphNode) {
  return { file, name, kind, parent, line, end_line: endLine };
}

export function toGraphEdge({ node, kind, lines, confidence, candidates }: Edge): GraphEdge {
  return { ...toNodeJson(node), how: kind, lines, confidence, candidates };
}
