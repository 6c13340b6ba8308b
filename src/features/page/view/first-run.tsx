import { useAnswer } from "../../../page/api/use-answer.ts";
import { Command } from "../../../page/components/code-lines.tsx";
import { Time } from "../../../page/components/time.tsx";
import { formatByteCount, formatCount } from "../../../page/components/words.ts";
import { linkTo, linkToCommit, linkToFile } from "../../../page/router.ts";
import type { DirectoryEntry } from "../../files/operation.ts";

/** Before the first session: what will be here, and how past sessions come in. */
export function FirstRun() {
  const { data: status } = useAnswer("status", {});
  const { data: queue } = useAnswer("queue", {});
  const history = useAnswer("directory", {}).data?.entries ?? [];
  const past = queue?.past;
  const agents = past?.agents ?? [];
  const running = queue?.sessions.running.length ?? 0;
  return (
    <section class="first-run">
      <h1>No sessions yet</h1>
      <p>
        Pommel records the sessions of your coding agent in this project from now on, and ties them to commits
        and code. Nothing leaves this machine.
      </p>
      {running > 0 && (
        <p role="status">Importing {formatCount(queue?.sessions.pending ?? running, "session")} …</p>
      )}
      {running === 0 && past && past.sessions > 0 && (
        <>
          <p>
            {formatCount(past.sessions, "past session")} of this project{" "}
            {past.sessions === 1 ? "was" : "were"} found ({formatByteCount(past.bytes)}). To import{" "}
            {past.sessions === 1 ? "it" : "them"}:
          </p>
          {(agents.length > 0 ? agents : ["claude"]).map((agent) => (
            <Command key={agent} line={`pm import ${agent}`} />
          ))}
        </>
      )}
      {running === 0 && past?.sessions === 0 && (
        <p>No past sessions of this project were found. Start your agent here, and its session appears.</p>
      )}
      {status && (
        <p>
          Code search works already: {formatCount(status.index.total_files, "file")} indexed.{" "}
          <a href={linkTo("/search")}>Search the code</a>
        </p>
      )}
      <History of={history} />
    </section>
  );
}

/** What git knows already: the last commits to the files and directories here. */
function History({ of: entries }: { of: readonly DirectoryEntry[] }) {
  const commits = new Map(entries.flatMap(({ changed }) => (changed ? [[changed.hash, changed]] : [])));
  const latest = [...commits.values()].sort((a, b) =>
    (b.authored_at ?? "").localeCompare(a.authored_at ?? ""),
  );
  if (latest.length === 0) return null;
  return (
    <section aria-labelledby="history">
      <h2 id="history">In git</h2>
      <ul class="lately">
        {latest.slice(0, 8).map(({ hash, subject, person, authored_at }) => (
          <li key={hash} class="happening">
            <a data-row class="lately-row" href={linkToCommit(hash)}>
              <span class="lately-title">{subject}</span>
              <span class="faint">{person}</span>
              <Time at={authored_at} />
            </a>
          </li>
        ))}
      </ul>
      <p>
        <a href={linkToFile("")}>Browse the files</a>
      </p>
    </section>
  );
}
