import { useState } from "preact/hooks";
import { project } from "../../../page/api/project.ts";
import { useAnswer, useChange } from "../../../page/api/use-answer.ts";
import { Badge } from "../../../page/components/badge.tsx";
import { Dialog } from "../../../page/components/dialog.tsx";
import { Entry } from "../../../page/components/entry.tsx";
import { FormButtons, Part, SmallButton } from "../../../page/components/layout.tsx";
import { Empty, Failure, Loading, Refusal } from "../../../page/components/states.tsx";
import { Time } from "../../../page/components/time.tsx";
import { formatCount } from "../../../page/components/words.ts";
import { goTo, linkToMemory } from "../../../page/router.ts";
import type { ListedEvent } from "../operation.ts";
import { EventDetails } from "./event-details.tsx";

/** Events, or the one that is named. */
export const Events = ({ name }: { name: string }) =>
  name === "" ? <AllEvents /> : <EventDetails key={name} id={name} />;

function AllEvents() {
  const { data, error, reload } = useAnswer("events", { status: "all" });
  const [isCreating, setCreating] = useState(false);
  const accept = useChange("createEvent");
  if (error) return <Failure error={error} onRetry={reload} />;
  if (data === null) return <Loading />;
  return (
    <>
      <div class="view-head">
        <p class="count">{formatCount(data.events.length, "event")}</p>
        <button type="button" onClick={() => setCreating(true)}>
          New event…
        </button>
      </div>
      {data.events.length === 0 && (
        <Empty title="No events">
          <p>An event groups sessions and commits that belong together, such as “auth rewrite”.</p>
        </Empty>
      )}
      <ul class="rows" hidden={data.events.length === 0}>
        {data.events.map((event) => (
          <EventEntry key={event.id} event={event} />
        ))}
      </ul>
      {data.suggestions.length > 0 && (
        <Part title="Branches that could be events">
          {accept.error && <Refusal error={accept.error} />}
          <ul class="rows">
            {data.suggestions.map(({ branch, title, sessions, checkpoints, last_at }) => (
              <Entry
                key={branch}
                icon="event"
                kind="Suggestion"
                href={null}
                title={title}
                meta={
                  <>
                    <Time at={last_at} />
                    <span class="path">{branch}</span>
                    <span>{formatCount(sessions, "session")}</span>
                    <span>{formatCount(checkpoints, "commit")}</span>
                  </>
                }
                actions={
                  <SmallButton
                    isDisabled={accept.isRunning}
                    onClick={() => void accept.run({ branch })}
                    what={`an event of ${branch}`}
                  >
                    Create
                  </SmallButton>
                }
              />
            ))}
          </ul>
        </Part>
      )}
      {isCreating && <NewEvent onClose={() => setCreating(false)} />}
    </>
  );
}

function EventEntry({ event }: { event: ListedEvent }) {
  const { id, title, description, type, status, branch, updated_at, sessions, checkpoints } = event;
  return (
    <Entry
      icon="event"
      kind="Event"
      href={linkToMemory("events", id)}
      title={title}
      aside={
        <>
          <Badge>{type}</Badge>
          {status !== "active" && <Badge tone="unknown">{status}</Badge>}
        </>
      }
      meta={
        <>
          <Time at={updated_at} />
          {branch !== null && <span class="path">{branch}</span>}
          <span>{formatCount(sessions, "session")}</span>
          <span>{formatCount(checkpoints, "commit")}</span>
          {description !== "" && <span>{description}</span>}
        </>
      }
    />
  );
}

function NewEvent({ onClose }: { onClose: () => void }) {
  const [title, setTitle] = useState("");
  const [description, setDescription] = useState("");
  const [branch, setBranch] = useState("");
  const { run, isRunning, error } = useChange("createEvent");
  const save = async (submitted: Event) => {
    submitted.preventDefault();
    const created = await run({ title, description, ...(branch !== "" && { branch }) });
    if (created === null) return;
    onClose();
    goTo(linkToMemory("events", created.event.id));
  };
  return (
    <Dialog title="New event" onClose={onClose}>
      <form class="form" onSubmit={(submitted) => void save(submitted)}>
        <label>
          Title
          <input
            required
            maxLength={200}
            value={title}
            onInput={(event) => setTitle(event.currentTarget.value)}
          />
        </label>
        <label>
          Description
          <textarea
            rows={2}
            maxLength={10_000}
            value={description}
            onInput={(event) => setDescription(event.currentTarget.value)}
          />
        </label>
        <label>
          Adds everything on the branch
          <select value={branch} onChange={(event) => setBranch(event.currentTarget.value)}>
            <option value="">(none)</option>
            {project.value?.branches.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        {error && <Refusal error={error} />}
        <FormButtons submit="Create" isDisabled={isRunning || title.trim() === ""} onCancel={onClose} />
      </form>
    </Dialog>
  );
}
