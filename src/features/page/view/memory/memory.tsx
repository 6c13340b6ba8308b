import { PartTabs } from "../../../../page/components/chips.tsx";
import type { ViewProps } from "../../../../page/router.ts";
import { Given } from "../../../context/view/given.tsx";
import { Decisions } from "../../../decisions/view/decisions.tsx";
import { EventDetails } from "../../../events/view/event-details.tsx";
import { Events } from "../../../events/view/events.tsx";
import { Notes } from "../../../notes/view/notes.tsx";
import { Keeping } from "../../../scrub/view/keeping.tsx";
import "./memory.css";

const parts = [
  ["", "Decisions"],
  ["notes", "Notes"],
  ["events", "Events"],
  ["given", "Given to agents"],
  ["keeping", "Keeping and privacy"],
] as const;

/** What is remembered: to read, to correct, to arrange and to forget. */
export default function Memory({ rest, query }: ViewProps) {
  const [part = "", ...named] = rest.split("/");
  const name = named.join("/");
  return (
    <div class="memory">
      <h1 class="hidden">Memory</h1>
      <PartTabs label="Parts of the memory" view="memory" parts={parts} current={part} />
      {part === "" && <Decisions query={query} />}
      {part === "notes" && <Notes query={query} />}
      {part === "events" && (name === "" ? <Events /> : <EventDetails key={name} id={name} />)}
      {part === "given" && <Given query={query} />}
      {part === "keeping" && <Keeping />}
    </div>
  );
}
