import { useAnswer } from "../../../page/api/use-answer.ts";
import { AskBox } from "../../../page/components/chips.tsx";
import { Command, Diff } from "../../../page/components/code-lines.tsx";
import { Table } from "../../../page/components/layout.tsx";
import { Empty, Failure, Loading } from "../../../page/components/states.tsx";
import { Moment, Time } from "../../../page/components/time.tsx";
import { formatCount } from "../../../page/components/words.ts";
import type { ViewProps } from "../../../page/router.ts";
import { goTo, linkTo, linkToCommit, linkToSession } from "../../../page/router.ts";

/** Keys that follow one another faster are one question. Milliseconds. */
const typedMs = 150;

/** How things are run here, what fixed an error, and which errors keep coming back. */
export default function Commands({ query }: ViewProps) {
  const q = query.get("q") ?? "";
  return (
    <>
      <div class="view-head">
        <h1>Commands</h1>
      </div>
      <AskBox
        label="What to run, or an error"
        words={q}
        onWords={(words) => goTo(linkTo("/commands", { q: words }), { replace: true })}
      />
      {q === "" ? <Recurring /> : <Answers q={q} />}
    </>
  );
}

function Answers({ q }: { q: string }) {
  const how = useAnswer("how", { q }, typedMs);
  const fix = useAnswer("fix", { error: q }, typedMs);
  const failed = how.error ?? fix.error;
  if (failed) return <Failure error={failed} onRetry={how.reload} />;
  if (how.data === null || fix.data === null) return <Loading />;
  const { commands } = how.data;
  const { errors } = fix.data;
  if (commands.length === 0 && errors.length === 0)
    return (
      <Empty title="Agents ran nothing like it here">
        <p>Nor did they meet this error.</p>
      </Empty>
    );
  return (
    <>
      {commands.length > 0 && (
        <section class="part" aria-label="What worked">
          <h2>{how.data.verdict === "maybe" ? "Maybe this worked" : "What worked"}</h2>
          {commands.map(({ line, directory, worked, last_at, session_id, turn, failed_before }) => (
            <article key={`${directory} ${line}`}>
              <Command line={line} />
              <p class="row-meta">
                {directory !== "" && <span class="path">{directory}</span>}
                <span>worked {formatCount(worked, "time")}</span>
                <a href={linkToSession(session_id, turn)}>
                  last <Moment at={last_at} />
                </a>
                {failed_before.map((before) => (
                  <span key={before.line} title={before.error}>
                    instead of <code>{before.line}</code>
                  </span>
                ))}
              </p>
            </article>
          ))}
        </section>
      )}
      {errors.length > 0 && (
        <section class="part" aria-label="The same error before">
          <h2>{fix.data.verdict === "maybe" ? "Maybe the same error before" : "The same error before"}</h2>
          {errors.map(({ error, command, times, session_id, turn, fix: fixed }) => (
            <article key={`${session_id} ${turn} ${error}`}>
              <pre class="excerpt">{error.split("\n").slice(0, 4).join("\n")}</pre>
              <p class="row-meta">
                <code>{command}</code>
                <a href={linkToSession(session_id, turn)}>met {formatCount(times, "time")}</a>
              </p>
              {fixed === null ? (
                <p class="faint">Nothing is known that fixed it.</p>
              ) : (
                <>
                  <p class="row-meta">
                    <a href={linkToSession(fixed.session_id, fixed.turn)}>
                      fixed <Moment at={fixed.timestamp} />
                    </a>
                    {fixed.commit !== null && (
                      <a href={linkToCommit(fixed.commit.hash)}>{fixed.commit.subject}</a>
                    )}
                    {fixed.stands === false && <span>its lines are gone since</span>}
                  </p>
                  {fixed.edits.map(({ path, diff }) => (
                    <div key={path}>
                      <p class="path">{path}</p>
                      <Diff lines={diff.split("\n")} />
                    </div>
                  ))}
                  {fixed.edits.length === 0 &&
                    fixed.commands.map((line) => <Command key={line} line={line} />)}
                </>
              )}
            </article>
          ))}
        </section>
      )}
    </>
  );
}

function Recurring() {
  const { data, error, reload } = useAnswer("stats", {});
  if (error) return <Failure error={error} onRetry={reload} />;
  if (data === null) return <Loading />;
  const { recurring_errors: errors } = data;
  if (errors.length === 0)
    return (
      <Empty title="No error keeps coming back">
        <p>Ask how something is run here, or paste an error.</p>
      </Empty>
    );
  return (
    <section class="part" aria-label="Errors that keep coming back">
      <h2>Errors that keep coming back</h2>
      <Table head={["Error", "Sessions", "Time lost", "Last met"]}>
        {errors.map(({ error: text, sessions, cost_ms, last_at }) => (
          <tr key={text}>
            <td>
              <a class="path" href={linkTo("/commands", { q: text })}>
                {text.slice(0, 160)}
              </a>
            </td>
            <td>{sessions}</td>
            <td>{Math.max(1, Math.round(cost_ms / 60_000))}&nbsp;min</td>
            <td>
              <Time at={last_at} />
            </td>
          </tr>
        ))}
      </Table>
    </section>
  );
}
