import { useEffect, useRef, useState } from "preact/hooks";
import { useAnswer } from "../../../page/api/use-answer.ts";
import { Icon } from "../../../page/components/icon.tsx";
import { SmallButton } from "../../../page/components/layout.tsx";
import { Inline, Marked } from "../../../page/components/marked.tsx";
import { formatCount } from "../../../page/components/words.ts";
import { namePrompt } from "../../../protocol/reading/names.ts";
import type { SessionResponse } from "../operation.ts";
import { describeTurnActivity, type Margin } from "../turn-words.ts";

interface OutlineProps {
  session: string;
  turns: SessionResponse["turns"];
  margins: ReadonlyMap<number, Margin>;
  current: number | null;
  /** The text that the address looks for. */
  find: string;
  linkTo: (turn: number, find?: string) => string;
}

/** A session may have thousands of turns: so many around the current one are listed at first. */
const listedTurns = 200;
const listedBefore = 50;

/** All prompts of a session, to find one and to go there. */
export function Outline({ session, turns, margins, current, find, linkTo }: OutlineProps) {
  const [wanted, setWanted] = useState(find);
  const list = useRef<HTMLOListElement>(null);
  /** The match that the reader was led to, by its place among them. */
  const found = useRef(-1);
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
  const start = Math.max(0, Math.min(at - listedBefore, shown.length - listedTurns));
  const near = isWhole ? shown : shown.slice(start, start + listedTurns);
  return (
    <nav class="outline" aria-label="Turns">
      <input
        class="chip"
        type="search"
        data-find
        aria-label="Find in this session"
        placeholder="Find in this session (f)"
        value={wanted}
        onInput={(event) => {
          setWanted(event.currentTarget.value);
          found.current = -1;
        }}
        onKeyDown={({ key, shiftKey, currentTarget }) => {
          if (key === "Escape") currentTarget.blur();
          if (key !== "Enter") return;
          const all = currentTarget.parentElement!.querySelectorAll<HTMLElement>(".matches a");
          found.current = (found.current + (shiftKey ? -1 : 1) + all.length) % Math.max(1, all.length);
          all[found.current]?.click();
        }}
      />
      <div class="outline-lists">
        <ol ref={list}>
          {near.map((turn) => {
            const { number, prompt, abandoned } = turn;
            const { notes = [], decisions = [], commits = [] } = margins.get(number) ?? {};
            return (
              <li key={number}>
                <a
                  href={linkTo(number)}
                  aria-current={number === current ? "true" : undefined}
                  class={abandoned ? "abandoned" : undefined}
                >
                  <span class="faint">{number}</span>
                  <span class="outline-prompt">
                    <Inline text={namePrompt(number, prompt.trim())} />
                    <span class="deeds">
                      {[...describeTurnActivity(turn), ...(commits.length > 0 ? ["committed"] : [])].join(
                        " · ",
                      )}
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
          <SmallButton onClick={() => setWhole(true)}>
            List all {formatCount(shown.length, "turn")}
          </SmallButton>
        )}
        {shown.length === 0 && <p class="faint">No prompt and no file matches.</p>}
        <Matches session={session} text={wanted} linkTo={linkTo} />
      </div>
    </nav>
  );
}

/** Shorter texts are everywhere. */
const minQueryChars = 2;
const maxFound = 100;

/** Turns in which a text occurs in anything that was said or done, loaded or not. */
function Matches({ session, text, linkTo }: Pick<OutlineProps, "session" | "linkTo"> & { text: string }) {
  const q = text.trim();
  const request = { q, session, in: "content", match: "exact", by: "turn", limit: maxFound } as const;
  const { data, error } = useAnswer("searchTranscripts", q.length < minQueryChars ? null : request, {
    keepsFormer: true,
  });
  if (q.length < minQueryChars) return null;
  if (error) return <p class="faint">{error.message}</p>;
  if (data === null) return null;
  const found = data.results.toSorted((a, b) => a.turn - b.turn);
  return (
    <section class="matches" aria-label="In what was said and done">
      <p class="faint" role="status">
        {data.total_results === 0
          ? "Not found in any turn."
          : `Found in ${formatCount(data.total_results, "turn")}:`}
      </p>
      <ol>
        {found.map(({ id, turn, snippet }) => (
          <li key={id}>
            <a href={linkTo(turn, q)}>
              <span class="faint">{turn}</span>
              <span class="match-text">
                <Marked text={snippet} words={[q]} />
              </span>
            </a>
          </li>
        ))}
      </ol>
    </section>
  );
}
