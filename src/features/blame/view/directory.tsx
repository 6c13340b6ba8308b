import { useAnswer } from "../../../page/api/use-answer.ts";
import { LinesBar } from "../../../page/components/badge.tsx";
import { Icon } from "../../../page/components/icon.tsx";
import { Failure, Loading, Notes } from "../../../page/components/states.tsx";
import { Time } from "../../../page/components/time.tsx";
import { formatCount, formatRoundedPercent } from "../../../page/components/words.ts";
import { linkToCommit, linkToFile } from "../../../page/router.ts";
import type { DirectoryEntry } from "../../files/operation.ts";
import { History } from "../../why/view/history.tsx";
import "./directory.css";

/** What lies in a directory, who wrote it, and what changed it last. */
export function Directory({ path }: { path: string }) {
  const request = path === "" ? {} : { path };
  const { data: first, error, reload } = useAnswer("directory", request);
  // What reads every line comes when the rest is there.
  const { data: whole } = useAnswer("directory", first === null ? null : { ...request, surviving: true });
  const data = whole?.path === first?.path ? (whole ?? first) : first;
  if (error) return <Failure error={error} onRetry={reload} />;
  if (data === null) return <Loading rows={12} />;
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
      <Drifting entries={data.entries} />
      <Notes of={data.notes} />
      <table class="entries">
        <thead>
          <tr>
            <th>Name</th>
            <th>Written by</th>
            <th class="number">Agents</th>
            <th class="number" title="Of the lines that agents wrote, those that the files no longer hold">
              Rewritten
            </th>
            <th>Last change</th>
            <th class="number">When</th>
          </tr>
        </thead>
        <tbody>
          {data.entries.map((entry) => (
            <Entry key={entry.path} entry={entry} />
          ))}
        </tbody>
      </table>
      <History path={data.path} />
    </div>
  );
}

function Entry({ entry }: { entry: DirectoryEntry }) {
  const { name, path, is_directory, files, share, surviving, changed } = entry;
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
      <td class="number">{share.lines > 0 && formatRoundedPercent(share.agent, share.lines)}</td>
      <td class="number" title={describeDrift(surviving)}>
        {surviving && formatRoundedPercent(countGone(surviving), surviving.added)}
      </td>
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

type Surviving = NonNullable<DirectoryEntry["surviving"]>;

const countGone = ({ added, left }: Surviving) => added - left;

function describeDrift(surviving: Surviving | null): string {
  if (surviving === null) return "";
  const { added } = surviving;
  return `${formatRoundedPercent(countGone(surviving), added)} of ${added.toLocaleString("en")} lines that agents wrote have been rewritten since`;
}

/** Fewer lines are no drift. */
const fewLines = 50;

/** Where most of what agents wrote was written anew since. */
function Drifting({ entries }: { entries: readonly DirectoryEntry[] }) {
  const drifting = entries
    .flatMap((entry) => (entry.surviving === null ? [] : [{ ...entry, lines: countGone(entry.surviving) }]))
    .filter(({ lines }) => lines >= fewLines)
    .sort((a, b) => b.lines - a.lines)
    .slice(0, 3);
  if (drifting.length === 0) return null;
  return (
    <p class="row-meta">
      <span>Drifting most:</span>
      {drifting.map(({ path, name, is_directory, lines }) => (
        <span key={path}>
          <a class="path" href={linkToFile(is_directory ? `${path}/` : path)}>
            {name}
          </a>{" "}
          {formatCount(lines, "line")} rewritten
        </span>
      ))}
    </p>
  );
}

function describeAgentShare({ lines, agent }: DirectoryEntry["share"]): string {
  if (lines === 0) return "No lines are known yet.";
  return `${formatRoundedPercent(agent, lines)} of ${lines.toLocaleString("en")} committed lines by agents`;
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
