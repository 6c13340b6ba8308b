import { useAnswer } from "../../../page/api/use-answer.ts";
import { Worded } from "../../../page/components/document.tsx";
import { Part } from "../../../page/components/layout.tsx";
import { linkToMemory } from "../../../page/router.ts";
import { wordDecisions } from "../words.ts";

/** A decision that is told as an answer has about three of four of the question's words. */
const minScore = 0.7;
const maxShown = 2;

/** What was decided about something. */
export function DecidedCard({ words }: { words: string }) {
  const { data } = useAnswer("decisions", words === "" ? null : { q: words, limit: maxShown });
  const decisions = (data?.decisions ?? [])
    .filter(({ score }) => (score ?? 0) >= minScore)
    .map((decision) => ({ ...decision, score: null }));
  if (decisions.length === 0) return null;
  return (
    <Part as="panel" title="Decision">
      <Worded document={wordDecisions({ decisions, total: decisions.length }, "person")} />
      <a class="small-link" href={`${linkToMemory()}?${new URLSearchParams({ about: words })}`}>
        Decisions about it
      </a>
    </Part>
  );
}
