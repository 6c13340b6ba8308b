import { useAnswer } from "../../../page/api/use-answer.ts";
import { LinesBar } from "../../../page/components/badge.tsx";
import { FilterChips } from "../../../page/components/chips.tsx";
import { Failure, Loading } from "../../../page/components/states.tsx";
import { periods } from "../../../page/components/time.tsx";
import { formatCount } from "../../../page/components/words.ts";
import type { ViewProps } from "../../../page/router.ts";
import { linkToFile } from "../../../page/router.ts";
import { formatPercent } from "../../../protocol/reading/numbers.ts";
import { insightParts } from "../../page-parts.ts";
import { countUses, linkToWeek, splitLargeDirectories, sumLeftByWeek } from "./figures.ts";
import { Contested, Errors, Question, Setbacks } from "./lists.tsx";
import "./insights.css";

/** Directories are counted so deep, and listed as deep as there is something to see. */
const depth = 8;
/** Commits whose lines are looked for in the files of today. */
const maxCommits = 400;
/** Times that context was given: for each, the daemon reads what the session did next. */
const maxInjections = 200;
/** Rows of a list. */
const maxRows = 10;

/** Questions about the project, each answered in a sentence, and by what it sums up. */
export default function Insights({ query }: ViewProps) {
  const since = query.get("since") ?? undefined;
  const stats = useAnswer("stats", { since, depth, setbacks: true }, { keepsFormer: true });
  const commits = useAnswer(
    "checkpoints",
    { since, surviving: true, limit: maxCommits },
    { keepsFormer: true },
  );
  const injections = useAnswer("injections", { limit: maxInjections });
  if (stats.error) return <Failure error={stats.error} onRetry={stats.reload} />;
  return (
    <>
      <div class="view-head">
        <h1>Insights</h1>
        <FilterChips filters={[{ name: "since", label: "Any time", values: periods }]} />
      </div>
      {stats.data === null ? (
        <Loading rows={8} />
      ) : (
        <div class="insights">
          <LinesByDirectory of={stats.data} />
          {commits.data && <LinesLeft of={commits.data} />}
          <Setbacks of={stats.data} />
          <Errors of={stats.data} />
          <Contested of={stats.data} />
          {Object.entries(insightParts).map(([name, Part]) => (
            <Part key={name} since={since} />
          ))}
          {injections.data && <ContextUsed of={injections.data} />}
        </div>
      )}
    </>
  );
}

type DataFor<R extends Parameters<typeof useAnswer>[0]> = NonNullable<
  ReturnType<typeof useAnswer<R>>["data"]
>;

function LinesByDirectory({ of: { by_directory, total } }: { of: DataFor<"stats"> }) {
  const directories = splitLargeDirectories(by_directory).sort((a, b) => b.agent - a.agent);
  if (directories.length === 0) return null;
  return (
    <Question
      title="Where do agents write?"
      says={`${formatPercent(total.agent, total.lines)} of ${total.lines.toLocaleString("en")} committed lines are by agents; by directory.`}
    >
      {directories.slice(0, maxRows).map((directory) => (
        <li key={directory.directory}>
          <a class="path" href={linkToFile(directory.directory === "." ? "" : `${directory.directory}/`)}>
            {directory.directory}
          </a>
          <span class="row-meta">
            <span>
              {directory.agent.toLocaleString("en")} of {directory.lines.toLocaleString("en")}
            </span>
            <LinesBar lines={directory} />
          </span>
        </li>
      ))}
    </Question>
  );
}

function LinesLeft({ of: { checkpoints } }: { of: DataFor<"checkpoints"> }) {
  const weeks = sumLeftByWeek(checkpoints);
  if (weeks.length === 0) return null;
  const added = weeks.reduce((sum, week) => sum + week.added, 0);
  const left = weeks.reduce((sum, week) => sum + week.left, 0);
  return (
    <Question
      title="How much of it is left?"
      says={`${formatPercent(left, added)} of ${added.toLocaleString("en")} lines in the latest ${formatCount(checkpoints.length, "commit")} that sessions led to are still in the files. By week:`}
    >
      {weeks.slice(-maxRows).map((week) => (
        <li key={week.week}>
          <a class="path" href={linkToWeek(week.week)}>
            {week.week}
          </a>
          <span class="row-meta">
            {week.left.toLocaleString("en")} of {week.added.toLocaleString("en")},{" "}
            {formatPercent(week.left, week.added)}
          </span>
        </li>
      ))}
    </Question>
  );
}

function ContextUsed({ of: { injections } }: { of: DataFor<"injections"> }) {
  const { used, not_used, unknown } = countUses(injections);
  if (used + not_used + unknown === 0) return null;
  return (
    <Question
      title="Do agents use what they are given?"
      says={`The last ${formatCount(injections.length, "time")}, agents were given ${(used + not_used + unknown).toLocaleString("en")} facts. They used ${used.toLocaleString("en")} of them, and did not use ${not_used.toLocaleString("en")}. For the other ${unknown.toLocaleString("en")} this cannot be known, because an agent can follow a text without a trace.`}
    />
  );
}
