/** The ways in which a question can come in, for the audit log. `agent` is a command line in an agent's shell. */
export const doors = ["cli", "agent", "http", "page", "mcp", "lsp", "hook"] as const;
export type Door = (typeof doors)[number];

/** The header in which Pommel's own programs say which one they are; a program without it is `http`. */
export const doorHeader = "x-pommel-door";

/** The doors behind which an agent reads the answer. */
export const agentDoors: readonly Door[] = ["agent", "mcp", "hook"];

let door: Door = "cli";

/** The door of this process. */
export const getDoor = (): Door => door;

/** Call this once at the start of a process that is not a person's command line. */
export function setOwnDoor(own: Door): void {
  door = own;
}

export const findDoor = (name: string | undefined): Door | null => doors.find((one) => one === name) ?? null;

/** The header with the directory that a request is about: its absolute path, encoded by encodeURIComponent. */
export const placeHeader = "x-pommel-place";

/** The same as a parameter of the URL, for programs that cannot send headers. No operation has a field of this name. */
export const placeParameter = "directory";
