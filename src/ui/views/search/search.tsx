import type { Verdict } from "../../../protocol/values.ts";
import { project } from "../../api/project.ts";
import { FilterChips } from "../../components/chips.tsx";
import { wordsOf } from "../../components/marked.tsx";
import { Empty, Failure, Loading } from "../../components/states.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { counted } from "../../components/words.ts";
import { linkTo } from "../../router.ts";
import type { ViewProps } from "../../views.ts";
import { HitRow } from "./hit-row.tsx";
import type { Found } from "./hits.ts";
import { nothingKnown, questionIn, searchFilters } from "./question.ts";
import { useSearch } from "./use-search.ts";
import "./search.css";

const scopes = [
  ["", "All"],
  ["code", "Code"],
  ["sessions", "Sessions"],
  ["history", "Commits"],
  ["content", "Word by word"],
] as const;

/** Results of the words in the address, with every key. */
export default function Search({ query }: ViewProps) {
  const question = questionIn(query);
  const { words, found, error } = useSearch(question);
  const filters = searchFilters(project.value ?? nothingKnown);
  return (
    <>
      <h1 class="hidden">Search</h1>
      <div class="view-head">
        <Tabs
          label="Where to search"
          tabs={scopes.map(([scope, label]) => ({
            href: linkTo("/search", { ...Object.fromEntries(query), in: scope }),
            label,
            isCurrent: (query.get("in") ?? "") === scope,
          }))}
        />
        <FilterChips filters={filters} />
      </div>
      {question.words === "" && <Start />}
      {question.words !== "" && error && <Failure error={error} />}
      {question.words !== "" && !error && !found && <Loading />}
      {question.words !== "" && found && <Results found={found} words={words} />}
    </>
  );
}

function Results({ found, words }: { found: Found; words: string }) {
  const { verdict, hits, total, tookMs, notes } = found;
  const marked = wordsOf(words);
  return (
    <>
      <p class="summary" role="status">
        {hits.length === 0
          ? `Nothing found about “${words}”.`
          : `${verdicts[verdict]}${counted(total, "result")} in ${Math.max(1, Math.round(tookMs))} ms`}
      </p>
      {notes.map((note) => (
        <p key={note} class="summary">
          {note}
        </p>
      ))}
      {hits.length > 0 && (
        <ul class="rows">
          {hits.map((hit) => (
            <HitRow key={hit.key} hit={hit} words={marked} />
          ))}
        </ul>
      )}
    </>
  );
}

const verdicts: Readonly<Record<Verdict, string>> = {
  found: "",
  maybe: "Maybe: these come closest. ",
  probably_not_here: "Probably not here; these come closest. ",
};

function Start() {
  return (
    <Empty title="Search code, sessions and commits">
      <p>Ask for what code does, a name, an error message, or what was decided and why.</p>
      <p>
        <kbd>/</kbd> search, <kbd>↓</kbd> next result, <kbd>Enter</kbd> open, <kbd>o</kbd> open in the editor
      </p>
    </Empty>
  );
}
