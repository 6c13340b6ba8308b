import type { ComponentChildren } from "preact";
import { formatDuration } from "../../../base/text/duration.ts";
import { beginTelling } from "../../../page/api/tell.ts";
import { useChange, useNow } from "../../../page/api/use-answer.ts";
import { isTelling } from "../../../page/api/written.ts";
import { CopyButton } from "../../../page/components/code-lines.tsx";
import { Part, SmallButton } from "../../../page/components/layout.tsx";
import { Inline } from "../../../page/components/marked.tsx";
import { ProjectName } from "../../../page/components/project-name.tsx";
import { Failure, Notes, Refusal } from "../../../page/components/states.tsx";
import { getCurrentTime, Time } from "../../../page/components/time.tsx";
import { formatCount, nameSession } from "../../../page/components/words.ts";
import { useKeys } from "../../../page/keys.ts";
import { linkInto, linkTo, linkToSession } from "../../../page/router.ts";
import type { Shaped } from "../../../protocol/shape-parts.ts";
import { formatCost, formatTokens } from "../../cost/amount-words.ts";
import { nowParts, toLookAtParts } from "../../now-parts.ts";
import type { NowResponse, nowEverywhereResponse } from "../operation.ts";
import { describeCommits, describeNow, describeUnfinished, describeWait } from "../words.ts";

/** Entries that are listed at first. */
const shownEntries = 5;

/** Agents at work in any project, what to look at, and what is unfinished; nothing where there is none. */
export function Bands() {
  const { data, error, reload } = useNow();
  const aside = useChange("putAside");
  const putAside = ({ id, project }: SessionInProject) => void aside.run({ id }, project);
  const all = data === null ? [] : [...data.running, ...data.to_look_at, ...data.unfinished];
  const find = () => {
    const id = document.activeElement?.closest<HTMLElement>("[data-session]")?.dataset.session;
    return all.find((session) => session.id === id);
  };
  useKeys({
    e: () => {
      const session = find();
      if (session === undefined) return;
      moveFocusOn();
      putAside(session);
    },
    r: () => {
      const session = find();
      if (session !== undefined && "resume" in session && session.resume !== null)
        void navigator.clipboard.writeText(session.resume);
    },
  });
  if (error) return <Failure error={error} onRetry={reload} />;
  if (data === null) return null;
  return (
    <>
      <p class="hidden" role="status">
        {describeNow(data)}
      </p>
      {aside.error && <Refusal error={aside.error} />}
      <Notes of={data.left_out.map(({ project, reason }) => `${project} is left out: ${reason}`)} />
      {data.running.length > 0 && (
        <Part title={`Agents (${data.running.length})`}>
          <Tell />
          <ul class="at-work">
            {data.running.map((session) => (
              <AtWork key={session.id} session={session} onDone={putAside} />
            ))}
          </ul>
        </Part>
      )}
      {Object.entries(nowParts).map(([feature, NowPart]) => (
        <NowPart key={feature} />
      ))}
      <Band
        title="To look at"
        sessions={data.to_look_at}
        done="Hide"
        onDone={putAside}
        linkOf={({ id }) => linkTo(`/session/${encodeURIComponent(id)}`, { as: "story" })}
        wordsOf={({ outcome }, name) => [name, outcome]}
        factsOf={(session) => (
          <>
            <span>{formatCount(session.files, "file")} changed</span>
            <span>{describeCommits(session)}</span>
            {session.checks.length === 0 && <span>no check recorded</span>}
            {Object.entries(toLookAtParts).map(([feature, ToLookAtPart]) => (
              <ToLookAtPart key={feature} session={session} />
            ))}
          </>
        )}
      />
      <Band
        title="Unfinished"
        sessions={data.unfinished}
        done="Hide"
        onDone={putAside}
        linkOf={({ id, turns }) => linkToSession(id, turns)}
        wordsOf={describeUnfinished}
        factsOf={({ resume }) =>
          resume !== null && <CopyButton label="Copy the resume command" text={() => resume} />
        }
      />
    </>
  );
}

interface SessionInProject {
  id: string;
  /** The root of its project. */
  project: string;
}

/** What is put aside goes: the next one is there for the next key. */
function moveFocusOn(): void {
  const rows = [...document.querySelectorAll<HTMLElement>("[data-session] [data-row]")];
  const at = rows.indexOf(document.activeElement as HTMLElement);
  (rows[at + 1] ?? rows[at - 1])?.focus();
}

