import { useAnswer, useChange } from "../../../page/api/use-answer.ts";
import { Badge } from "../../../page/components/badge.tsx";
import { Part, Table } from "../../../page/components/layout.tsx";
import { Failure, Loading, Refusal } from "../../../page/components/states.tsx";
import { Time } from "../../../page/components/time.tsx";
import { formatCount } from "../../../page/components/words.ts";
import type { ModelStatus, StatusResponse } from "../../status/operation.ts";
import type { QueueResponse } from "../operation.ts";
import { describeWaiting } from "../words.ts";

/** The models with what they have embedded, what is being worked on, and what failed. */
export function Work() {
  const status = useAnswer("status", {});
  const queue = useAnswer("queue", {});
  const error = status.error ?? queue.error;
  if (error) return <Failure error={error} onRetry={() => [status, queue].map(({ reload }) => reload())} />;
  if (status.data === null || queue.data === null) return <Loading />;
  return (
    <div class="work">
      <Models status={status.data} />
      <Queue queue={queue.data} />
      <LastJobs queue={queue.data} />
    </div>
  );
}

const stateLabels = {
  ready: ["good", "ready"],
  embedding: ["agent", "embedding"],
  waiting: ["unknown", "waiting"],
  unavailable: ["bad", "unavailable"],
} as const;

function Models({ status: { models, memory } }: { status: StatusResponse }) {
  const { llm } = memory;
  return (
    <Part as="panel" title="Models">
      <Table head={["For", "Model", "Embedded", "State"]}>
        {models.code.map((model) => (
          <Model key={model.id} use="code" model={model} />
        ))}
        {models.text.map((model) => (
          <Model key={model.id} use="sessions" model={model} />
        ))}
        <tr>
          <td>summaries</td>
          <td>{llm.model === "none" ? "none: summaries are extracts" : llm.model}</td>
          <td>
            {llm.model !== "none" &&
              `${formatCount(llm.tokens_today, "token")} today of ${llm.daily_tokens.toLocaleString("en")}`}
          </td>
          <td>{llm.problem !== null && <Badge tone="bad">{llm.problem}</Badge>}</td>
        </tr>
      </Table>
      {models.code.length + models.text.length === 0 && (
        <p class="nothing">No model: searches go by words and by the structure of code.</p>
      )}
    </Part>
  );
}

function Model({ use, model }: { use: string; model: ModelStatus }) {
  const {
    id,
    state,
    message,
    chunks_total: total,
    chunks_embedded: embedded,
    chunks_missing: missing,
  } = model;
  const [tone, name] = stateLabels[state];
  return (
    <tr>
      <td>{use}</td>
      <td>
        <span class="path">{id}</span>
      </td>
      <td>
        {embedded.toLocaleString("en")} of {formatCount(total, "chunk")}
        {missing > 0 && `, ${missing.toLocaleString("en")} by words only`}
      </td>
      <td>
        <Badge tone={tone} title={message ?? undefined}>
          {name}
        </Badge>
        {message !== null && <span class="faint"> {message}</span>}
      </td>
    </tr>
  );
}

function Queue({ queue }: { queue: QueueResponse }) {
  const retry = useChange("retry");
  const { pending, processing, eta_seconds, last_error, sessions } = queue;
  return (
    <Part as="panel" title="Queue">
      <p>
        {pending + sessions.pending + sessions.running.length === 0
          ? "Nothing to do: all that was seen is searchable."
          : `${formatCount(pending, "file")} and ${formatCount(sessions.pending, "job")} pending.`}
        {eta_seconds !== null &&
          eta_seconds > 0 &&
          ` About ${formatCount(Math.ceil(eta_seconds), "second")} left.`}
      </p>
      {processing !== null && (
        <p>
          Indexing <span class="path">{processing}</span>
        </p>
      )}
      {sessions.running.map(({ kind, subject, done, total, waits_for }) => (
        <p key={`${kind} ${subject}`}>
          <Badge tone="agent">{kind}</Badge> {subject} {total > 0 && `${Math.floor((100 * done) / total)} %`}
          {waits_for !== null && `, ${describeWaiting({ waits_for })}`}
        </p>
      ))}
      {last_error !== null && <p class="refusal">{last_error}</p>}
      {retry.error && <Refusal error={retry.error} />}
      {sessions.dead.length > 0 && (
        <>
          <h3>{formatCount(sessions.dead.length, "failed job")}</h3>
          <ul class="failed-jobs">
            {sessions.dead.map(({ id, kind, subject, attempts, error }) => (
              <li key={id}>
                <Badge tone="bad">{kind}</Badge> {subject}
                <span class="check-hint">
                  {error ?? "unknown reason"} ({formatCount(attempts, "attempt")})
                </span>
              </li>
            ))}
          </ul>
          <p class="dialog-buttons">
            <button type="button" disabled={retry.isRunning} onClick={() => void retry.run({ drop: true })}>
              Discard all
            </button>
            <button type="button" disabled={retry.isRunning} onClick={() => void retry.run({})}>
              Retry all
            </button>
          </p>
        </>
      )}
    </Part>
  );
}

/** How jobs end that were not done. */
const outcomeLabels = { done: null, dead: "failed", gone: "deleted before it was read" } as const;

function LastJobs({ queue: { recent, sessions } }: { queue: QueueResponse }) {
  const jobs = [
    ...recent.map(({ path, chunks, took_ms, at }) => ({
      kind: "index",
      subject: path,
      chunks,
      took_ms,
      at,
      end: null,
    })),
    ...sessions.recent.map(({ outcome, ...job }) => ({ ...job, end: outcomeLabels[outcome] })),
  ].sort((a, b) => b.at.localeCompare(a.at));
  return (
    <Part as="panel" title="Last jobs">
      {jobs.length === 0 && <p class="nothing">None since the daemon started.</p>}
      {jobs.length > 0 && (
        <Table head={["When", "What", "Of", "Took"]}>
          {jobs.map(({ kind, subject, took_ms, at, end }) => (
            <tr key={`${at} ${kind} ${subject}`}>
              <td>
                <Time at={at} />
              </td>
              <td>
                {kind} {end !== null && <Badge tone="bad">{end}</Badge>}
              </td>
              <td class="path">{subject}</td>
              <td>{Math.round(took_ms).toLocaleString("en")} ms</td>
            </tr>
          ))}
        </Table>
      )}
    </Part>
  );
}
