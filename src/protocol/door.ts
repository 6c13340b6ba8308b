/** How a question comes in, for the audit log: `agent` is a command line in an agent's shell. */
export const doors = ["cli", "agent", "http", "page", "mcp", "lsp", "hook"] as const;
export type Door = (typeof doors)[number];

/** The header in which Pommel's own programs say which one they are; a program without it is `http`. */
export const doorHeader = "x-pommel-door";

/** The doors behind which an agent reads the answer. */
export const agentDoors: readonly Door[] = ["agent", "mcp", "hook"];

let door: Door = "cli";

/** Which door this process is. */
export const getDoor = (): Door => door;

/** To be called once, when a process starts that is not a person's command line. */
export function setOwnDoor(own: Door): void {
  door = own;
}

export const findDoor = (name: string | undefined): Door | null => doors.find((one) => one === name) ?? null;

/** The header that says for which directory a request is: its absolute path, as encodeURIComponent gives it. */
export const placeHeader = "x-pommel-place";

/** The same in a URL, for programs that cannot send a header. No operation has a field of this name. */
export const placeParameter = "directory";