/** Whether the reader is told while the page is out of sight. */
function Tell() {
  if (isTelling.value || typeof Notification === "undefined" || Notification.permission === "denied")
    return null;
  return (
    <p class="tell">
      <SmallButton onClick={() => void beginTelling()}>Tell me when an agent waits for me</SmallButton>
    </p>
  );
}

type RunningSession = Shaped<typeof nowEverywhereResponse>["running"][number];

/** A session at work, as far as hooks and its transcript tell. */
function AtWork({
  session,
  onDone,
}: {
  session: RunningSession;
  onDone: (session: SessionInProject) => void;
}) {
  const { id, project, title, prompt, branch, pending, doing, last_at, files, checks, waiting } = session;
  const { context_tokens: context, cost } = session;
  const name = nameSession(id, title);
  return (
    <li class={waiting === null ? undefined : "waiting"} data-session={id}>
      <a
        data-row
        href={linkInto(
          project,
          linkTo(`/session/${encodeURIComponent(id)}`, { turn: String(session.turns) }),
        )}
      >
        <p class="at-work-title">
          <span class="running" role="img" aria-label={waiting === null ? "At work" : "Waits for you"} />
          <Inline text={name} />
          <ProjectName root={project} />
        </p>
        {waiting !== null && (
          <p class="waits">
            {describeWait(session)}, for {formatMinutes(waiting.since)}
          </p>
        )}
        {!prompt.startsWith(title?.replace(/…$/, "") ?? "\n") && <p class="quote">{prompt}</p>}
        <p class={pending === null ? "says" : "says doing"}>
          {pending ?? (doing != null && <Inline text={doing} />)}
          {pending !== null && waiting === null && last_at !== null && ` (${formatMinutes(last_at)})`}
        </p>
      </a>
      <p class="row-meta">
        {pending === null && <Time at={last_at} />}
        {branch !== null && <span class="path">{branch}</span>}
        {files > 0 && <span>{formatCount(files, "file")} changed</span>}
        {checks.slice(0, 1).map((check) => (
          <span key={check}>
            <Inline text={check} />
          </span>
        ))}
        {context !== null && <span>context: {formatTokens(context)} tokens</span>}
        <span>{formatCost(cost)}</span>
        {waiting !== null && (
          <SmallButton onClick={() => onDone(session)} what={name}>
            Hide
          </SmallButton>
        )}
      </p>
    </li>
  );
}

/** How long since then, in whole minutes: "3 min". */
function formatMinutes(since: string): string {
  const minutes = Math.floor((getCurrentTime() - Date.parse(since)) / 60_000);
  return minutes < 1 ? "less than a minute" : formatDuration(minutes * 60_000);
}

interface BandProps<S> {
  title: string;
  sessions: readonly S[];
  /** What its button is called, which puts a session aside. */
  done: string;
  onDone: (session: SessionInProject) => void;
  linkOf: (session: S) => string;
  wordsOf: (session: S, name: string) => [head: string, says: string];
  factsOf: (session: S) => ComponentChildren;
}

function Band<S extends NowResponse["to_look_at" | "unfinished"][number] & SessionInProject>(
  props: BandProps<S>,
) {
  const { title, sessions, done, onDone, linkOf, wordsOf, factsOf } = props;
  if (sessions.length === 0) return null;
  const item = (session: S) => {
    const name = nameSession(session.id, session.title);
    const [head, says] = wordsOf(session, name);
    return (
      <li key={session.id} data-session={session.id} class="happening band-item">
        <a data-row href={linkInto(session.project, linkOf(session))}>
          <p class="band-title quote">
            <Inline text={head} /> <ProjectName root={session.project} />
          </p>
          {says !== "" && (
            <p class="band-says quote">
              <Inline text={says} />
            </p>
          )}
          <p class="row-meta">
            <Time at={session.last_at} />
            {session.branch !== null && <span class="path">{session.branch}</span>}
            {session.checks.slice(0, 1).map((check) => (
              <span key={check}>
                <Inline text={check} />
              </span>
            ))}
          </p>
        </a>
        <p class="row-meta">
          {factsOf(session)}
          <SmallButton onClick={() => onDone(session)} what={name}>
            {done}
          </SmallButton>
        </p>
      </li>
    );
  };
  return (
    <Part title={`${title} (${sessions.length})`}>
      <ul class="lately">{sessions.slice(0, shownEntries).map(item)}</ul>
      {sessions.length > shownEntries && (
        <details>
          <summary class="faint">{`${sessions.length - shownEntries} more`}</summary>
          <ul class="lately">{sessions.slice(shownEntries).map(item)}</ul>
        </details>
      )}
    </Part>
  );
}
