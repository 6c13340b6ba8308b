import type { Judged } from "./judge.ts";

/** What was claimed with about this confidence, and how much of it is right. */
export interface Reliability {
  from: number;
  to: number;
  lines: number;
  /** Means of both. */
  confidence: number;
  right: number;
}

const edges = [0, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 0.975, 1.0001];

/** Claims by their confidence. */
export function reliabilityOf(judged: readonly Judged[], author: "agent" | "human"): Reliability[] {
  const claims = claimsOf(judged, author);
  return edges.slice(1).flatMap((to, i) => {
    const from = edges[i]!;
    const own = claims.filter(({ verdict }) => verdict!.confidence >= from && verdict!.confidence < to);
    return own.length === 0 ? [] : [{ from, to: Math.min(to, 1), ...rightOf(own, author) }];
  });
}

/** Claims by what they rest on, those with the most lines first. */
export function reliabilityByBasis(judged: readonly Judged[], author: "agent" | "human") {
  const claims = claimsOf(judged, author);
  const bases = [...new Set(claims.map(({ verdict }) => verdict!.basis ?? "none"))];
  return bases
    .map((basis) => ({
      basis,
      ...rightOf(
        claims.filter(({ verdict }) => (verdict!.basis ?? "none") === basis),
        author,
      ),
    }))
    .sort((a, b) => b.lines - a.lines);
}

/** Lines whose truth nobody can know are left out. */
const claimsOf = (judged: readonly Judged[], author: "agent" | "human") =>
  judged.filter(({ verdict, truth }) => verdict?.author === author && truth.kind !== "untold");

const rightOf = (own: readonly Judged[], author: "agent" | "human") => ({
  lines: own.length,
  confidence: own.reduce((sum, { verdict }) => sum + verdict!.confidence, 0) / own.length,
  right: own.filter(({ truth }) => truth.kind === author).length / own.length,
});

/** How far confidence is from what is right, on average over lines (expected calibration error). */
export function calibrationError(rows: readonly Reliability[]): number {
  const lines = rows.reduce((sum, row) => sum + row.lines, 0);
  return rows.reduce((sum, row) => sum + row.lines * Math.abs(row.confidence - row.right), 0) / (lines || 1);
}
