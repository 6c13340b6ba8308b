import type { DirectoryEntry } from "../../../protocol/operations/files.ts";
import { useAnswer } from "../../api/use-answer.ts";
import { LinesBar } from "../../components/badge.tsx";
import { Icon } from "../../components/icon.tsx";
import { Inline } from "../../components/marked.tsx";
import { Failure, Loading } from "../../components/states.tsx";
import { Time } from "../../components/time.tsx";
import { percent } from "../../components/words.ts";
import { commitLink, fileLink } from "../../router.ts";
import { History } from "../file/history.tsx";
import { Crumbs } from "./crumbs.tsx";
import "./directory.css";

/** What lies in a directory, who wrote it, and what changed it last. */
export function Directory({ path }: { path: string }) {
  const { data, error, reload } = useAnswer("directory", path === "" ? {} : { path });
  if (error) return <Failure error={error} onRetry={reload} />;
  if (data === null) return <Loading rows={12} />;
  return (
    <div class="directory">
      <header class="view-head">
        <h1>
          <Crumbs path={data.path} />
        </h1>
        <LinesBar lines={data.share} />
        <p class="count">{shareOf(data.share)}</p>
      </header>
      {data.notes.map((note) => (
        <p key={note} class="faint">
          <Inline text={note} />
        </p>
      ))}
      <table class="entries">
        <thead>
          <tr>
            <th>Name</th>
            <th>Written by</th>
            <th class="number">Agents</th>
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
  const { name, path, is_directory, files, share, changed } = entry;
  return (
    <tr>
      <td>
        <a
          data-row
          href={fileLink(is_directory ? `${path}/` : path)}
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
      <td class="number">{share.lines > 0 && percent(share.agent, share.lines)}</td>
      <td class="changed">
        {changed && (
          <a href={commitLink(changed.hash)} title={changed.session_title ?? changed.subject}>
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

function shareOf({ lines, agent }: DirectoryEntry["share"]): string {
  if (lines === 0) return "No lines are known yet.";
  return `${percent(agent, lines)} of ${lines.toLocaleString("en")} committed lines by agents`;
}
