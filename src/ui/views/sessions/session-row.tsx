import type { SessionSummary } from "../../../protocol/operations/sessions.ts";
import { project } from "../../api/project.ts";
import { Badge } from "../../components/badge.tsx";
import { Inline } from "../../components/marked.tsx";
import { ResultRow } from "../../components/result-row.tsx";
import { Time } from "../../components/time.tsx";
import { counted, sessionName } from "../../components/words.ts";
import { sessionLink } from "../../router.ts";

interface SessionRowProps {
  session: SessionSummary;
  /** The project's name, where the list is of several. */
  of?: string | undefined;
}

/** A session in a list. */
export function SessionRow({ session, of }: SessionRowProps) {
  const { id, title, agent, author, branch, last_at, turns, decisions, annotations, agents } = session;
  const facts = [
    decisions > 0 && counted(decisions, "decision"),
    annotations > 0 && counted(annotations, "note"),
    agents > 0 && counted(agents, "subagent"),
    ...session.topics,
  ];
  // Where all are of one agent, its name says nothing.
  const isOneOfMany = of !== undefined || (project.value?.agents.length ?? 0) > 1;
  return (
    <ResultRow
      href={sessionLink(id)}
      icon="session"
      kind="Session"
      title={<Inline text={sessionName(id, title)} />}
      aside={
        <>
          {of !== undefined && <Badge>{of}</Badge>}
          {isOneOfMany && <Badge tone="agent">{agent}</Badge>}
          {author != null && <Badge>{author}</Badge>}
        </>
      }
      meta={
        <>
          <Time at={last_at} />
          <span class="path">{branch}</span>
          <span>{counted(turns, "turn")}</span>
          <span class="topics">{facts.filter(Boolean).join(", ")}</span>
        </>
      }
    />
  );
}
