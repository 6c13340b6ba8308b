import type { SessionSummary } from "../../features/sessions/operation.ts";
import { isEverywhere } from "../api/place.ts";
import { project } from "../api/project.ts";
import type { InProject } from "../api/use-answer.ts";
import { linkInto, linkToSession } from "../router.ts";
import { Badge } from "./badge.tsx";
import { Inline } from "./marked.tsx";
import { ProjectName } from "./project-name.tsx";
import { ResultRow } from "./result-row.tsx";
import { Time } from "./time.tsx";
import { formatCount, nameSession } from "./words.ts";

interface SessionRowProps {
  session: InProject<SessionSummary>;
  /** Where it leads; default: to the session. */
  href?: string;
}

/** A session in a list. */
export function SessionRow({ session, href = linkToSession(session.id) }: SessionRowProps) {
  const { id, title, agent, author, branch, last_at, turns, decisions, annotations, agents } = session;
  const facts = [
    decisions > 0 && formatCount(decisions, "decision"),
    annotations > 0 && formatCount(annotations, "note"),
    agents > 0 && formatCount(agents, "subagent"),
    ...session.topics,
  ];
  // Where all are of one agent, its name says nothing.
  const isOneOfMany = isEverywhere() || (project.value?.agents.length ?? 0) > 1;
  return (
    <ResultRow
      href={linkInto(session.project, href)}
      icon="session"
      kind="Session"
      title={<Inline text={nameSession(id, title)} />}
      aside={
        <>
          <ProjectName root={session.project} />
          {isOneOfMany && <Badge tone="agent">{agent}</Badge>}
          {author != null && <Badge>{author}</Badge>}
        </>
      }
      meta={
        <>
          <Time at={last_at} />
          <span class="path">{branch}</span>
          <span>{formatCount(turns, "turn")}</span>
          <span class="topics">{facts.filter(Boolean).join(", ")}</span>
        </>
      }
    />
  );
}
