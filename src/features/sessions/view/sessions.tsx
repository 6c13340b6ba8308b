import { project } from "../../../page/api/project.ts";
import { useAnswer } from "../../../page/api/use-answer.ts";
import { Badge } from "../../../page/components/badge.tsx";
import { FilterChips } from "../../../page/components/chips.tsx";
import { Inline } from "../../../page/components/marked.tsx";
import { ResultRow } from "../../../page/components/result-row.tsx";
import { Empty, Failure, Loading } from "../../../page/components/states.tsx";
import { periods, Time } from "../../../page/components/time.tsx";
import { formatCount, nameSession } from "../../../page/components/words.ts";
import { linkToSession, type ViewProps } from "../../../page/router.ts";
import { makeAuthorFilter, nothingKnown, readAuthorFilter } from "../../search/view/question.ts";
import type { SessionSummary } from "../operation.ts";

/** As many as the daemon lists at most, and those that are there at once. */
const [limit, few] = [1000, 40];

/** All sessions, the latest first. */
export default function Sessions({ query }: ViewProps) {
  const [since, until, branch, agent, topic] = ["since", "until", "branch", "agent", "topic"].map(
    (name) => query.get(name) ?? undefined,
  );
  const request = { since, until, branch, agent, topic, ...readAuthorFilter(query) };
  const { data: latest, error, reload } = useAnswer("sessions", { ...request, limit: few });
  const isMore = latest !== null && latest.total > few;
  const { data: all } = useAnswer("sessions", isMore ? { ...request, limit } : null);
  const data = isMore ? (all ?? latest) : latest;
  const words = (query.get("title") ?? "").toLowerCase();
  const model = query.get("model");
  const sessions = data?.sessions.filter(
    ({ title, models }) =>
      (title ?? "").toLowerCase().includes(words) && (model === null || models.includes(model)),
  );
  const models = [...new Set(data?.sessions.flatMap((session) => session.models))].sort();
  return (
    <>
      <div class="view-head">
        <h1>Sessions</h1>
        {sessions && <p class="count">{sessions.length.toLocaleString()}</p>}
        <FilterChips
          filters={[
            { name: "title", label: "Title" },
            { name: "since", label: "Any time", values: periods },
            ...(until === undefined ? [] : [{ name: "until", label: "Until today", values: [] }]),
            { name: "branch", label: "Any branch", values: project.value?.branches ?? [] },
            { name: "agent", label: "Any agent", values: project.value?.agents ?? [] },
            { name: "model", label: "Any model", values: models },
            makeAuthorFilter(project.value ?? nothingKnown),
            {
              name: "topic",
              label: "Any topic",
              values:
                data?.topics?.map(({ value, sessions: of }) => [value, `${value} (${of})`] as const) ?? [],
            },
          ]}
        />
      </div>
      {error && <Failure error={error} onRetry={reload} />}
      {!sessions && !error && <Loading rows={10} />}
      {sessions?.length === 0 && (
        <Empty title="No sessions">
          <p>{query.size === 0 ? "Nothing is recorded yet." : "No session fits these filters."}</p>
        </Empty>
      )}
      {sessions && sessions.length > 0 && (
        <ul class="rows">
          {sessions.map((session) => (
            <SessionRow key={session.id} session={session} />
          ))}
        </ul>
      )}
      {data && data.sessions.length === limit && data.total > limit && (
        <p class="more">
          The latest {limit.toLocaleString()} of {data.total.toLocaleString()}. Search or filter to find older
          ones.
        </p>
      )}
    </>
  );
}

interface SessionRowProps {
  session: SessionSummary;
  /** The project's name, where the list is of several. */
  of?: string | undefined;
}

/** A session in a list. */
export function SessionRow({ session, of }: SessionRowProps) {
  const { id, title, agent, author, branch, last_at, turns, decisions, annotations, agents } = session;
  const facts = [
    decisions > 0 && formatCount(decisions, "decision"),
    annotations > 0 && formatCount(annotations, "note"),
    agents > 0 && formatCount(agents, "subagent"),
    ...session.topics,
  ];
  // Where all are of one agent, its name says nothing.
  const isOneOfMany = of !== undefined || (project.value?.agents.length ?? 0) > 1;
  return (
    <ResultRow
      href={linkToSession(id)}
      icon="session"
      kind="Session"
      title={<Inline text={nameSession(id, title)} />}
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
          <span>{formatCount(turns, "turn")}</span>
          <span class="topics">{facts.filter(Boolean).join(", ")}</span>
        </>
      }
    />
  );
}
