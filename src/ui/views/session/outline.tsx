import { useEffect, useRef, useState } from "preact/hooks";
import type { SessionResponse } from "../../../protocol/operations/sessions.ts";
import type { Margin } from "../../../protocol/reading/margin.ts";
import { Icon } from "../../components/icon.tsx";
import { sessionLink } from "../../router.ts";

interface OutlineProps {
  session: string;
  turns: SessionResponse["turns"];
  margins: ReadonlyMap<number, Margin>;
  current: number | null;
}

/** All prompts of a session, to find one and to go there. */
export function Outline({ session, turns, margins, current }: OutlineProps) {
  const [wanted, setWanted] = useState("");
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
        aria-label="Find a turn by its prompt or a file"
        placeholder="Find a turn"
        value={wanted}
        onInput={(event) => setWanted(event.currentTarget.value)}
      />
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
      {shown.length === 0 && <p class="faint">No turn fits.</p>}
    </nav>
  );
}
