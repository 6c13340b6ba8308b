import { useAnswer } from "../../../page/api/use-answer.ts";
import { FilterChips } from "../../../page/components/chips.tsx";
import { Empty, Failure, Loading } from "../../../page/components/states.tsx";
import { periods } from "../../../page/components/time.tsx";
import { formatRoundedPercent } from "../../../page/components/words.ts";
import type { ViewProps } from "../../../page/router.ts";
import { linkToFile } from "../../../page/router.ts";
import { Bars, Stack, Tiles } from "./charts.tsx";
import { Cost } from "./cost.tsx";
import { Figure } from "./figure.tsx";
import {
  countUsesByKind,
  linkToWeek,
  parseIsoWeek,
  splitLargeDirectories,
  sumCostBy,
  sumLeftByWeek,
} from "./figures.ts";
import { Contested, Errors, Setbacks } from "./lists.tsx";
import "./insights.css";

/** As many sessions as the daemon lists at most. */
const sessionLimit = 1000;
/** Directories are counted so deep, and drawn as deep as there is something to see. */
const depth = 8;
/** Commits whose lines are looked for in the files of today. */
const maxCommits = 400;
/** Times that context was given: for each, the daemon reads what the session did next. */
const maxInjections = 200;

const authors = [
  { name: "agents", colour: "var(--agent)" },
  { name: "people", colour: "var(--human)" },
  { name: "unknown", colour: "var(--border-strong)" },
  { name: "before agents", colour: "var(--border)" },
] as const;
/** Questions about the project, each answered by a figure. */
export default function Insights({ query }: ViewProps) {
  const since = query.get("since") ?? undefined;
  const stats = useAnswer("stats", { since, depth, setbacks: true });
  const sessions = useAnswer("sessions", { since, limit: sessionLimit });
  const commits = useAnswer("checkpoints", { since, surviving: true, limit: maxCommits });
  const injections = useAnswer("injections", { limit: maxInjections });
  const failed = [stats, sessions].find(({ error }) => error !== null);
  if (failed?.error) return <Failure error={failed.error} onRetry={failed.reload} />;
  return (
    <>
      <div class="view-head">
        <h1>Insights</h1>
        <FilterChips filters={[{ name: "since", label: "Any time", values: periods }]} />
      </div>
      {stats.data === null || sessions.data === null ? (
        <Loading rows={8} />
      ) : isNothing(stats.data, sessions.data) ? (
        <Empty title="Nothing to draw yet">
          <p>Insights need sessions and commits.</p>
        </Empty>
      ) : (
        <div class="insights">
          <LinesByDirectory of={stats.data} />
          <LinesByWeek of={stats.data} />
          {commits.data && <LinesLeft of={commits.data} />}
          <Setbacks of={stats.data} />
          <Errors of={stats.data} />
          <Contested of={stats.data} />
          <Cost of={sessions.data.sessions} />
          {injections.data && <ContextGiven of={injections.data} />}
          {injections.data && <ContextUsed of={injections.data} />}
        </div>
      )}
    </>
  );
}

/** Sessions without tokens and lines that nobody has looked at give no figure. */
const isNothing = (stats: Data<"stats">, { sessions }: Data<"sessions">) =>
  stats.total.lines + stats.recurring_errors.length + stats.contested_files.length === 0 &&
  sumCostBy(sessions, "model", {}).length === 0;

type Data<R extends Parameters<typeof useAnswer>[0]> = NonNullable<ReturnType<typeof useAnswer<R>>["data"]>;

function LinesByDirectory({ of }: { of: Data<"stats"> }) {
  const by_directory = splitLargeDirectories(of.by_directory);
  if (by_directory.length === 0) return null;
  return (
    <Figure
      title="Where do agents write?"
      says="Committed lines by directory: the larger, the more lines; the stronger the colour, the more of them by agents. Choose one to open it."
      table={[
        ["Directory", "Lines", "Agents", "People", "Unknown", "Before agents"],
        ...by_directory.map(({ directory, lines, agent, human, unknown, before_agents }) => [
          directory,
          lines,
          agent,
          human,
          unknown,
          before_agents,
        ]),
      ]}
    >
      <Tiles
        label="Committed lines by directory"
        items={by_directory.map(({ directory, lines, agent }) => ({
          name: directory,
          weight: lines,
          href: linkToFile(directory === "." ? "" : `${directory}/`),
          share: agent / Math.max(1, lines),
          says: `${directory}: ${lines.toLocaleString("en")} lines, ${formatRoundedPercent(agent, lines)} by agents`,
        }))}
      />
    </Figure>
  );
}

