import { useAnswer } from "../../api/use-answer.ts";
import { Badge } from "../../components/badge.tsx";
import { Inline } from "../../components/marked.tsx";
import { Failure, Loading } from "../../components/states.tsx";

const marks = { ok: ["good", "ok"], warn: ["warning", "warning"], fail: ["bad", "problem"] } as const;
const order = ["fail", "warn", "ok"] as const;

/** What `pm doctor` checks, problems first, each with what to do. */
export function Checks() {
  const { data, error, reload } = useAnswer("doctor", {});
  if (error) return <Failure error={error} onRetry={reload} />;
  if (data === null) return <Loading rows={10} />;
  const found = (status: keyof typeof marks) => data.checks.filter((check) => check.status === status);
  const [failed, warned] = [found("fail").length, found("warn").length];
  return (
    <>
      <div class="view-head">
        <p class={`health ${failed > 0 ? "bad" : warned > 0 ? "warning" : "good"}`}>
          {failed + warned === 0
            ? "All checks passed"
            : `${failed} of ${data.checks.length} checks failed, ${warned} with a warning`}
        </p>
        <button type="button" onClick={reload}>
          Check again
        </button>
      </div>
      <ul class="rows">
        {order.flatMap(found).map(({ name, status, message, hint }) => (
          <li key={name} class="row check">
            <Badge tone={marks[status][0]}>{marks[status][1]}</Badge>
            <span class="check-name">{name}</span>
            <span class="check-message">
              <Inline text={message} />
              {hint !== "" && (
                <span class="check-hint">
                  <Inline text={hint} />
                </span>
              )}
            </span>
          </li>
        ))}
      </ul>
      <p class="more">As the daemon sees it: its environment is that of the shell that started it.</p>
    </>
  );
}
