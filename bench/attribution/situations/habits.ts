import type { Random } from "../random.ts";
import type { ClientName } from "./clients.ts";

/** From and to. Seconds. */
export type Seconds = readonly [from: number, to: number];

/** How clients and machines behave in one repository. */
export interface Habits {
  client: ClientName;
  /** Where an agent in a container finds the checkout; null: it runs on this machine. */
  mount: string | null;
  /** How far a session's clock is ahead of everybody else's. Milliseconds. */
  clockMs: (random: Random) => number;
  /** A person allows a call before it is run; null: at once. */
  permission: Seconds | null;
  /** Other tools' hooks after a call, before the client writes its result; null: none. */
  hooks: Seconds | null;
  /** A person goes on working while such hooks run. Chance. */
  humanDuringHooks: number;
  /** The watcher looks at what was saved only after this. Seconds. */
  watcherDelay: number;
  /** Sessions that are open at once. */
  sessions: number | null;
  /** Of steps that end in a commit. Chance. */
  commits: number;
  /** The names of the tool that runs commands, and of its argument. */
  shell: readonly (readonly [tool: string, argument: string])[];
}

export const plainHabits: Habits = {
  client: "claude",
  mount: null,
  clockMs: () => 0,
  permission: null,
  hooks: null,
  humanDuringHooks: 0,
  watcherDelay: 0,
  sessions: null,
  commits: 0.14,
  shell: [["Bash", "command"]],
};
