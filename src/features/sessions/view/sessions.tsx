import { project } from "../../../page/api/project.ts";
import { useSessions } from "../../../page/api/use-answer.ts";
import { makeAuthorFilter, nothingKnown, readAuthorFilter } from "../../../page/components/author-filter.ts";
import { FilterChips } from "../../../page/components/chips.tsx";
import { SessionRow } from "../../../page/components/session-row.tsx";
import { Empty, Failure, Loading } from "../../../page/components/states.tsx";
import { periods } from "../../../page/components/time.tsx";
import type { ViewProps } from "../../../page/router.ts";

/** As many as the daemon lists at most, and those that are there at once. */
const [limit, few] = [1000, 40];

/** All sessions, the latest first. */
export default function Sessions({ query }: ViewProps) {
  const [since, until, branch, agent, topic] = ["since", "until", "branch", "agent", "topic"].map(
    (name) => query.get(name) ?? undefined,
  );
  const request = { since, until, branch, agent, topic, ...readAuthorFilter(query) };
  const { data: latest, error, reload } = useSessions({ ...request, limit: few }, { keepsFormer: true });
  const isMore = latest !== null && latest.total > few;
  const { data: all } = useSessions(isMore ? { ...request, limit } : null, { keepsFormer: true });
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
          <p>
            {query.size === 0 ? (
              <>
                <code>pm import</code> imports past ones, and new ones appear here by themselves.
              </>
            ) : (
              "No session matches these filters."
            )}
          </p>
        </Empty>
      )}
      {sessions && sessions.length > 0 && (
        <ul class="rows">
          {sessions.map((session) => (
            <SessionRow key={`${session.project} ${session.id}`} session={session} />
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
