import { useEffect, useRef, useState } from "preact/hooks";
import type { SessionResponse } from "../../../protocol/operations/sessions.ts";
import { deedsOf, type Margin } from "../../../protocol/reading/turn.ts";
import { Icon } from "../../components/icon.tsx";
import { Inline } from "../../components/marked.tsx";
import { counted } from "../../components/words.ts";
import { sessionLink } from "../../router.ts";
import { Matches } from "./matches.tsx";

interface OutlineProps {
  session: string;
  turns: SessionResponse["turns"];
  margins: ReadonlyMap<number, Margin>;
  current: number | null;
  /** The text that the address looks for. */
  find: string;
}

/** A session may have thousands of turns: so many around the current one are listed at first. */
const listed = 200;
const listedBefore = 50;

/** All prompts of a session, to find one and to go there. */
export function Outline({ session, turns, margins, current, find }: OutlineProps) {
  const [wanted, setWanted] = useState(find);
  const list = useRef<HTMLOListElement>(null);
  const [isWhole, setWhole] = useState(false);
  useEffect(() => {
    list.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
  }, [current, isWhole]);
  const words = wanted.toLowerCase();
  const shown = turns.filter(
    ({ prompt, files }) =>
      prompt.toLowerCase().includes(words) || files.some(({ path }) => path.toLowerCase().includes(words)),
  );
  const at = shown.findIndex(({ number }) => number === current);
  const start = Math.max(0, Math.min(at - listedBefore, shown.length - listed));
  const near = isWhole ? shown : shown.slice(start, start + listed);
  return (
    <nav class="outline" aria-label="Turns">
      <input
        class="chip"
        type="search"
        data-find
        aria-label="Find in this session"
        placeholder="Find in this session (f)"
        value={wanted}
        onInput={(event) => setWanted(event.currentTarget.value)}
      />
      <div class="outline-lists">
        <ol ref={list}>
          {near.map((turn) => {
            const { number, prompt, abandoned } = turn;
            const { notes = [], decisions = [], commits = [] } = margins.get(number) ?? {};
            return (
              <li key={number}>
                <a
                  href={sessionLink(session, number)}
                  aria-current={number === current ? "true" : undefined}
                  class={abandoned ? "abandoned" : undefined}
                >
                  <span class="faint">{number}</span>
                  <span class="outline-prompt">
                    <Inline text={prompt.trim() || "(before the first prompt)"} />
                    <span class="deeds">
                      {[...deedsOf(turn), ...(commits.length > 0 ? ["committed"] : [])].join(" · ")}
                    </span>
                  </span>
                  {commits.length > 0 && <Icon name="commit" />}
                  {notes.length > 0 && <Icon name="note" />}
                  {decisions.length > 0 && <Icon name="decision" />}
                </a>
              </li>
            );
          })}
        </ol>
        {near.length < shown.length && (
          <button type="button" class="quiet small" onClick={() => setWhole(true)}>
            List all {counted(shown.length, "turn")}
          </button>
        )}
        {shown.length === 0 && <p class="faint">No prompt and no file fits.</p>}
        <Matches session={session} text={wanted} />
      </div>
    </nav>
  );
}
