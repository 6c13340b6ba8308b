import type { SessionSummary } from "../../../protocol/operations/sessions.ts";
import { Badge } from "../../components/badge.tsx";
import { Inline } from "../../components/marked.tsx";
import { ResultRow } from "../../components/result-row.tsx";
import { Time } from "../../components/time.tsx";
import { counted, sessionName } from "../../components/words.ts";
import { sessionLink } from "../../router.ts";

interface SessionRowProps {
  session: SessionSummary;
  isDayKnown?: boolean;
  /** The project's name, where the list is of several. */
  of?: string | undefined;
}

/** A session in a list. */
export function SessionRow({ session, isDayKnown, of }: SessionRowProps) {
  const { id, title, agent, author, branch, last_at, turns, decisions, annotations, agents } = session;
  const { topics } = session;
  return (
    <ResultRow
      href={sessionLink(id)}
      icon="session"
      kind="Session"
      title={<Inline text={sessionName(id, title)} />}
      aside={
        <>
          {of !== undefined && <Badge>{of}</Badge>}
          <Badge tone="agent">{agent}</Badge>
          {author != null && <Badge>{author}</Badge>}
        </>
      }
      meta={
        <>
          <Time at={last_at} isDayKnown={isDayKnown} />
          {branch !== null && <span class="path branch">{branch}</span>}
          <span>{counted(turns, "turn")}</span>
          {decisions > 0 && <span>{counted(decisions, "decision")}</span>}
          {annotations > 0 && <span>{counted(annotations, "note")}</span>}
          {agents > 0 && <span>{counted(agents, "subagent")}</span>}
          {topics.length > 0 && <span class="topics">{topics.join(", ")}</span>}
        </>
      }
    />
  );
}
