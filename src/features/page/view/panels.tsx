import type { ComponentChildren } from "preact";
import { type Answer, useAnswer } from "../../../page/api/use-answer.ts";
import { Inline } from "../../../page/components/marked.tsx";
import { Failure, Loading } from "../../../page/components/states.tsx";
import { Time } from "../../../page/components/time.tsx";
import { formatByteCount, formatCount, momentOf, nameSession } from "../../../page/components/words.ts";
import { linkTo, linkToDecision, linkToMemory, linkToSession } from "../../../page/router.ts";
import type { SessionSummary } from "../../sessions/operation.ts";
import { describeOpenEnd } from "../../sessions/session-words.ts";
import type { StatusResponse } from "../../status/operation.ts";
import { listUnfinished } from "../../status/words.ts";

function Panel<T>({
  title,
  answer,
  children,
}: {
  title: string;
  answer: Answer<T>;
  children: (data: T) => ComponentChildren;
}) {
  return (
    <section class="panel" aria-label={title}>
      <h2>{title}</h2>
      {answer.error && <Failure error={answer.error} onRetry={answer.reload} />}
      {!answer.error && (answer.data ? children(answer.data) : <Loading rows={2} />)}
    </section>
  );
}

/** The latest decisions that no later one contradicts; nothing at all where there are none. */
export function Decisions() {
  const answer = useAnswer("decisions", { limit: 20 });
  const inForce = answer.data?.decisions.filter(({ superseded_by }) => superseded_by === null).slice(0, 6);
  if (!answer.error && !inForce?.length) return null;
  return (
    <Panel title="Decisions in force" answer={answer}>
      {() => (
        <ul class="items">
          {inForce?.map((decision) => (
            <li key={`${decision.session_id} ${decision.place} ${decision.text}`}>
              <a data-row href={linkToDecision(decision) ?? linkToMemory()}>
                <span class="quote">
                  <Inline text={decision.text} />
                </span>
                <span class="row-meta">
                  <Time at={decision.timestamp} />
                  {decision.session_title !== null && (
                    <span>
                      <Inline text={decision.session_title} />
                    </span>
                  )}
                  {decision.place !== null && <span>{decision.place}</span>}
                </span>
              </a>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

/** Sessions whose last turn has no proper end, the latest first; nothing at all where there are none. */
export function Unfinished({ sessions }: { sessions: readonly SessionSummary[] }) {
  const open = sessions.flatMap((session) => {
    const end = describeOpenEnd(session);
    return end === null ? [] : [{ session, end }];
  });
  if (open.length === 0) return null;
  return (
    <section class="panel" aria-label="Unfinished">
      <h2>Unfinished</h2>
      <ul class="items">
        {open.slice(0, 5).map(({ session: { id, title, branch, last_at }, end }) => (
          <li key={id}>
            <a data-row href={linkToSession(id)}>
              <span class="quote">
                <Inline text={nameSession(id, title)} />
              </span>
              <span class="row-meta">
                <Time at={last_at} />
                <span>{end}</span>
                {branch !== null && <span class="path">{branch}</span>}
              </span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Errors that several sessions met; nothing at all where there are none. */
export function RecurringErrors() {
  const answer = useAnswer("stats", {});
  const errors = answer.data?.recurring_errors ?? [];
  if (errors.length === 0) return null;
  return (
    <Panel title="Errors that keep coming back" answer={answer}>
      {() => (
        <ul class="items">
          {errors.slice(0, 4).map(({ error, command, times, sessions, last_at }) => (
            <li key={`${command} ${error}`}>
              <a data-row href={linkTo("/search", { q: error.split("\n", 1)[0], in: "content" })}>
                <code class="quote">{error}</code>
                <span class="row-meta">
                  <Time at={last_at} />
                  <span class="path">{command}</span>
                  <span>
                    {formatCount(times, "time")} in {formatCount(sessions, "session")}
                  </span>
                </span>
              </a>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

/** What agents were told automatically; nothing at all where that is nothing. */
export function Context() {
  const answer = useAnswer("injections", { limit: 5 });
  if (!answer.error && !answer.data?.injections.length) return null;
  return (
    <Panel title="Given to agents" answer={answer}>
      {({ injections }) => (
        <ul class="items">
          {injections.map(({ session_id, session_title, event, at, tokens, items }) => (
            <li key={`${session_id} ${at}`}>
              <a data-row href={linkToSession(session_id)}>
                <span class="quote">
                  {items.map(({ about, ref }) => about ?? ref).join("; ") || "Where things stand"}
                </span>
                <span class="row-meta">
                  <Time at={at} />
                  <span>{momentOf[event]}</span>
                  <span>{formatCount(tokens, "token")}</span>
                  <span>
                    <Inline text={nameSession(session_id, session_title)} />
                  </span>
                </span>
              </a>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

/** Whether all is well, and how much is known. */
export function Health() {
  return (
    <Panel title="Health" answer={useAnswer("status", {})}>
      {(status) => {
        const { health, index, queue, memory, notes, storage } = status;
        const unfinished = listUnfinished(status);
        const problems = [memory.problem, memory.llm.problem, ...notes].filter((one) => one !== null);
        const isSound = health.status === "healthy" && problems.length === 0 && memory.jobs.dead.length === 0;
        return (
          <>
            <p class={`health ${isSound ? "good" : health.status === "failing" ? "bad" : "warning"}`}>
              {!isSound
                ? (stateOf[health.status] ?? "Something needs attention")
                : unfinished.length === 0
                  ? "All is well"
                  : "Works, and is not finished:"}
            </p>
            {unfinished.map((one) => (
              <p key={one}>{one}</p>
            ))}
            {problems.map((problem) => (
              <p key={problem} class="problem">
                <Inline text={problem} />
              </p>
            ))}
            <dl class="figures">
              <Figure name="Files" value={index.total_files} />
              <Figure name="Sessions" value={memory.sessions} />
              <Figure name="Turns" value={memory.turns} />
              <Figure name="Commits" value={memory.commits} />
              <Figure name="Pending" value={queue.pending + memory.jobs.pending} />
              <Figure name="Failed" value={memory.jobs.dead.length} />
              <Figure name="Index" value={formatByteCount(storage.index_bytes)} />
              <Figure name="Memory" value={formatByteCount(memory.bytes)} />
            </dl>
          </>
        );
      }}
    </Panel>
  );
}

const stateOf: Partial<Record<StatusResponse["health"]["status"], string>> = {
  degraded: "Search works, but a configured model does not",
  empty: "Nothing is indexed yet",
  failing: "The index cannot be read",
};

function Figure({ name, value }: { name: string; value: number | string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{typeof value === "number" ? value.toLocaleString("en") : value}</dd>
    </div>
  );
}
