import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { WindowVirtualizer, type WindowVirtualizerHandle } from "virtua";
import { useAnswer } from "../../../page/api/use-answer.ts";
import { useKeys } from "../../../page/keys.ts";
import { goTo, linkTo, route } from "../../../page/router.ts";
import { formatCost } from "../../cost/amount-words.ts";
import type { SessionResponse } from "../operation.ts";
import type { Margin } from "../turn-words.ts";
import { densities, findDensity } from "./density.ts";
import { markFound } from "./find-text.ts";
import { Outline } from "./outline.tsx";
import { type OutlinedTurn, Turn } from "./turn.tsx";
import { turnsPerRequest } from "./use-turn.ts";

/** As many as are listed at most. */
const maxTurnCosts = 1000;

/** Below the search box, which covers the top of the window. Pixels. */
const barHeight = 60;

const moves = ["wheel", "keydown", "pointerdown", "touchmove"] as const;

/** What a session cost, turn by turn; null: that is on its way. */
export const useTurnCosts = (session: string | null) =>
  useAnswer("cost", session === null ? null : { session, by: "turn", limit: maxTurnCosts }).data;

interface ReaderProps {
  found: SessionResponse;
  margins: ReadonlyMap<number, Margin>;
  query: URLSearchParams;
}

/** The turns of a session, of which those in sight are drawn, and the list of all of them, which follows the reading. */
export function Reader({ found: { session, turns }, margins, query }: ReaderProps) {
  const numbers = useMemo(() => turns.map(({ number }) => number), [turns]);
  const costs = useTurnCosts(session.id);
  const costByTurn = useMemo(() => new Map(costs?.rows.map((row) => [row.name, formatCost(row)])), [costs]);
  const density = findDensity(query.get("as"));
  const find = query.get("find") ?? "";
  const wanted = numbers.indexOf(Number.parseInt(query.get("turn") ?? "", 10));
  const list = useRef<WindowVirtualizerHandle>(null);
  const place = useRef<HTMLDivElement>(null);
  /** Whether a turn is there: turns that are on their way are low, and those below them would move. */
  const [isThere, setThere] = useState(false);
  /** The turn at the top of the window, by its place in the list. */
  const [at, setAt] = useState(Math.max(0, wanted));

  /** The turn that the reader was brought to and has not moved from, by its place in the list. */
  const broughtTo = useRef<number | null>(null);
  const show = (index: number) => {
    broughtTo.current = index;
    list.current?.scrollToIndex(index, { align: "start", offset: -barHeight });
  };
  useEffect(() => {
    const move = () => {
      broughtTo.current = null;
    };
    for (const event of moves) addEventListener(event, move, { capture: true, passive: true });
    return () => {
      for (const event of moves) removeEventListener(event, move, { capture: true });
    };
  }, []);
  // What stands before the list is as high as it is by then.
  useEffect(() => {
    if (wanted !== -1) requestAnimationFrame(() => show(wanted));
  }, [query.get("turn"), density]);

  const sought = useMemo(() => ({ text: find }), [find, query.get("turn")]);
  const mark = () => markFound(place.current, find);
  useEffect(() => {
    mark();
    return () => markFound(null, "");
  }, [at, find]);

  const isAtEnd = useRef(false);
  const look = () => {
    const handle = list.current;
    if (handle === null || place.current === null) return;
    const top = place.current.getBoundingClientRect().top;
    setAt(broughtTo.current ?? handle.findItemIndex(Math.max(0, barHeight + 4 - top)));
    isAtEnd.current =
      broughtTo.current === null && scrollY + innerHeight > document.documentElement.scrollHeight - 80;
  };
  // Who goes to the end stays there, while it is loaded and while the session goes on, as in a log.
  const stayAtEnd = () => {
    if (isAtEnd.current) scrollTo({ top: document.documentElement.scrollHeight });
  };
  useEffect(stayAtEnd, [numbers]);
  // What is loaded above a turn moves it.
  const stay = () => {
    if (broughtTo.current !== null) show(broughtTo.current);
    look();
  };

  const step = (by: 1 | -1, isMeant: (turn: OutlinedTurn) => boolean = () => true) => {
    for (let next = at + by; next >= 0 && next < turns.length; next += by)
      if (isMeant(turns[next]!)) {
        setAt(next);
        show(next);
        return;
      }
  };
  useKeys({
    n: () => step(1),
    p: () => step(-1),
    e: () => step(1, hasEdits),
    x: () => step(1, ({ commands }) => commands.failed > 0),
    ...Object.fromEntries(
      densities.map(([name], i) => [
        String(i + 1),
        () =>
          goTo(linkTo(route.value.path, { turn: String(numbers[at]), find, as: name }), { replace: true }),
      ]),
    ),
  });

  return (
    <div class="session-columns">
      <Outline
        session={session.id}
        turns={turns}
        margins={margins}
        current={numbers[at] ?? null}
        find={find}
        linkTo={(turn, text) => linkTo(route.value.path, { turn: String(turn), find: text, as: density })}
      />
      <div class={isThere ? "turns" : "turns early"} ref={place}>
        <WindowVirtualizer ref={list} data={turns} onScroll={look} onResize={stay}>
          {(outlined: OutlinedTurn, index: number) => (
            <Turn
              key={outlined.number}
              session={session.id}
              outlined={outlined}
              before={turns[index - 1] ?? null}
              first={numbers[index - (index % turnsPerRequest)]!}
              asOf={index < numbers.length - turnsPerRequest ? null : session.last_at}
              margin={margins.get(outlined.number)}
              cost={costByTurn.get(String(outlined.number)) ?? ""}
              density={density}
              sought={index === wanted ? sought : null}
              onLoaded={() => {
                setThere(true);
                mark();
                stayAtEnd();
              }}
            />
          )}
        </WindowVirtualizer>
      </div>
    </div>
  );
}

const hasEdits = ({ files }: OutlinedTurn) => files.some(({ how }) => how !== "read");
