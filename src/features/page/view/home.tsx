import { project } from "../../../page/api/project.ts";
import { useAnswer } from "../../../page/api/use-answer.ts";
import { FilterChips, Tabs } from "../../../page/components/chips.tsx";
import { Failure, Loading } from "../../../page/components/states.tsx";
import type { ViewProps } from "../../../page/router.ts";
import { linkTo } from "../../../page/router.ts";
import { FirstRun } from "./first-run.tsx";
import { getHappeningBranch, Lately, mergeHappenings } from "./lately.tsx";
import { Context, Decisions, Health, RecurringErrors, Unfinished } from "./panels.tsx";
import "./home.css";

/** What happened lately, what holds, what agents were given, and whether all is well. */
export default function Home({ query }: ViewProps) {
  const branch = query.get("branch") ?? undefined;
  const by = query.get("by") === "branch" ? "branch" : "day";
  const sessions = useAnswer("sessions", { branch, limit: 40 });
  const commits = useAnswer("checkpoints", { branch, limit: 40 });
  const notes = useAnswer("annotations", { limit: 40 });
  const lists = [sessions, commits, notes];
  const failed = lists.find(({ error }) => error !== null);
  // A project without a memory yet is one without sessions.
  const isNew = sessions.error?.code === "no_memory" || (branch === undefined && sessions.data?.total === 0);
  if (isNew) return <FirstRun />;
  // What takes longer to find waits for what is looked at first.
  const isLoaded = lists.every(({ data }) => data !== null);
  return (
    <div class="home">
      <section aria-labelledby="lately">
        <div class="view-head">
          <h1 id="lately">Lately</h1>
          <FilterChips
            filters={[{ name: "branch", label: "Any branch", values: project.value?.branches ?? [] }]}
          />
          <Tabs
            label="Order"
            tabs={(["day", "branch"] as const).map((one) => ({
              label: `By ${one}`,
              href: linkTo("/", { branch, by: one === "day" ? undefined : one }),
              isCurrent: one === by,
            }))}
          />
        </div>
        {failed?.error && <Failure error={failed.error} onRetry={failed.reload} />}
        {!failed && !isLoaded && <Loading rows={8} />}
        {sessions.data && commits.data && notes.data && (
          <Lately
            by={by}
            happened={mergeHappenings({
              sessions: { items: sessions.data.sessions, total: sessions.data.total },
              commits: { items: commits.data.checkpoints, total: commits.data.total },
              notes: { items: notes.data.annotations, total: notes.data.total },
            }).filter((one) => branch === undefined || getHappeningBranch(one) === branch)}
          />
        )}
      </section>
      <aside>
        <Unfinished sessions={sessions.data?.sessions ?? []} />
        {isLoaded && (
          <>
            <RecurringErrors />
            <Decisions />
            <Context />
            <Health />
          </>
        )}
      </aside>
    </div>
  );
}
