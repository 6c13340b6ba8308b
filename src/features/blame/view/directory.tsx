import { useAnswer } from "../../../page/api/use-answer.ts";
import { LinesBar } from "../../../page/components/badge.tsx";
import { Icon } from "../../../page/components/icon.tsx";
import { Failure, Loading, Notes } from "../../../page/components/states.tsx";
import { Time } from "../../../page/components/time.tsx";
import { formatCount } from "../../../page/components/words.ts";
import { linkTo, linkToCommit, linkToFile, route } from "../../../page/router.ts";
import { formatKnownShare } from "../../../protocol/reading/authors.ts";
import { formatPercent } from "../../../protocol/reading/numbers.ts";
import type { DirectoryEntry } from "../../files/operation.ts";
import { directoryParts } from "../../page-parts.ts";
import type { StatsAnswer } from "../../stats/operation.ts";
import "./directory.css";

/** What lies in a directory, who wrote it, and what changed it last. */
export function Directory({ path }: { path: string }) {
  const request = path === "" ? {} : { path };
  const { data: first, error, reload } = useAnswer("directory", request);
  // What reads every line comes when the rest is there.
  const { data: whole } = useAnswer("directory", first === null ? null : { ...request, surviving: true });
  const { data: stats } = useAnswer("stats", first === null ? null : { setbacks: true });
  const sorted = route.value.query.get("by") ?? "name";
  const data = whole?.path === first?.path ? (whole ?? first) : first;
  if (error) return <Failure error={error} onRetry={reload} />;
  if (data === null) return <Loading rows={12} />;
  const entries = data.entries.map((entry) => ({
    ...entry,
    failures: countFailures(stats?.setbacks ?? [], entry),
  }));
  return (
    <div class="directory">
      <header class="view-head">
        <h1>
          <Crumbs path={data.path} />
        </h1>
        <LinesBar lines={data.share} />
        <p class="count">
          {[describeAgentShare(data.share), describeDrift(data.surviving)].filter(Boolean).join("; ")}
        </p>
      </header>
      <Drifting entries={entries} />
      <Notes of={data.notes} />
      <table class="entries">
        <thead>
          <tr>
            <SortedBy name="name" label="Name" current={sorted} />
            <th>Written by</th>
            <SortedBy name="agents" label="Agents" current={sorted} />
            <SortedBy
              name="rewritten"
              label="Gone"
              current={sorted}
              title="The agents' lines that are no longer in the files"
            />
            <SortedBy
              name="failures"
              label="Failed"
              current={sorted}
              title="Failed commands whose error names a file in it, and commits that took back changes in it"
            />
            <th>Last change</th>
            <th class="number">When</th>
          </tr>
        </thead>
        <tbody>
          {sortEntries(entries, sorted).map((entry) => (
            <Entry key={entry.path} entry={entry} />
          ))}
        </tbody>
      </table>
      {Object.entries(directoryParts).map(([name, Part]) => (
        <Part key={name} path={data.path} />
      ))}
    </div>
  );
}

interface SortedByProps {
  name: string;
  label: string;
  current: string;
  title?: string;
}

/** The heading of a column, by which the rows can be sorted. */
function SortedBy({ name, label, current, title }: SortedByProps) {
  const isCurrent = name === current;
  const by = name === "name" ? undefined : name;
  return (
    <th
      class={name === "name" ? undefined : "number"}
      title={title}
      aria-sort={isCurrent ? (by === undefined ? "ascending" : "descending") : undefined}
    >
      <a href={linkTo(route.value.path, { by })}>{label}</a>
      {isCurrent && by !== undefined && " ↓"}
    </th>
  );
}

type DirectoryRow = DirectoryEntry & { failures: number };

const countFailures = (
  setbacks: NonNullable<StatsAnswer["setbacks"]>,
  { path, is_directory }: DirectoryEntry,
): number =>
  setbacks
    .filter(({ file }) => (is_directory ? file.startsWith(`${path}/`) : file === path))
    .reduce((sum, { failures, reverts }) => sum + failures + reverts, 0);

