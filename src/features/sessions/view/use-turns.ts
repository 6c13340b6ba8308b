import { useEffect, useRef, useState } from "preact/hooks";
import { type AskError, ask, toAskError } from "../../../page/api/ask.ts";
import type { TurnInFull } from "../operation.ts";

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
      setError(toAskError(thrown));
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

/** The occurrences of a text below an element, in any case, as far as they lie in one piece of text each. */
function findOccurrences(root: Node, text: string): Range[] {
  const wanted = text.toLowerCase();
  const ranges: Range[] = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const content = (node as Text).data.toLowerCase();
    for (let at = content.indexOf(wanted); at !== -1; at = content.indexOf(wanted, at + wanted.length)) {
      const range = new Range();
      range.setStart(node, at);
      range.setEnd(node, at + wanted.length);
      ranges.push(range);
    }
  }
  return ranges;
}

const highlightName = "found";

/** Marks a text wherever it stands below an element; "" marks nothing. */
export function markFound(root: Node | null, text: string): void {
  // Firefox has it since version 140; without it the reader is led to the place all the same.
  if (!("highlights" in CSS)) return;
  if (root === null || text === "") CSS.highlights.delete(highlightName);
  else CSS.highlights.set(highlightName, new Highlight(...findOccurrences(root, text)));
}

/**
 * Scrolls to the first occurrence of a text below an element, and unfolds what hides it.
 * @returns whether it is there
 */
export function scrollToFound(root: Node, text: string): boolean {
  const [first] = findOccurrences(root, text);
  const holder = first?.startContainer.parentElement;
  if (!holder) return false;
  for (let fold = holder.closest("details"); fold; fold = fold.parentElement?.closest("details") ?? null) {
    fold.open = true;
  }
  holder.scrollIntoView({ block: "center" });
  return true;
}
