import type { TouchedCode } from "../../protocol/graph.ts";
import { nameInFull } from "../../protocol/reading/evidence.ts";
import { type EdgeConfidence, type EdgeKind, edgeConfidences } from "../../protocol/values.ts";
import { classifyPath } from "../files/path-role.ts";
import { type GraphNode, type GraphTarget, makeTargetKey } from "./definitions.ts";
import type { CodeGraph } from "./graph.ts";
import { toNodeJson } from "./neighbours.ts";

/** Callers of callers are looked for no further from here: everything touches everything. */
const maxTouched = 2000;
/** Guesses are named, but nothing is concluded from them. A change of a type is a change of what is made of it, but not of whatever names it. */
const carriesOn: ReadonlySet<EdgeKind> = new Set(["call", "construct", "base"]);
const isSure: ReadonlySet<EdgeConfidence> = new Set(["resolved", "dispatch"]);

export interface Impact {
  touched: TouchedCode[];
  /** Some names are in too many files to look into all of them. */
  isCut: boolean;
  /** Files that import what is asked about, and of which nothing else is known. */
  importers: string[];
}

/**
 * What a change of some definitions may touch: what mentions them, and what mentions that, up to `depth` edges away. Tests
 * come first, then the nearest, the surest first.
 */
export async function collectImpact(
  graph: CodeGraph,
  targets: readonly GraphTarget[],
  depth: number,
): Promise<Impact> {
  const found = new Map<string, TouchedCode>();
  const known = new Set(targets.map(makeTargetKey));
  const importers = new Set<string>();
  let isCut = false;
  let front: { target: GraphTarget; confidence: EdgeConfidence }[] = targets.map((target) => ({
    target,
    confidence: "resolved",
  }));
  for (let distance = 1; distance <= depth && front.length > 0 && found.size < maxTouched; distance++) {
    const next: typeof front = [];
    for (const from of front) {
      const through = await graph.definitions.describeTarget(from.target);
      const callers = await graph.findCallers([from.target]);
      isCut ||= callers.isCut;
      if (distance === 1) for (const file of callers.importers) importers.add(file);
      for (const { target, node, kind, lines, confidence, candidates } of callers.edges) {
        const key = makeTargetKey(target);
        if (known.has(key)) continue;
        const least = chooseLessSure(confidence, from.confidence);
        const before = found.get(key);
        if (before !== undefined && before.distance < distance) continue;
        if (before === undefined || isSurer(least, before.confidence)) {
          found.set(key, {
            ...toNodeJson(node),
            is_test: classifyPath(node.file) === "test",
            distance,
            how: kind,
            through: formatMentioned(through, kind),
            lines,
            confidence: least,
            candidates,
          });
        }
        if (before === undefined && target.at >= 0 && carriesOn.has(kind) && isSure.has(least)) {
          next.push({ target, confidence: least });
        }
      }
      if (found.size >= maxTouched) break;
    }
    front = next;
  }
  for (const { file } of found.values()) importers.delete(file);
  return {
    touched: [...found.values()].sort(compareTouchedCode),
    isCut,
    importers: [...importers].sort(),
  };
}

/** A constructor is known by its type. */
const formatMentioned = (node: GraphNode, how: EdgeKind) =>
  how === "construct" && ["constructor", "method", "function"].includes(node.kind)
    ? (node.parent ?? node.name)
    : nameInFull(node);

function compareTouchedCode(a: TouchedCode, b: TouchedCode): number {
  return (
    Number(b.is_test) - Number(a.is_test) ||
    a.distance - b.distance ||
    edgeConfidences.indexOf(a.confidence) - edgeConfidences.indexOf(b.confidence) ||
    (a.file < b.file ? -1 : a.file > b.file ? 1 : a.line - b.line)
  );
}

const isSurer = (a: EdgeConfidence, b: EdgeConfidence) =>
  edgeConfidences.indexOf(a) < edgeConfidences.indexOf(b);
const chooseLessSure = (a: EdgeConfidence, b: EdgeConfidence) => (isSurer(a, b) ? b : a);