/** What ranks first has the most of it; what has none of it stays by name. */
const sortKeys: Readonly<Record<string, (entry: DirectoryRow) => number>> = {
  failures: ({ failures }) => failures,
  agents: ({ share }) => share.agent,
  rewritten: ({ surviving }) => (surviving === null ? 0 : countGone(surviving)),
};

function sortEntries(entries: readonly DirectoryRow[], by: string): readonly DirectoryRow[] {
  const readKey = sortKeys[by];
  return readKey === undefined ? entries : entries.toSorted((a, b) => readKey(b) - readKey(a));
}

function Entry({ entry }: { entry: DirectoryRow }) {
  const { name, path, is_directory, files, share, surviving, changed, failures } = entry;
  return (
    <tr>
      <td>
        <a
          data-row
          href={linkToFile(is_directory ? `${path}/` : path)}
          data-place={is_directory ? undefined : `${path}:1`}
        >
          <Icon name={is_directory ? "folder" : "file"} />
          <span class="path">{name}</span>
          {is_directory && <span class="faint">{files.toLocaleString("en")}</span>}
        </a>
      </td>
      <td>
        <LinesBar lines={share} />
      </td>
      <td class="number">{share.lines > 0 && formatKnownShare(share, "agent")}</td>
      <td class="number" title={describeDrift(surviving)}>
        {surviving && formatPercent(countGone(surviving), surviving.added)}
      </td>
      <td class="number">{failures > 0 && failures.toLocaleString("en")}</td>
      <td class="changed">
        {changed && (
          <a href={linkToCommit(changed.hash)} title={changed.session_title ?? changed.subject}>
            {changed.subject}
          </a>
        )}
      </td>
      <td class="number">
        <Time at={changed?.authored_at ?? null} />
      </td>
    </tr>
  );
}

type SurvivingByAuthor = NonNullable<DirectoryEntry["surviving"]>;

const countGone = ({ added, left }: SurvivingByAuthor) => added - left;

function describeDrift(surviving: SurvivingByAuthor | null): string {
  if (surviving === null) return "";
  const { added } = surviving;
  return `${formatPercent(countGone(surviving), added)} of ${added.toLocaleString("en")} lines that agents wrote are no longer in the files`;
}

/** Fewer lines are no drift. */
const fewLines = 50;

/** Where most of what agents wrote was written anew since. */
function Drifting({ entries }: { entries: readonly DirectoryRow[] }) {
  const drifting = sortEntries(entries, "rewritten")
    .flatMap((entry) => (entry.surviving === null ? [] : [{ ...entry, lines: countGone(entry.surviving) }]))
    .filter(({ lines }) => lines >= fewLines)
    .slice(0, 3);
  if (drifting.length === 0) return null;
  return (
    <p class="row-meta">
      <span>Most is gone in:</span>
      {drifting.map(({ path, name, is_directory, lines }) => (
        <span key={path}>
          <a class="path" href={linkToFile(is_directory ? `${path}/` : path)}>
            {name}
          </a>{" "}
          {formatCount(lines, "line")} gone
        </span>
      ))}
    </p>
  );
}

function describeAgentShare(share: DirectoryEntry["share"]): string {
  if (share.lines === 0) return "No commits are analysed yet";
  const lines = `${share.lines.toLocaleString("en")} committed lines`;
  const known = formatKnownShare(share, "agent");
  return known === "–" ? `${lines}, authors unknown` : `${known} of ${lines} by agents`;
}

/** A path whose directories lead there. */
export function Crumbs({ path }: { path: string }) {
  const parts = path === "" ? [] : path.split("/");
  return (
    <span class="path crumbs">
      {path === "" ? "Files" : <a href={linkToFile("")}>Files</a>}
      {parts.map((part, i) => {
        const upTo = parts.slice(0, i + 1).join("/");
        return (
          <span key={upTo}>
            <span class="faint"> / </span>
            {i === parts.length - 1 ? part : <a href={linkToFile(`${upTo}/`)}>{part}</a>}
          </span>
        );
      })}
    </span>
  );
}
