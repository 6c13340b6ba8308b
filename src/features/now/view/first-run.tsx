import { useAnswer } from "../../../page/api/use-answer.ts";
import { Command } from "../../../page/components/code-lines.tsx";
import { formatBytes, formatCount } from "../../../page/components/words.ts";
import { linkTo, linkToFile } from "../../../page/router.ts";

/** Before the first session: what will be here, and how past sessions come in. */
export function FirstRun() {
  const { data: status } = useAnswer("status", {});
  const { data: queue } = useAnswer("queue", {});
  const past = queue?.past;
  const agents = past?.agents ?? [];
  const running = queue?.sessions.running.length ?? 0;
  return (
    <section class="first-run">
      <h1>No sessions yet</h1>
      <p>
        When an agent works here and recording is on, Pommel stores the session, and links it to commits and
        code. <code>pm status</code> says whether recording is on, and <code>pm init</code> turns it on.
      </p>
      {running > 0 && (
        <p role="status">Importing {formatCount(queue?.sessions.pending ?? running, "session")} …</p>
      )}
      {running === 0 && past && past.sessions > 0 && (
        <>
          <p>
            {formatCount(past.sessions, "past session")} of this project{" "}
            {past.sessions === 1 ? "was" : "were"} found ({formatBytes(past.bytes)}). To import{" "}
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
          <a href={linkTo("/search")}>Search the code</a>, or <a href={linkToFile("")}>browse the files</a>.
        </p>
      )}
    </section>
  );
}
