import { project } from "../../api/project.ts";
import { useAnswer } from "../../api/use-answer.ts";
import { FilterChips } from "../../components/chips.tsx";
import { Empty, Failure, Loading } from "../../components/states.tsx";
import { periods } from "../../components/time.tsx";
import type { ViewProps } from "../../views.ts";
import { authorFilter, authorIn, nothingKnown } from "../search/question.ts";
import { SessionRow } from "./session-row.tsx";

/** As many as the daemon lists at most. */
const limit = 1000;

/** All sessions, the latest first. */
export default function Sessions({ query }: ViewProps) {
  const [since, branch, agent] = ["since", "branch", "agent"].map((name) => query.get(name) ?? undefined);
  const { data, error, reload } = useAnswer("sessions", { since, branch, agent, ...authorIn(query), limit });
  const words = (query.get("title") ?? "").toLowerCase();
  const sessions = data?.sessions.filter(({ title }) => (title ?? "").toLowerCase().includes(words));
  return (
    <>
      <div class="view-head">
        <h1>Sessions</h1>
        {sessions && <p class="count">{sessions.length.toLocaleString()}</p>}
        <FilterChips
          filters={[
            { name: "title", label: "Title" },
            { name: "since", label: "Any time", values: periods },
            { name: "branch", label: "Any branch", values: project.value?.branches ?? [] },
            { name: "agent", label: "Any agent", values: project.value?.agents ?? [] },
            authorFilter(project.value ?? nothingKnown),
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
      {data && data.total > data.sessions.length && (
        <p class="more">
          The latest {limit.toLocaleString()} of {data.total.toLocaleString()}. Search or filter to find older
          ones.
        </p>
      )}
    </>
  );
}
