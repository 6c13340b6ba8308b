import type { ComponentChildren } from "preact";
import { placeShown, showPlace } from "../../../page/api/place.ts";
import { useAnswer } from "../../../page/api/use-answer.ts";
import { AskBox } from "../../../page/components/chips.tsx";
import { listMarkedWords } from "../../../page/components/marked.tsx";
import { ResultRow } from "../../../page/components/result-row.tsx";
import { Empty, Failure, Loading } from "../../../page/components/states.tsx";
import { Time } from "../../../page/components/time.tsx";
import { formatCount } from "../../../page/components/words.ts";
import type { ViewProps } from "../../../page/router.ts";
import { goTo, linkTo } from "../../../page/router.ts";
import { SessionRow } from "../../sessions/view/sessions.tsx";
import { HitRow } from "./hit-row.tsx";
import { type Hit, mergeFound } from "./hits.ts";

/** Sessions that are listed, and results of a search. */
const shownCounts = { sessions: 30, results: 20 } as const;
/** Keys that follow one another faster are one question. Milliseconds. */
const typedMs = 60;

/** All projects of this person: which there are, what happened last in any of them, and a search through all. */
export default function Everything({ query }: ViewProps) {
  const words = query.get("q") ?? "";
  const { data, error, reload } = useAnswer("projects", {});
  if (error) return <Failure error={error} onRetry={reload} />;
  if (data === null) return <Loading rows={8} />;
  const there = data.projects.filter(({ is_gone }) => !is_gone);
  const names = new Map(there.map(({ root, name }) => [root, name]));
  return (
    <>
      <div class="view-head">
        <h1>Everything</h1>
        <p class="count">
          {formatCount(data.totals.projects, "project")}, {formatCount(data.totals.sessions, "session")}
        </p>
      </div>
      <AskBox
        label="Search all projects"
        words={words}
        onWords={(asked) => goTo(linkTo("/everything", { q: asked }), { replace: true })}
      />
      {words === "" ? (
        <>
          <section class="part" aria-label="Projects">
            <RowsOf roots={there.map(({ root }) => root)}>
              {there.map(({ id, name, root, remote, sessions, last_used_at }) => (
                <ResultRow
                  key={id}
                  href={linkTo("/")}
                  icon="pommel"
                  kind="Project"
                  title={name}
                  meta={
                    <>
                      <span class="path">{remote ?? root}</span>
                      {sessions !== null && <span>{formatCount(sessions, "session")}</span>}
                      <Time at={last_used_at} />
                    </>
                  }
                />
              ))}
            </RowsOf>
          </section>
          <LatestOfAll names={names} />
        </>
      ) : (
        <FoundInAll words={words} names={names} />
      )}
    </>
  );
}

/** Rows of several projects: each leads into its own, whichever is shown. @param roots row by row */
function RowsOf({ roots, children }: { roots: readonly string[]; children: ComponentChildren }) {
  return (
    <ul
      class="rows"
      onClickCapture={(event) => {
        const row = event.target instanceof Element ? event.target.closest("li") : null;
        const root = row === null ? undefined : roots[[...event.currentTarget.children].indexOf(row)];
        const link = row?.querySelector<HTMLAnchorElement>("a[data-row]");
        if (root === undefined || root === placeShown() || !link) return;
        event.preventDefault();
        showPlace(root);
        goTo(link.hash);
        location.reload();
      }}
    >
      {children}
    </ul>
  );
}

function LatestOfAll({ names }: { names: ReadonlyMap<string, string> }) {
  const { data, error, reload } = useAnswer("sessionsEverywhere", { limit: shownCounts.sessions });
  if (error) return <Failure error={error} onRetry={reload} />;
  if (data === null) return <Loading rows={8} />;
  if (data.sessions.length === 0) return null;
  return (
    <section class="part" aria-label="Latest sessions of all projects">
      <h2>Latest sessions</h2>
      <RowsOf roots={data.sessions.map(({ project }) => project)}>
        {data.sessions.map((session) => (
          <SessionRow
            key={`${session.project} ${session.id}`}
            session={session}
            of={names.size > 1 ? names.get(session.project) : undefined}
          />
        ))}
      </RowsOf>
    </section>
  );
}

function FoundInAll({ words, names }: { words: string; names: ReadonlyMap<string, string> }) {
  const { data, error } = useAnswer(
    "searchEverywhere",
    { q: words, limit: shownCounts.results, asks: ["code", "transcripts", "history"] },
    typedMs,
  );
  if (error) return <Failure error={error} />;
  if (data === null) return <Loading />;
  const { code, transcripts, history, projects } = data;
  const found = projects
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
      {found.map(({ root, hits }) => (
        <section key={root} class="part" aria-label={names.get(root) ?? root}>
          <h2>{names.get(root) ?? root}</h2>
          <RowsOf roots={hits.map(() => root)}>
            {hits.map((hit) => (
              <HitRow key={hit.key} hit={hit} words={listMarkedWords(words)} />
            ))}
          </RowsOf>
        </section>
      ))}
    </>
  );
}

const getBestLikelihood = ([first]: readonly Hit[]) => first?.likely ?? 0;
