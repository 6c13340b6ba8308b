import type { ComponentChildren } from "preact";
import { useAnswer } from "../../../page/api/use-answer.ts";
import { Inline } from "../../../page/components/marked.tsx";
import { SessionRow } from "../../../page/components/session-row.tsx";
import { Empty, Failure, Loading } from "../../../page/components/states.tsx";
import { Moment } from "../../../page/components/time.tsx";
import { formatCount, nameSession } from "../../../page/components/words.ts";
import { linkTo, linkToCommit, linkToFile, linkToSession, type ViewProps } from "../../../page/router.ts";
import { formatCost, formatTokens } from "../../cost/amount-words.ts";
import type { SessionResponse } from "../operation.ts";
import { useTurnCosts } from "./reader.tsx";
import { formatSessionLength } from "./session.tsx";

/** Sessions that are offered. */
const offered = 40;

/** Two sessions beside each other: what each was asked, what came of it, and what it took. */
export default function Compare({ rest: id, query }: ViewProps) {
  const other = query.get("with");
  const one = useAnswer("session", { id });
  const two = useAnswer("session", other === null ? null : { id: other });
  const costs = [useTurnCosts(id), useTurnCosts(other)];
  if (other === null) return <Choice of={id} />;
  const error = one.error ?? two.error;
  if (error) return <Failure error={error} onRetry={error === one.error ? one.reload : two.reload} />;
  if (one.data === null || two.data === null) return <Loading rows={8} />;
  const pair = [one.data, two.data] as const;
  const changed = pair.map(listChanged);
  const row = (name: string, says: (found: SessionResponse, i: number) => ComponentChildren) => (
    <tr>
      <th scope="row">{name}</th>
      {pair.map((found, i) => (
        <td key={i}>{says(found, i)}</td>
      ))}
    </tr>
  );
  return (
    <>
      <h1>Two sessions</h1>
      <table class="plain-table compared">
        <thead>
          <tr>
            <td />
            {pair.map(({ session }) => (
              <th key={session.id} scope="col">
                <a data-row href={linkToSession(session.id)}>
                  <Inline text={nameSession(session.id, session.title)} />
                </a>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {row("When", ({ session }) => (
            <>
              <Moment at={session.started_at} /> {formatSessionLength(session.started_at, session.last_at)}
            </>
          ))}
          {row("Asked", ({ brief }) => (
            <Inline text={brief.asked} />
          ))}
          {row("Agent said", ({ brief }) => (
            <Inline text={brief.outcome} />
          ))}
          {row("Left open", ({ brief }) => (
            <Inline text={brief.open} />
          ))}
          {row("Last checks", ({ brief }) => (
            <Inline text={brief.checks.join(", ")} />
          ))}
          {row("Commits", ({ brief: { commits } }) =>
            commits.length === 0
              ? "none"
              : commits.map(({ hash, subject }) => (
                  <a key={hash} class="compared-item" href={linkToCommit(hash)}>
                    <Inline text={subject} />
                  </a>
                )),
          )}
          {row("Turns", ({ session }) => session.turns.toLocaleString("en"))}
          {row("Tokens read", ({ session: { tokens } }) =>
            formatTokens(tokens.input + tokens.cache_read + tokens.cache_write),
          )}
          {row("Cost", (_, i) => costs[i] && formatCost(costs[i].total))}
          {row("Files changed", (_, i) => (
            <>
              {formatCount(changed[i]!.length, "file")}
              {changed[i]!.map((path) => (
                <a key={path} class="path compared-item" href={linkToFile(path)}>
                  {changed[1 - i]!.includes(path) ? <b>{path}</b> : path}
                </a>
              ))}
            </>
          ))}
        </tbody>
      </table>
      <p class="faint">Files that both changed are bold.</p>
    </>
  );
}

const listChanged = ({ files }: SessionResponse): string[] =>
  files.filter(({ how }) => how !== "read").map(({ path }) => path);

/** The session to compare with. */
function Choice({ of: id }: { of: string }) {
  const { data, error, reload } = useAnswer("sessions", { limit: offered });
  if (error) return <Failure error={error} onRetry={reload} />;
  if (data === null) return <Loading rows={8} />;
  const others = data.sessions.filter((session) => session.id !== id);
  return (
    <>
      <h1>Compare with which session?</h1>
      {others.length === 0 && <Empty title="There is no other session">{null}</Empty>}
      <ul class="rows">
        {others.map((session) => (
          <SessionRow
            key={session.id}
            session={session}
            href={linkTo(`/compare/${encodeURIComponent(id)}`, { with: session.id })}
          />
        ))}
      </ul>
    </>
  );
}
