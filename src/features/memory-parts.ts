import type { ComponentType } from "preact";
import { Given } from "./context/view/given.tsx";
import { Decisions } from "./decisions/view/decisions.tsx";
import { Events } from "./events/view/events.tsx";
import { Notes } from "./notes/view/notes.tsx";
import { Rules } from "./rules/view/rules.tsx";
import { Keeping } from "./scrub/view/keeping.tsx";

interface MemoryPartProps {
  query: URLSearchParams;
  /** What of it is shown: the rest of the address; "" for all. */
  name: string;
}

/** A part of the view of what is remembered. */
interface MemoryPart {
  /** In the address; "" is the first. */
  path: string;
  title: string;
  Part: ComponentType<MemoryPartProps>;
}

/** The parts of the view of what is remembered, in the order of its tabs. */
export const memoryParts: readonly MemoryPart[] = [
  { path: "", title: "Decisions", Part: Decisions },
  { path: "notes", title: "Notes", Part: Notes },
  { path: "rules", title: "Rules", Part: Rules },
  { path: "events", title: "Events", Part: Events },
  { path: "given", title: "Automatic context", Part: Given },
  { path: "keeping", title: "Storage and privacy", Part: Keeping },
];
