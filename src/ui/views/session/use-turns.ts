import { useEffect, useRef, useState } from "preact/hooks";
import type { TurnInFull } from "../../../protocol/operations/sessions.ts";
import { type AskError, ask, askErrorOf } from "../../api/ask.ts";

/** How many turns come before the first on request. */
const earlier = 10;

export interface Turns {
  turns: readonly TurnInFull[];
  error: AskError | null;
  /** Whether there are turns behind the last. */
  hasMore: boolean;
  isLoading: boolean;
  loadMore: () => void;
  /** Turns before the first; null: it is the session's first. */
  loadEarlier: (() => void) | null;
  /** Loads all that was left out of a turn. */
  loadWhole: (number: number) => void;
  retry: () => void;
}

/** The turns of a session from one of them on, loaded as they are read: a session may have thousands. */
export function useTurns(session: string, from: number, numbers: readonly number[]): Turns {
  const [turns, setTurns] = useState<readonly TurnInFull[]>([]);
  const [next, setNext] = useState<number | null>(from);
  const [error, setError] = useState<AskError | null>(null);
  const [isLoading, setLoading] = useState(false);
  const request = useRef(new AbortController());

  const load = async (
    wanted: { from: number; limit?: number; whole?: boolean },
    use: (found: readonly TurnInFull[], next: number | null) => void,
  ) => {
    const { signal } = request.current;
    setLoading(true);
    try {
      const found = await ask("turns", { session, ...wanted }, signal);
      if (signal.aborted) return;
      use(found.turns, found.next);
      setError(null);
      setLoading(false);
    } catch (thrown) {
      if (signal.aborted) return;
      setError(askErrorOf(thrown));
      setLoading(false);
    }
  };
  const start = () => {
    request.current = new AbortController();
    setTurns([]);
    setNext(null);
    void load({ from }, (found, behind) => {
      setTurns(found);
      setNext(behind);
    });
  };
  useEffect(() => {
    start();
    return () => request.current.abort();
  }, [session, from]);

  // A session that goes on: its last turn has grown, or others came behind it.
  const before = useRef(numbers);
  useEffect(() => {
    const isFirst = before.current.length === 0;
    before.current = numbers;
    const last = turns.at(-1);
    if (isFirst || last === undefined || next !== null) return;
    void load({ from: last.number }, (found, behind) => {
      setTurns((known) => [...known.filter(({ number }) => number < last.number), ...found]);
      setNext(behind);
    });
  }, [numbers]);

  const first = turns[0]?.number;
  const above = first === undefined ? [] : numbers.filter((number) => number < first).slice(-earlier);
  return {
    turns,
    error,
    hasMore: next !== null,
    isLoading,
    loadMore() {
      if (next === null || isLoading) return;
      void load({ from: next }, (found, behind) => {
        setTurns((known) => [...known, ...found]);
        setNext(behind);
      });
    },
    loadEarlier:
      above.length === 0
        ? null
        : () =>
            void load({ from: above[0]!, limit: above.length }, (found) =>
              setTurns((known) => [...found.filter(({ number }) => number < known[0]!.number), ...known]),
            ),
    loadWhole: (number) =>
      void load({ from: number, limit: 1, whole: true }, ([whole]) =>
        setTurns((known) => known.map((turn) => (turn.number === whole?.number ? whole : turn))),
      ),
    retry: start,
  };
}
