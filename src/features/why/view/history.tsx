import { useCheckpoints } from "../../../page/api/use-answer.ts";
import { LinesBar } from "../../../page/components/badge.tsx";
import { Inline } from "../../../page/components/marked.tsx";
import { ProjectName } from "../../../page/components/project-name.tsx";
import { Time } from "../../../page/components/time.tsx";
import { nameSession } from "../../../page/components/words.ts";
import { linkInto, linkToCommit, linkToSession } from "../../../page/router.ts";

/** Commits that are listed, of a path and of all that there is. */
const [shownOfPath, shownOfAll] = [12, 40];

/** What changed a file or what lies in a directory, the latest first: commits, and the sessions that led to them. */
export function History({ path }: { path: string }) {
  const { data } = useCheckpoints(path === "" ? { limit: shownOfAll } : { file: path, limit: shownOfPath });
  if (!data || data.checkpoints.length === 0) return null;
  return (
    <section class="history" aria-label="Commits that sessions led to">
      <h2>Commits that sessions led to</h2>
      <ul>
        {data.checkpoints.map(({ project, commit, subject, committed_at, lines, sessions }) => (
          <li key={commit}>
            <a href={linkInto(project, linkToCommit(commit))}>
              <Inline text={subject} />
            </a>
            <p class="row-meta">
              <ProjectName root={project} />
              <Time at={committed_at} />
              <LinesBar lines={lines} />
              {sessions.map(({ session_id, title }) => (
                <a key={session_id} href={linkInto(project, linkToSession(session_id))}>
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
