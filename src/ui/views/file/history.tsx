import { useAnswer } from "../../api/use-answer.ts";
import { LinesBar } from "../../components/badge.tsx";
import { Inline } from "../../components/marked.tsx";
import { Time } from "../../components/time.tsx";
import { sessionName } from "../../components/words.ts";
import { commitLink, sessionLink } from "../../router.ts";

/** Commits that are listed. */
const limit = 12;

/** What changed a file or what lies in a directory, the latest first: commits, and the sessions that led to them. */
export function History({ path }: { path: string }) {
  const { data } = useAnswer("checkpoints", path === "" ? { limit } : { file: path, limit });
  if (!data || data.checkpoints.length === 0) return null;
  return (
    <section class="history" aria-label="Changed by sessions">
      <h2>Changed by sessions</h2>
      <ul>
        {data.checkpoints.map(({ commit, subject, committed_at, lines, sessions }) => (
          <li key={commit}>
            <a href={commitLink(commit)}>
              <Inline text={subject} />
            </a>
            <p class="row-meta">
              <Time at={committed_at} />
              <LinesBar lines={lines} />
              {sessions.map(({ session_id, title }) => (
                <a key={session_id} href={sessionLink(session_id)}>
                  <Inline text={sessionName(session_id, title)} />
                </a>
              ))}
            </p>
          </li>
        ))}
      </ul>
    </section>
  );
}
