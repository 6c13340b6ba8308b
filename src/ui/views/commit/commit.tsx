import type { CheckpointAnswer } from "../../../protocol/operations/checkpoints.ts";
import { linkEvidence } from "../../../protocol/reading/link-evidence.ts";
import { useAnswer } from "../../api/use-answer.ts";
import { Badge, LinesBar } from "../../components/badge.tsx";
import { Empty, Failure, Loading } from "../../components/states.tsx";
import { Time } from "../../components/time.tsx";
import { counted } from "../../components/words.ts";
import { fileLink, sessionLink } from "../../router.ts";
import type { ViewProps } from "../../views.ts";
import "./commit.css";

/** A commit, with the sessions that led to it and who wrote its lines. */
export default function Commit({ rest: id }: ViewProps) {
  const { data, error, reload } = useAnswer("checkpoint", { id });
  if (error?.code === "not_found") {
    return (
      <Empty title="No checkpoint for this commit">
        <p>
          No session is known to have led to <code>{id.slice(0, 12)}</code>. If sessions were imported after
          it was made, run <code>pm checkpoint backfill</code>.
        </p>
      </Empty>
    );
  }
  if (error) return <Failure error={error} onRetry={reload} />;
  if (data === null) return <Loading rows={6} />;
  return (
    <div class="commit">
      <Head of={data} />
      <section>
        <h2>{data.sessions.length === 1 ? "The session" : "Sessions"} that led to it</h2>
        {data.sessions.length === 0 && <p class="faint">None is known.</p>}
        <ul class="rows">
          {data.sessions.map(({ session_id, title, agent, turns, lines, how, confidence }) => (
            <li key={session_id} class="row commit-session">
              <p class="row-head">
                <a class="row-title" href={sessionLink(session_id, turns[0]?.turn)}>
                  {title ?? `Session ${session_id.slice(0, 8)}`}
                </a>
                {agent !== null && <Badge tone="agent">{agent}</Badge>}
              </p>
              <p class="row-meta">
                <span>{counted(lines, "line")} of it</span>
                <span>{linkEvidence({ how, confidence })}</span>
              </p>
              <ul>
                {turns.map(({ turn, prompt, started_at }) => (
                  <li key={turn} class="commit-turn">
                    <a href={sessionLink(session_id, turn)}>Turn {turn}</a> <span>{prompt}</span>{" "}
                    <Time at={started_at} />
                  </li>
                ))}
              </ul>
            </li>
          ))}
        </ul>
      </section>
      <section>
        <h2>{counted(data.files.length, "file")}</h2>
        <ul class="rows">
          {data.files.map(({ path, old_path, status, insertions, deletions, lines }) => (
            <li key={path} class="row">
              <a href={fileLink(path)} data-row data-place={`${path}:1`} class="commit-file">
                <span class="path">
                  {old_path === null || old_path === path ? path : `${old_path} → ${path}`}
                </span>
                <span class="row-meta">
                  <span>{status}</span>
                  <span>
                    +{insertions.toLocaleString("en")} −{deletions.toLocaleString("en")}
                  </span>
                  <LinesBar lines={lines} />
                </span>
              </a>
            </li>
          ))}
        </ul>
      </section>
    </div>
  );
}

function Head({ of }: { of: CheckpointAnswer }) {
  const { subject, commit, branch, author, committed_at, insertions, deletions, lines, rewritten_as } = of;
  return (
    <header>
      <h1>{subject}</h1>
      <p class="row-meta">
        <Time at={committed_at} />
        <span>{author}</span>
        <span class="path">{commit.slice(0, 12)}</span>
        {branch !== null && <span class="path">{branch}</span>}
        <span>
          +{insertions.toLocaleString("en")} −{deletions.toLocaleString("en")}
        </span>
        <LinesBar lines={lines} />
        {rewritten_as.length > 0 && (
          <Badge tone="warning" title={rewritten_as.join(", ")}>
            rewritten
          </Badge>
        )}
      </p>
    </header>
  );
}
