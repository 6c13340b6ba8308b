/** The ways in which a question can come in, for the audit log. `agent` is a command line in an agent's shell. */
export const channels = ["cli", "agent", "http", "page", "mcp", "lsp", "hook"] as const;
export type Channel = (typeof channels)[number];

/** The header in which Pommel's own programs say which one they are; a program without it is `http`. */
export const channelHeader = "x-pommel-channel";

/** The channels behind which an agent reads the answer. */
export const agentChannels: readonly Channel[] = ["agent", "mcp", "hook"];

let channel: Channel = "cli";

/** The channel of this process. */
export const getChannel = (): Channel => channel;

/** Call this once at the start of a process that is not a person's command line. */
export function setOwnChannel(own: Channel): void {
  channel = own;
}

export const findChannel = (name: string | undefined): Channel | null =>
  channels.find((one) => one === name) ?? null;

/** The header with the directory that a request is about: its absolute path, encoded by encodeURIComponent. */
export const placeHeader = "x-pommel-place";

/** The same as a parameter of the URL, for programs that cannot send headers. No operation has a field of this name. */
export const placeParameter = "directory";
