import { call } from "../client/call.ts";
import type { Decision } from "../protocol/operations/decisions.ts";
import type { AuthoredLines } from "./authors.ts";
import type { Place } from "./places.ts";

/** Lines that were written for a decision which a later one contradicts. */
export interface Superseded {
  /** Of the document, inclusive, from 0. */
  start: number;
  end: number;
  decision: Decision;
}

/** A decision is taken for the reason of lines that its session wrote in its turn or in the next ones. */
const turnsAfter = 2;
const asked = 50;

export async function supersededIn(place: Place, authors: readonly AuthoredLines[]): Promise<Superseded[]> {
  if (!authors.some(({ session_id }) => session_id !== null)) return [];
  const { decisions } = await call("decisions", { file: [place.file], limit: asked }, place.project);
  return decisions
    .filter(({ superseded_by }) => superseded_by !== null)
    .flatMap((decision) =>
      authors
        .filter((range) => isReasonFor(decision, range))
        .map(({ start, end }) => ({ start, end, decision })),
    );
}

function isReasonFor({ session_id, turn }: Decision, range: AuthoredLines): boolean {
  if (session_id === null || turn === null || range.turn === null) return false;
  return range.session_id === session_id && range.turn >= turn && range.turn <= turn + turnsAfter;
}
