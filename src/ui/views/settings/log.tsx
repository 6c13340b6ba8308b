import { useAnswer } from "../../api/use-answer.ts";
import { Badge } from "../../components/badge.tsx";
import { Failure, Loading } from "../../components/states.tsx";

const lines = 200;
const tones = { debug: "unknown", info: "plain", warn: "warning", error: "bad", stderr: "bad" } as const;

/** The last entries of the daemon's log, the latest first. */
export function Log() {
  const { data, error, reload } = useAnswer("log", { lines });
  if (error) return <Failure error={error} onRetry={reload} />;
  if (data === null) return <Loading rows={10} />;
  return (
    <>
      <div class="view-head">
        <p class="count">
          The last {data.entries.length} entries. <code>pm daemon logs --follow</code> shows new ones.
        </p>
        <button type="button" onClick={reload}>
          Read again
        </button>
      </div>
      {data.entries.length === 0 && <p class="nothing">The log is empty.</p>}
      <ol class="rows log" hidden={data.entries.length === 0}>
        {data.entries.toReversed().map(({ at, level, text }, i) => (
          <li key={`${at} ${i}`} class="row">
            <time dateTime={at}>{new Date(at).toLocaleString("sv-SE")}</time>
            <Badge tone={tones[level]}>{level}</Badge>
            <span class="log-text">{text}</span>
          </li>
        ))}
      </ol>
    </>
  );
}
