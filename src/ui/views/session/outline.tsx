import { useEffect, useRef, useState } from "preact/hooks";
import type { SessionResponse } from "../../../protocol/operations/sessions.ts";
import { Icon } from "../../components/icon.tsx";
import { sessionLink } from "../../router.ts";
import type { Margin } from "./margin.ts";
import { Matches } from "./matches.tsx";

interface OutlineProps {
  session: string;
  turns: SessionResponse["turns"];
  margins: ReadonlyMap<number, Margin>;
  current: number | null;
  /** The text that the address looks for. */
  find: string;
}

/** All prompts of a session, to find one and to go there. */
export function Outline({ session, turns, margins, current, find }: OutlineProps) {
  const [wanted, setWanted] = useState(find);
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => {
    list.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
  }, [current]);
  const words = wanted.toLowerCase();
  const shown = turns.filter(
    ({ prompt, files }) =>
      prompt.toLowerCase().includes(words) || files.some(({ path }) => path.toLowerCase().includes(words)),
  );
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
          {shown.map(({ number, prompt, abandoned }) => {
            const { notes = [], decisions = [], commits = [] } = margins.get(number) ?? {};
            return (
              <li key={number}>
                <a
                  href={sessionLink(session, number)}
                  aria-current={number === current ? "true" : undefined}
                  class={abandoned ? "abandoned" : undefined}
                >
                  <span class="faint">{number}</span>
                  <span class="outline-prompt">{prompt.trim() || "(before the first prompt)"}</span>
                  {commits.length > 0 && <Icon name="commit" />}
                  {notes.length > 0 && <Icon name="note" />}
                  {decisions.length > 0 && <Icon name="decision" />}
                </a>
              </li>
            );
          })}
        </ol>
        {shown.length === 0 && <p class="faint">No prompt and no file fits.</p>}
        <Matches session={session} text={wanted} />
      </div>
    </nav>
  );
}
