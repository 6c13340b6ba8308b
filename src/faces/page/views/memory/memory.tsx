import { PartTabs } from "../../components/chips.tsx";
import type { ViewProps } from "../../router.ts";
import { Decisions } from "./decisions.tsx";
import { EventDetails } from "./event-details.tsx";
import { Events } from "./events.tsx";
import { Given } from "./given.tsx";
import { Keeping } from "./keeping.tsx";
import { Notes } from "./notes.tsx";
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
