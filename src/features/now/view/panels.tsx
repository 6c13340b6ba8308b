import type { ComponentChildren } from "preact";
import { type UsedAnswer, useAnswer } from "../../../page/api/use-answer.ts";
import { Part } from "../../../page/components/layout.tsx";
import { Inline } from "../../../page/components/marked.tsx";
import { Failure, Loading } from "../../../page/components/states.tsx";
import { Time } from "../../../page/components/time.tsx";
import { formatBytes } from "../../../page/components/words.ts";
import { linkToDecision, linkToMemory } from "../../../page/router.ts";
import type { StatusResponse } from "../../status/operation.ts";
import { listUnfinished } from "../../status/words.ts";

type PanelProps<T> = { title: string; answer: UsedAnswer<T>; children: (data: T) => ComponentChildren };

function Panel<T>({ title, answer, children }: PanelProps<T>) {
  return (
    <Part as="panel" title={title}>
      {answer.error && <Failure error={answer.error} onRetry={answer.reload} />}
      {!answer.error && (answer.data ? children(answer.data) : <Loading rows={2} />)}
    </Part>
  );
}

/** The latest decisions that no later one contradicts; nothing at all where there are none. */
export function Decisions() {
  const answer = useAnswer("decisions", { limit: 20 });
  const inForce = answer.data?.decisions.filter(({ superseded_by }) => superseded_by === null).slice(0, 6);
  if (!answer.error && !inForce?.length) return null;
  return (
    <Panel title="Current decisions" answer={answer}>
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

/** Whether all is well, and how much is known. */
export function Health() {
  return (
    <Panel title="Status" answer={useAnswer("status", {})}>
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
                  : "Working, but not finished:"}
            </p>
            {unfinished.map((one) => (
              <p key={one}>{one}</p>
            ))}
            {problems.map((problem) => (
              <p key={problem} class="faint">
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
              <Figure name="Index" value={formatBytes(storage.index_bytes)} />
              <Figure name="Memory" value={formatBytes(memory.bytes)} />
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
