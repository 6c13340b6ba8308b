import { isEverywhere } from "../../../page/api/place.ts";
import { project } from "../../../page/api/project.ts";
import { useAnswer, useCheckpoints, useNow, useSessions } from "../../../page/api/use-answer.ts";
import { FilterChips, Tabs } from "../../../page/components/chips.tsx";
import { later } from "../../../page/components/later.tsx";
import { Failure, Loading, Together, useTogether } from "../../../page/components/states.tsx";
import type { ViewProps } from "../../../page/router.ts";
import { linkTo } from "../../../page/router.ts";
import { Bands } from "./bands.tsx";
import { getHappeningBranch, Lately, mergeHappenings } from "./lately.tsx";
import "./now.css";

const FirstRun = later(async () => (await import("./first-run.tsx")).FirstRun);
const Decisions = later(async () => (await import("./panels.tsx")).Decisions);
const Health = later(async () => (await import("./panels.tsx")).Health);

/** Which agents are at work, what to look at, what is unfinished; below it what happened, beside it what holds. */
export default function Now({ query }: ViewProps) {
  const branch = query.get("branch") ?? undefined;
  const by = query.get("by") === "branch" ? "branch" : "day";
  const sessions = useSessions({ branch, limit: 40 }, { keepsFormer: true });
  const commits = useCheckpoints({ branch, limit: 40 }, { keepsFormer: true });
  const notes = useAnswer("annotations", isEverywhere() ? null : { limit: 40 });
  // What needs one stands above the rest, which would move down.
  useNow();
  const early = useTogether();
  const lists = isEverywhere() ? [sessions, commits] : [sessions, commits, notes];
  const failed = lists.find(({ error }) => error !== null);
  // A project without a memory yet is one without sessions.
  const isNew = sessions.error?.code === "no_memory" || (branch === undefined && sessions.data?.total === 0);
  if (isNew) return <FirstRun />;
  // What takes longer to find waits for what is looked at first.
  const isLoaded = lists.every(({ data }) => data !== null);
  return (
    <div class={isEverywhere() ? "home of-all" : "home"}>
      <section aria-label="Now" class={early}>
        <h1 class="hidden">Now</h1>
        <Bands />
        <div class="view-head">
          <h2 id="lately">Lately</h2>
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
        {sessions.data && commits.data && isLoaded && (
          <Lately
            by={by}
            happened={mergeHappenings({
              sessions: { items: sessions.data.sessions, total: sessions.data.total },
              commits: { items: commits.data.checkpoints, total: commits.data.total },
              notes: { items: notes.data?.annotations ?? [], total: notes.data?.total ?? 0 },
            }).filter((one) => branch === undefined || getHappeningBranch(one) === branch)}
          />
        )}
      </section>
      <aside>
        {isLoaded && !isEverywhere() && (
          <Together>
            <Decisions />
            <Health />
          </Together>
        )}
      </aside>
    </div>
  );
}
