import type { ComponentChildren } from "preact";
import { Part } from "../../../page/components/layout.tsx";
import { Time } from "../../../page/components/time.tsx";
import { formatCount } from "../../../page/components/words.ts";
import { linkTo, linkToCommit, linkToFile, linkToSession } from "../../../page/router.ts";
import type { StatsAnswer } from "../operation.ts";

interface QuestionProps {
  title: string;
  /** Its answer, in a sentence. */
  says: string;
  /** What the answer sums up: items of a list. */
  children?: ComponentChildren;
}

/** A question with its answer. */
export function Question({ title, says, children }: QuestionProps) {
  return (
    <Part as="panel" title={title}>
      <p class="faint">{says}</p>
      {children && <ol class="answers">{children}</ol>}
    </Part>
  );
}

/** Files in which commands failed and commits were reverted. */
export function Setbacks({ of: { setbacks = [] } }: { of: StatsAnswer }) {
  if (setbacks.length === 0) return null;
  return (
    <Question
      title="Which files do agents break most?"
      says={`${setbacks[0]!.file} most often. A file is counted for each failed command whose error names it, and for each commit that took back a change to it.`}
    >
      {setbacks.slice(0, 10).map(({ file, failures, last_failure, reverts, last_revert }) => (
        <li key={file}>
          <a class="path" href={linkToFile(file)}>
            {file}
          </a>
          <span class="row-meta">
            {last_failure && (
              <a href={linkToSession(last_failure.session_id, last_failure.turn)} title="Go to the last one">
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
    </Question>
  );
}

/** Files that the most sessions changed. */
export function Contested({ of: { contested_files: files } }: { of: StatsAnswer }) {
  if (files.length === 0) return null;
  return (
    <Question
      title="Which files do the most sessions change?"
      says={`${files[0]!.file}: ${formatCount(files[0]!.sessions, "session")} changed it, at any time.`}
    >
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
    </Question>
  );
}

/** Errors that several sessions met. */
export function Errors({ of: { recurring_errors: errors } }: { of: StatsAnswer }) {
  if (errors.length === 0) return null;
  return (
    <Question
      title="Which errors keep coming back?"
      says={`${formatCount(errors.length, "error")} met by three sessions or more at any time, the first of them ${formatCount(errors[0]!.times, "time")}.`}
    >
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
    </Question>
  );
}
