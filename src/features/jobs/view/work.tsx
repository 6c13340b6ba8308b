import { formatDuration } from "../../../base/text/duration.ts";
import { useAnswer, useChange } from "../../../page/api/use-answer.ts";
import { Badge } from "../../../page/components/badge.tsx";
import { Worded } from "../../../page/components/document.tsx";
import { Part, Table } from "../../../page/components/layout.tsx";
import { Failure, Loading, Refusal } from "../../../page/components/states.tsx";
import { formatCount } from "../../../page/components/words.ts";
import type { ModelStatus, StatusResponse } from "../../status/operation.ts";
import type { QueueResponse } from "../operation.ts";
import { wordQueue } from "../words.ts";

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
        <p class="nothing">No model: searches use words and the structure of code.</p>
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
      {pending > 0 && (
        <p>
          {formatCount(pending, "file")} to index
          {eta_seconds !== null && eta_seconds > 0 && `, about ${formatDuration(eta_seconds * 1000)} left`}.
        </p>
      )}
      {processing !== null && (
        <p>
          Indexing <span class="path">{processing}</span>
        </p>
      )}
      {last_error !== null && <p class="refusal">{last_error}</p>}
      <Worded document={wordQueue({ ...sessions, daemon_running: true })} />
      {retry.error && <Refusal error={retry.error} />}
      {sessions.dead.length > 0 && (
        <p class="dialog-buttons">
          <button type="button" disabled={retry.isRunning} onClick={() => void retry.run({ drop: true })}>
            Discard {formatCount(sessions.dead.length, "failed job")}
          </button>
          <button type="button" disabled={retry.isRunning} onClick={() => void retry.run({})}>
            Retry {formatCount(sessions.dead.length, "failed job")}
          </button>
        </p>
      )}
    </Part>
  );
}
