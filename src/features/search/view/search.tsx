import { useEffect, useMemo } from "preact/hooks";
import { isEverywhere } from "../../../page/api/place.ts";
import { project } from "../../../page/api/project.ts";
import { useAnswer } from "../../../page/api/use-answer.ts";
import { nothingKnown } from "../../../page/components/author-filter.ts";
import { FilterChips, Tabs } from "../../../page/components/chips.tsx";
import { Part } from "../../../page/components/layout.tsx";
import { listMarkedWords } from "../../../page/components/marked.tsx";
import { Failure, Loading, Together } from "../../../page/components/states.tsx";
import { formatCount } from "../../../page/components/words.ts";
import type { ViewProps } from "../../../page/router.ts";
import { linkTo } from "../../../page/router.ts";
import { describeCoverage, describeNothingYet } from "../../../protocol/reading/evidence.ts";
import type { Verdict } from "../../../protocol/values.ts";
import { answerCards } from "../../answer-cards.ts";
import { FoundEverywhere } from "./found-everywhere.tsx";
import { HitRow } from "./hit-row.tsx";
import { mergeFound, type PageHit, type SearchHits } from "./hits.ts";
import { buildRequest, parseQuestion, searchFilters } from "./question.ts";
import { PinButton, rememberSearch, Start } from "./start.tsx";
import "./search.css";

const scopes = [
  ["", "All"],
  ["code", "Code"],
  ["sessions", "Sessions"],
  ["history", "Commits"],
  ["content", "Word by word"],
] as const;

/** Keys that follow one another faster are one question; words that stand so long were meant. Milliseconds. */
const typedMs = 40;
const meantMs = 2000;

/** Results of the words in the address, with every key; before there are any, what to ask. */
export default function Search(props: ViewProps) {
  const words = props.query.get("q") ?? "";
  return isEverywhere() && words !== "" ? <FoundEverywhere words={words} /> : <FoundHere {...props} />;
}

function FoundHere({ query }: ViewProps) {
  const question = parseQuestion(query);
  const { words } = question;
  const request = buildRequest(question);
  const { data, error } = useAnswer("searchAll", request, { keepsFormer: true, typedMs });
  const found = useMemo(() => data && mergeFound(data), [data]);
  const isAnswered = words !== "" && data?.query === words;
  useEffect(() => {
    if (!isAnswered) return;
    const timer = setTimeout(() => rememberSearch(words), meantMs);
    return () => clearTimeout(timer);
  }, [isAnswered, words]);
  if (words === "") return <Start />;
  return (
    <>
      <h1 class="hidden">Search</h1>
      <div class="view-head">
        <Tabs
          label="What to search"
          tabs={scopes.map(([scope, label]) => ({
            href: linkTo("/search", { ...Object.fromEntries(query), in: scope }),
            label,
            isCurrent: (query.get("in") ?? "") === scope,
          }))}
        />
        <FilterChips filters={searchFilters(project.value ?? nothingKnown)} />
      </div>
      {request === null && (
        <p class="summary">
          No result can match all these filters: one is only for code, another only for sessions. Clear one of
          them.
        </p>
      )}
      {request !== null && error && <Failure error={error} />}
      {request !== null && !error && !found && <Loading />}
      {request !== null && !error && found && (
        <Results
          key={data?.query}
          found={found}
          words={data?.query ?? words}
          hasCards={query.size === 1}
          code={(data?.code?.verdict === "found" && found.hits.find(({ kind }) => kind === "code")) || null}
        />
      )}
    </>
  );
}

interface ResultsProps {
  found: SearchHits;
  words: string;
  /** Nothing is filtered. */
  hasCards: boolean;
  /** The code that it is about, if that is known. */
  code: PageHit | null;
}

function Results({ found, words, hasCards, code }: ResultsProps) {
  const { verdict, coverages, total, tookMs, notes } = found;
  const hits = hasCards ? found.hits.filter((hit) => hit !== code) : found.hits;
  const unread = coverages.map(total === 0 ? describeNothingYet : describeCoverage);
  const marked = listMarkedWords(words);
  return (
    <Together>
      <div class="view-head">
        <p class="count" role="status">
          {found.hits.length === 0 ? (
            unread.length === 0 && `Nothing found about “${words}”. Try other words, or clear the filters.`
          ) : (
            <>
              {verdicts[verdict]}
              {formatCount(total, "result")} <span class="took">in {Math.max(1, Math.round(tookMs))} ms</span>
            </>
          )}
        </p>
        <PinButton words={words} />
      </div>
      {[...unread, ...notes].map((note) => (
        <p key={note} class="summary">
          {note}
        </p>
      ))}
      {hasCards && (
        <div class="cards">
          {Object.entries(answerCards).map(([name, Card]) => (
            <Card key={name} words={words} />
          ))}
          {code !== null && (
            <Part as="panel" title="Code">
              <ul class="rows">
                <HitRow hit={code} words={marked} />
              </ul>
            </Part>
          )}
        </div>
      )}
      {hits.length > 0 && (
        <ul class="rows">
          {hits.map((hit) => (
            <HitRow key={hit.key} hit={hit} words={marked} />
          ))}
        </ul>
      )}
    </Together>
  );
}

const verdicts: Readonly<Record<Verdict, string>> = {
  found: "",
  maybe: "Maybe: these come closest. ",
  not_yet: "",
  probably_not_here: "Probably not here; these come closest. ",
};
