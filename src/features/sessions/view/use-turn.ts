import { useEffect, useState } from "preact/hooks";
import { useAnswer } from "../../../page/api/use-answer.ts";
import type { TurnsResponse } from "../operation.ts";

/** Turns that are asked for together: as many as a window shows. */
export const turnsPerRequest = 8;

export interface TurnPlace {
  session: string;
  number: number;
  /** The number of the first turn that is asked for together with it. */
  first: number;
  /** When it may have grown last; null: it has ended. */
  asOf: string | null;
}

/** A turn of a session, asked for with those beside it while it is in sight: a session may have thousands. */
export function useTurn({ session, number, first, asOf }: TurnPlace) {
  const [from, setFrom] = useState(first);
  const [isWhole, setWhole] = useState(false);
  const options = { keepsFormer: true, asOf };
  const some = useAnswer("turns", { session, from, limit: turnsPerRequest }, options);
  const one = { session, from: number, limit: 1, whole: true };
  const whole = useAnswer("turns", isWhole ? one : null, options);
  const next = some.data?.next ?? Number.POSITIVE_INFINITY;
  // Of long turns, fewer come at once.
  useEffect(() => {
    if (next <= number) setFrom(next);
  }, [next]);
  const find = (answer: TurnsResponse | null) => answer?.turns.find((turn) => turn.number === number);
  const turn = find(whole.data) ?? find(some.data) ?? null;
  const error = some.error ?? whole.error;
  return {
    turn,
    error,
    isOnItsWay: turn === null && error === null && (some.data === null || next <= number),
    loadWhole: () => setWhole(true),
    retry: () => (some.error === null ? whole : some).reload(),
  };
}
