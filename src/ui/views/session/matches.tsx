import { useAnswer } from "../../api/use-answer.ts";
import { Marked } from "../../components/marked.tsx";
import { counted } from "../../components/words.ts";
import { sessionLink } from "../../router.ts";

/** Shorter texts are everywhere. */
const shortest = 2;
const limit = 100;

/** Turns in which a text occurs in anything that was said or done, loaded or not. */
export function Matches({ session, text }: { session: string; text: string }) {
  const q = text.trim();
  const request = { q, session, in: "content", match: "exact", by: "turn", limit } as const;
  const { data, error } = useAnswer("searchTranscripts", q.length < shortest ? null : request);
  if (q.length < shortest) return null;
  if (error) return <p class="faint">{error.message}</p>;
  if (data === null) return null;
  const found = data.results.toSorted((a, b) => a.turn - b.turn);
  return (
    <section class="matches" aria-label="In what was said and done">
      <p class="faint" role="status">
        {data.total_results === 0
          ? "Nothing in what was said and done."
          : `In ${counted(data.total_results, "turn")}, in what was said and done:`}
      </p>
      <ol>
        {found.map(({ id, turn, snippet }) => (
          <li key={id}>
            <a href={sessionLink(session, turn, q)}>
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
