import { useAnswer } from "../../../page/api/use-answer.ts";
import { Badge } from "../../../page/components/badge.tsx";
import { Part } from "../../../page/components/layout.tsx";
import { Inline } from "../../../page/components/marked.tsx";
import { Time } from "../../../page/components/time.tsx";
import { linkTo, linkToSession } from "../../../page/router.ts";
import type { SpokenRule } from "../operation.ts";
import { describeOutcome, followedWords, spokeWords } from "../words.ts";

/** Entries that are listed. */
const shownSpoken = 5;

/** What rules said to agents within the hour; nothing where they said nothing. */
export function SpokenNow() {
  const { data } = useAnswer("rulesSpoken", { since: "1h" });
  const spoken = data?.spoken ?? [];
  if (spoken.length === 0) return null;
  return (
    <Part title={`Rules that applied in the last hour (${spoken.length})`}>
      <ul class="items">
        {spoken.slice(0, shownSpoken).map((one) => (
          <li key={`${one.session_id} ${one.at} ${one.rule}`}>
            <a
              data-row
              href={
                one.turn === null
                  ? linkTo(`/session/${encodeURIComponent(one.session_id)}`)
                  : linkToSession(one.session_id, one.turn)
              }
            >
              {spokeWords[one.mode]}: <Inline text={one.text} />
              <span class="row-meta">
                <Time at={one.at} />
                <Came of={one} />
              </span>
            </a>
          </li>
        ))}
      </ul>
    </Part>
  );
}

/** What it was about, and what came of it, as far as that is known. */
function Came({ of }: { of: SpokenRule }) {
  return (
    <>
      {of.what !== null && (
        <span>
          <code>{of.what.trim()}</code>
        </span>
      )}
      {of.outcome !== "unknown" && (
        <span>
          <Inline text={describeOutcome(of)} />
        </span>
      )}
    </>
  );
}

/** What rules said in a turn. */
export function SpokenInTurn({ session, turn }: { session: string; turn: number }) {
  const { data } = useAnswer("rulesSpoken", { session });
  const spoken = (data?.spoken ?? []).filter((one) => one.turn === turn);
  return (
    <>
      {spoken.map((one) => (
        <div key={`${one.at} ${one.rule}`}>
          <Badge tone={one.was_followed === false ? "warning" : "human"}>{spokeWords[one.mode]}</Badge>
          <p>
            <Inline text={one.text} />
          </p>
          <p class="row-meta">
            <Came of={one} />
          </p>
        </div>
      ))}
    </>
  );
}

/** Rules that a session broke. */
export function BrokenRules({ session }: { session: string }) {
  const { data } = useAnswer("rulesSpoken", { session });
  const broken = (data?.spoken ?? []).filter(({ was_followed }) => was_followed === false);
  return (
    <>
      {broken.map((one) => (
        <p key={`${one.at} ${one.rule}`} class="row-meta">
          <Badge tone="warning">{followedWords.no}</Badge>
          <a href={linkToSession(session, one.turn ?? undefined)}>
            <q>
              <Inline text={one.text} />
            </q>
          </a>
          <Came of={one} />
        </p>
      ))}
    </>
  );
}
