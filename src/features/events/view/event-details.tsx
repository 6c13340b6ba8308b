import { useState } from "preact/hooks";
import { shortenHash } from "../../../base/text/short-hash.ts";
import { useAnswer, useChange } from "../../../page/api/use-answer.ts";
import { Badge } from "../../../page/components/badge.tsx";
import { Entry } from "../../../page/components/entry.tsx";
import { Part, SmallButton } from "../../../page/components/layout.tsx";
import { Failure, Loading, Refusal } from "../../../page/components/states.tsx";
import { Time } from "../../../page/components/time.tsx";
import { formatCount, nameSession } from "../../../page/components/words.ts";
import { linkToCommit, linkToMemory, linkToSession } from "../../../page/router.ts";
import type { EventAnswer } from "../operation.ts";
import { notHere } from "../words.ts";

/** An event with its sessions and commits, to be arranged. */
export function EventDetails({ id }: { id: string }) {
  const { data, error, reload } = useAnswer("event", { event: id });
  const link = useChange("linkEvent");
  const close = useChange("closeEvent");
  if (error) return <Failure error={error} onRetry={reload} />;
  if (data === null) return <Loading />;
  const { event, sessions, checkpoints } = data;
  const remove = (name: string, what: string) => (
    <SmallButton
      isDisabled={link.isRunning}
      onClick={() => void link.run({ event: id, remove: [name] })}
      what={what}
    >
      Remove
    </SmallButton>
  );
  const refused = link.error ?? close.error;
  return (
    <>
      <p>
        <a class="small-link" href={linkToMemory("events")}>
          All events
        </a>
      </p>
      <Head of={data} />
      <p class="entry-actions">
        {changesByStatus[event.status].map(([label, status]) => (
          <button key={label} type="button" onClick={() => void close.run({ event: id, status })}>
            {label}
          </button>
        ))}
      </p>
      {refused && <Refusal error={refused} />}
      <AddToEvent onAdd={(name) => link.run({ event: id, add: [name] })} isRunning={link.isRunning} />
      <Part title={formatCount(sessions.length, "session")}>
        <ul class="rows" hidden={sessions.length === 0}>
          {sessions.map(
            ({ id: session, title, agent, is_known, branch, project, last_at, turns, because }) => (
              <Entry
                key={session}
                icon="session"
                kind="Session"
                href={is_known && project === null ? linkToSession(session) : null}
                title={nameSession(session, title)}
                aside={agent !== null && <Badge tone="agent">{agent}</Badge>}
                meta={
                  <>
                    <Time at={last_at} />
                    {branch !== null && <span class="path">{branch}</span>}
                    {is_known ? <span>{formatCount(turns, "turn")}</span> : <span>not on this machine</span>}
                    {project !== null && <span class="path">{project}</span>}
                    <span>{reasons[because]}</span>
                  </>
                }
                actions={remove(session, `the session ${title ?? session}`)}
              />
            ),
          )}
        </ul>
      </Part>
      <Part title={formatCount(checkpoints.length, "commit")}>
        <ul class="rows" hidden={checkpoints.length === 0}>
          {checkpoints.map(({ id: checkpoint, commit, subject, project, committed_at, because }) => (
            <Entry
              key={checkpoint}
              icon="commit"
              kind="Commit"
              href={commit === null || project !== null ? null : linkToCommit(commit)}
              title={subject ?? notHere}
              meta={
                <>
                  <Time at={committed_at} />
                  {commit !== null && <span class="path">{shortenHash(commit)}</span>}
                  {project !== null && <span class="path">{project}</span>}
                  <span>{reasons[because]}</span>
                </>
              }
              actions={remove(checkpoint, `the commit ${subject ?? checkpoint}`)}
            />
          ))}
        </ul>
      </Part>
    </>
  );
}

const [reopen, archive] = [["Reopen", "active"] as const, ["Archive", "archived"] as const];

/** What can become of an event. */
const changesByStatus = {
  active: [["Close", "frozen"] as const, archive],
  frozen: [reopen, archive],
  archived: [reopen],
} as const;

const reasons = { link: "added", branch: "by its branch", time: "by its time" } as const;

function Head({ of: { event, from, to, lines } }: { of: EventAnswer }) {
  const { title, description, type, status, branch } = event;
  const written = lines === null ? [] : [...Object.entries(lines.agents), ["people", lines.human] as const];
  return (
    <header class="event-head">
      <h2>{title}</h2>
      {description !== "" && <p>{description}</p>}
      <p class="row-meta">
        <Badge>{type}</Badge>
        {status !== "active" && <Badge tone="unknown">{status}</Badge>}
        {branch !== null && <span class="path">{branch}</span>}
        {from !== null && (
          <span>
            <Time at={from} /> to <Time at={to} />
          </span>
        )}
        {written
          .filter(([, count]) => count > 0)
          .map(([name, count]) => (
            <span key={name}>
              {formatCount(count, "line")} by {name}
            </span>
          ))}
      </p>
    </header>
  );
}

/** By title or id for a session; by hash for a commit. */
function AddToEvent({ onAdd, isRunning }: { onAdd: (name: string) => Promise<unknown>; isRunning: boolean }) {
  const [name, setName] = useState("");
  const sessions = useAnswer("sessions", { limit: 300 });
  const add = async (submitted: Event) => {
    submitted.preventDefault();
    if ((await onAdd(name.trim())) !== null) setName("");
  };
  return (
    <form class="add-to-event" onSubmit={(submitted) => void add(submitted)}>
      <input
        list="known-sessions"
        aria-label="A session or commit to add"
        placeholder="Add a session or a commit"
        value={name}
        onInput={(event) => setName(event.currentTarget.value)}
      />
      <datalist id="known-sessions">
        {sessions.data?.sessions.map(({ id, title }) => (
          <option key={id} value={id}>
            {title ?? id}
          </option>
        ))}
      </datalist>
      <button type="submit" disabled={isRunning || name.trim() === ""}>
        Add
      </button>
    </form>
  );
}