function LinesByWeek({ of: { by_week, total: totals } }: { of: Data<"stats"> }) {
  if (by_week.length < 2) return null;
  return (
    <Figure
      title="How much of the new code is theirs?"
      says={`${formatRoundedPercent(totals.agent, totals.lines)} of ${totals.lines.toLocaleString("en")} committed lines are by agents; by week.`}
      legend={authors.map(({ name, colour }) => [colour, name])}
      table={[
        ["Week of", "Agents", "People", "Unknown", "Before agents"],
        ...by_week.map(({ week, agent, human, unknown, before_agents }) => [
          parseIsoWeek(week),
          agent,
          human,
          unknown,
          before_agents,
        ]),
      ]}
    >
      <Stack
        label="Lines by week"
        parts={authors}
        points={by_week.map(({ week, agent, human, unknown, before_agents }) => ({
          name: parseIsoWeek(week),
          href: linkToWeek(parseIsoWeek(week)),
          values: [agent, human, unknown, before_agents],
        }))}
      />
    </Figure>
  );
}

function LinesLeft({ of: { checkpoints } }: { of: Data<"checkpoints"> }) {
  const weeks = sumLeftByWeek(checkpoints);
  if (weeks.length < 2) return null;
  const added = weeks.reduce((sum, week) => sum + week.added, 0);
  const left = weeks.reduce((sum, week) => sum + week.left, 0);
  return (
    <Figure
      title="How much of it is left?"
      says={`Of ${added.toLocaleString("en")} lines in commits that agents led to, ${formatRoundedPercent(left, added)} stand in the files today; by the week of the commit.`}
      legend={fates.map(({ name, colour }) => [colour, name])}
      table={[
        ["Week of", "Left", "Changed or gone"],
        ...weeks.map(({ week, added, left }) => [week, left, added - left]),
      ]}
    >
      <Stack
        label="Lines that are left, by the week of their commit"
        parts={fates}
        points={weeks.map(({ week, added, left }) => ({
          name: week,
          href: linkToWeek(week),
          values: [left, added - left],
        }))}
      />
    </Figure>
  );
}

const fates = [
  { name: "left", colour: "var(--agent)" },
  { name: "changed or gone", colour: "var(--border-strong)" },
] as const;

const formatLastOnes = ({ length }: { length: number }) =>
  length < maxInjections ? "" : `, the last ${maxInjections} times`;

function ContextGiven({ of: { injections } }: { of: Data<"injections"> }) {
  if (injections.length === 0) return null;
  const byDay = new Map<string, { times: number; tokens: number }>();
  for (const { at, tokens } of injections) {
    const day = at.slice(0, 10);
    const sum = byDay.get(day) ?? { times: 0, tokens: 0 };
    byDay.set(day, { times: sum.times + 1, tokens: sum.tokens + tokens });
  }
  const days = [...byDay].sort(([a], [b]) => a.localeCompare(b));
  if (days.length < 2) return null;
  return (
    <Figure
      title="What does automatic context cost?"
      says={`Tokens that agents were given from the memory${formatLastOnes(injections)}.`}
      table={[["Day", "Times", "Tokens"], ...days.map(([day, { times, tokens }]) => [day, times, tokens])]}
    >
      <Stack
        label="Tokens of automatic context by day"
        parts={[{ name: "tokens", colour: "var(--accent)" }]}
        points={days.map(([name, { tokens }]) => ({ name, values: [tokens] }))}
      />
    </Figure>
  );
}

/** From the protocol's words to the reader's. */
const uses = [
  { outcome: "used", name: "used", colour: "var(--good)" },
  { outcome: "not_used", name: "not used", colour: "var(--warning)" },
  { outcome: "unknown", name: "cannot be known", colour: "var(--unknown)" },
] as const;

function ContextUsed({ of: { injections } }: { of: Data<"injections"> }) {
  const kinds = countUsesByKind(injections);
  if (kinds.length === 0) return null;
  const rows = kinds.map(({ name, uses: of }) => ({ name, values: uses.map(({ outcome }) => of[outcome]) }));
  return (
    <Figure
      title="Do agents use what they are given?"
      says={`Whether agents opened or named what they were given${formatLastOnes(injections)}. A text can be heeded without a trace, so often it cannot be known.`}
      legend={uses.map(({ name, colour }) => [colour, name])}
      table={[
        ["Given", ...uses.map(({ name }) => name.replace(/^./, (first) => first.toUpperCase()))],
        ...rows.map(({ name, values }) => [name, ...values]),
      ]}
    >
      <Bars label="Use of automatic context by what was given" parts={uses} points={rows} />
    </Figure>
  );
}
