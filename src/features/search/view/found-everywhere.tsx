import { projects } from "../../../page/api/project.ts";
import { useAnswer } from "../../../page/api/use-answer.ts";
import { listMarkedWords } from "../../../page/components/marked.tsx";
import { Empty, Failure, Loading } from "../../../page/components/states.tsx";
import { linkInto } from "../../../page/router.ts";
import { HitRow } from "./hit-row.tsx";
import { mergeFound, type PageHit } from "./hits.ts";

/** Results of a search. */
const shownResults = 20;
/** Keys that follow one another faster are one question. Milliseconds. */
const typedMs = 60;

/** What all projects have about some words. */
export function FoundEverywhere({ words }: { words: string }) {
  const names = new Map(projects.value.map(({ root, name }) => [root, name]));
  const { data, error } = useAnswer(
    "searchEverywhere",
    { q: words, limit: shownResults, asks: ["code", "transcripts", "history"] },
    { keepsFormer: true, typedMs },
  );
  if (error) return <Failure error={error} />;
  if (data === null) return <Loading />;
  const { code, transcripts, history } = data;
  const found = data.projects
    .map((root) => {
      const only = <S extends { results: { project: string }[] }>(side: S | null): S | null =>
        side && { ...side, results: side.results.filter(({ project }) => project === root) };
      const sides = { code: only(code), transcripts: only(transcripts), history: only(history) };
      return { root, hits: mergeFound({ ...sides, verdict: "found", notes: [] }).hits };
    })
    .filter(({ hits }) => hits.length > 0)
    .sort((a, b) => getBestLikelihood(b.hits) - getBestLikelihood(a.hits));
  if (found.length === 0)
    return (
      <Empty title="Nothing found">
        <p>No project has anything about “{words}”.</p>
      </Empty>
    );
  return (
    <>
      <h1 class="hidden">Search</h1>
      {found.map(({ root, hits }) => (
        <section key={root} class="part" aria-label={names.get(root) ?? root}>
          <h2>{names.get(root) ?? root}</h2>
          <ul class="rows">
            {hits.map((hit) => (
              <HitRow
                key={hit.key}
                hit={{ ...hit, href: linkInto(root, hit.href) }}
                words={listMarkedWords(words)}
              />
            ))}
          </ul>
        </section>
      ))}
    </>
  );
}

const getBestLikelihood = ([first]: readonly PageHit[]) => first?.likely ?? 0;
