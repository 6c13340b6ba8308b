import { useAnswer } from "../../api/use-answer.ts";
import { Failure, Loading } from "../../components/states.tsx";
import { happenings } from "./axis.ts";
import { FirstRun } from "./first-run.tsx";
import { Lately } from "./lately.tsx";
import { Context, Decisions, Health, RecurringErrors, Unfinished } from "./panels.tsx";
import "./home.css";

/** What happened lately, what holds, what agents were given, and whether all is well. */
export default function Home() {
  const sessions = useAnswer("sessions", { limit: 40 });
  const commits = useAnswer("checkpoints", { limit: 40 });
  const notes = useAnswer("annotations", { limit: 40 });
  const lists = [sessions, commits, notes];
  const failed = lists.find(({ error }) => error !== null);
  // A project without a memory yet is one without sessions.
  const isNew = sessions.error?.code === "no_memory" || sessions.data?.total === 0;
  if (isNew) return <FirstRun />;
  // What takes longer to find waits for what is looked at first.
  const isLoaded = lists.every(({ data }) => data !== null);
  return (
    <div class="home">
      <section aria-labelledby="lately">
        <h1 id="lately">Lately</h1>
        {failed?.error && <Failure error={failed.error} onRetry={failed.reload} />}
        {!failed && !isLoaded && <Loading rows={8} />}
        {sessions.data && commits.data && notes.data && (
          <Lately
            happened={happenings({
              sessions: { items: sessions.data.sessions, total: sessions.data.total },
              commits: { items: commits.data.checkpoints, total: commits.data.total },
              notes: { items: notes.data.annotations, total: notes.data.total },
            })}
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
