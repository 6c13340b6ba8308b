import { useState } from "preact/hooks";
import { useAnswer } from "../../../page/api/use-answer.ts";
import { Badge } from "../../../page/components/badge.tsx";
import { PartTabs } from "../../../page/components/chips.tsx";
import { Inline } from "../../../page/components/marked.tsx";
import { Failure, Loading } from "../../../page/components/states.tsx";
import { Time } from "../../../page/components/time.tsx";
import type { ViewProps } from "../../../page/router.ts";
import { AllSettings } from "./all-settings.tsx";
import { Browsers } from "./browsers.tsx";
import "./settings.css";
import { workParts } from "../../page-parts.ts";

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

const markTones = { ok: ["good", "ok"], warn: ["warning", "warning"], fail: ["bad", "problem"] } as const;
const order = ["fail", "warn", "ok"] as const;

/** What is being checked is asked for again after so long. Milliseconds. */
const checkAgainMs = 1500;

/** What `pm doctor` checks, problems first, each with what to do. */
export function Checks() {
  const [isChecking, setChecking] = useState(true);
  const { data, error, reload } = useAnswer("doctor", {}, isChecking ? { everyMs: checkAgainMs } : {});
  if (data !== null && data.is_checking !== isChecking) setChecking(data.is_checking);
  if (error) return <Failure error={error} onRetry={reload} />;
  if (data === null || data.as_of === null) return <Loading rows={10} />;
  const found = (status: keyof typeof markTones) => data.checks.filter((check) => check.status === status);
  const [failed, warned] = [found("fail").length, found("warn").length];
  return (
    <>
      <div class="view-head">
        <p class={`health ${failed > 0 ? "bad" : warned > 0 ? "warning" : "good"}`}>
          {failed + warned === 0
            ? "All checks passed"
            : `${failed} of ${data.checks.length} checks failed, ${warned} with a warning`}
        </p>
        <p class="faint">
          <Time at={data.as_of} />
        </p>
        <button type="button" onClick={reload} disabled={isChecking}>
          {isChecking ? "Checking again …" : "Check again"}
        </button>
      </div>
      <ul class="rows">
        {order.flatMap(found).map(({ name, status, message, hint }) => (
          <li key={name} class="row check">
            <Badge tone={markTones[status][0]}>{markTones[status][1]}</Badge>
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
      <p class="more">
        These are the values that the daemon uses. Its environment is that of the shell that started it.
      </p>
    </>
  );
}

const parts = [
  ["", "Settings"],
  ["health", "Health"],
  ["work", "Models and queue"],
  ["browsers", "Browsers"],
  ["log", "Log"],
] as const;

/** How Pommel is set up, and whether all is well. */
export default function Settings({ rest: part, query }: ViewProps) {
  return (
    <div class="settings">
      <h1 class="hidden">Settings and health</h1>
      <PartTabs label="Parts of the settings" view="settings" parts={parts} current={part} />
      {part === "" && <AllSettings query={query} />}
      {part === "health" && <Checks />}
      {part === "work" && Object.entries(workParts).map(([name, Part]) => <Part key={name} />)}
      {part === "browsers" && <Browsers />}
      {part === "log" && <Log />}
    </div>
  );
}
