import { Time } from "../../../page/components/time.tsx";
import { formatCount } from "../../../page/components/words.ts";
import { linkTo, linkToCommit, linkToFile, linkToSession } from "../../../page/router.ts";
import type { StatsAnswer } from "../operation.ts";
import { Figure } from "./figure.tsx";

/** Directories in which commands failed and commits were reverted. */
export function Setbacks({ of: { setbacks = [] } }: { of: StatsAnswer }) {
  if (setbacks.length === 0) return null;
  return (
    <Figure
      title="Where are errors and reverts?"
      says="Directories by failed commands whose error names a file there, and by commits that took changes of it back."
      table={[
        ["Directory", "Failed commands", "Reverts"],
        ...setbacks.map(({ directory, failures, reverts }) => [directory, failures, reverts]),
      ]}
    >
      <ol class="figure-list">
        {setbacks.slice(0, 10).map(({ directory, failures, last_failure, reverts, last_revert }) => (
          <li key={directory}>
            <a class="path" href={linkToFile(directory === "." ? "" : `${directory}/`)}>
              {directory === "." ? "the root" : directory}
            </a>
            <span class="row-meta">
              {last_failure && (
                <a
                  href={linkToSession(last_failure.session_id, last_failure.turn)}
                  title="Go to the last one"
                >
                  {formatCount(failures, "failed command")}
                </a>
              )}
              {last_revert && (
                <a href={linkToCommit(last_revert)} title="Go to the last one">
                  {formatCount(reverts, "revert")}
                </a>
              )}
            </span>
          </li>
        ))}
      </ol>
    </Figure>
  );
}

/** Files that the most sessions changed. */
export function Contested({ of: { contested_files: files } }: { of: StatsAnswer }) {
  if (files.length === 0) return null;
  return (
    <Figure
      title="Which files do sessions fight over?"
      says="Files that the most sessions changed."
      table={[["File", "Sessions"], ...files.map(({ file, sessions }) => [file, sessions])]}
    >
      <ol class="figure-list">
        {files.slice(0, 10).map(({ file, sessions, last_at }) => (
          <li key={file}>
            <a class="path" href={linkToFile(file)}>
              {file}
            </a>
            <span class="row-meta">
              <span>{formatCount(sessions, "session")}</span>
              <Time at={last_at} />
            </span>
          </li>
        ))}
      </ol>
    </Figure>
  );
}

/** Errors that several sessions met. */
export function Errors({ of: { recurring_errors: errors } }: { of: StatsAnswer }) {
  if (errors.length === 0) return null;
  return (
    <Figure
      title="Which errors keep coming back?"
      says="Errors that three sessions or more met, and how often."
      table={[
        ["Error", "Command", "Times", "Sessions", "Minutes lost"],
        ...errors.map(({ error, command, times, sessions, cost_ms }) => [
          error,
          command,
          times,
          sessions,
          Math.round(cost_ms / 60_000),
        ]),
      ]}
    >
      <ol class="figure-list">
        {errors.slice(0, 8).map(({ error, command, times, sessions }) => (
          <li key={`${command} ${error}`}>
            <a href={linkTo("/search", { q: error.split("\n", 1)[0], in: "content" })}>
              <code>{error}</code>
            </a>
            <span class="row-meta">
              <span class="path">{command}</span>
              <span>
                {formatCount(times, "time")} in {formatCount(sessions, "session")}
              </span>
            </span>
          </li>
        ))}
      </ol>
    </Figure>
  );
}
