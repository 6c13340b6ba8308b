import { useState } from "preact/hooks";
import { useAnswer } from "../../../page/api/use-answer.ts";
import { LinesBar } from "../../../page/components/badge.tsx";
import { Inline } from "../../../page/components/marked.tsx";
import { Failure, Loading } from "../../../page/components/states.tsx";
import { Time } from "../../../page/components/time.tsx";
import { nameSession } from "../../../page/components/words.ts";
import { linkToCommit, linkToSession } from "../../../page/router.ts";

/** Commits that are listed. */
const shownCommits = 12;

/** What changed a file or what lies in a directory, the latest first: commits, and the sessions that led to them. */
export function History({ path }: { path: string }) {
  const { data } = useAnswer(
    "checkpoints",
    path === "" ? { limit: shownCommits } : { file: path, limit: shownCommits },
  );
  if (!data || data.checkpoints.length === 0) return null;
  return (
    <section class="history" aria-label="Changed by sessions">
      <h2>Changed by sessions</h2>
      <ul>
        {data.checkpoints.map(({ commit, subject, committed_at, lines, sessions }) => (
          <li key={commit}>
            <a href={linkToCommit(commit)}>
              <Inline text={subject} />
            </a>
            <p class="row-meta">
              <Time at={committed_at} />
              <LinesBar lines={lines} />
              {sessions.map(({ session_id, title }) => (
                <a key={session_id} href={linkToSession(session_id)}>
                  <Inline text={nameSession(session_id, title)} />
                </a>
              ))}
            </p>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Text of a file that an edit replaced or a checkout took away, and that no commit holds. It is looked for when asked. */
export function LostText({ path }: { path: string }) {
  const [isOpen, open] = useState(false);
  return (
    <details class="history" onToggle={({ currentTarget }) => open(currentTarget.open)}>
      <summary>Text that no commit holds</summary>
      {isOpen && <LostTexts path={path} />}
    </details>
  );
}

function LostTexts({ path }: { path: string }) {
  const { data, error, reload } = useAnswer("lostText", { file: path, limit: shownCommits });
  if (error) return <Failure error={error} onRetry={reload} />;
  if (data === null) return <Loading />;
  if (data.texts.length === 0)
    return <p class="faint">Nothing was lost, as far as agents' edits are recorded.</p>;
  return (
    <ul>
      {data.texts.map(({ session_id, turn, timestamp, lost_by, command, lines }) => (
        <li key={`${session_id} ${turn} ${lines.join()}`}>
          <p class="row-meta">
            <a href={linkToSession(session_id, turn)}>
              {lost_by === "edit" ? "replaced by an edit" : `gone after ${command ?? "a checkout"}`}
            </a>
            <Time at={timestamp} />
          </p>
          <pre class="excerpt">{lines.join("\n")}</pre>
        </li>
      ))}
    </ul>
  );
}
