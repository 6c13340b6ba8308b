/**
 * What `pm` must know of its commands before it loads any of them: an agent waits for some, so that this file imports
 * nothing.
 */

/** Other names of commands, first words alone: those that the field and Pommel's first designs use. They have no help of their own. */
const aliases: Readonly<Record<string, string>> = {
  annotations: "memory notes",
  attribution: "share attribution",
  backup: "memory backup",
  bench: "models bench",
  checkpoints: "checkpoint",
  context: "session context",
  decisions: "memory decisions",
  events: "event",
  forget: "memory forget",
  handoff: "session handoff",
  impact: "code impact",
  logs: "daemon logs",
  notes: "memory notes",
  pull: "share git --pull",
  reindex: "daemon reindex",
  related: "code related",
  restart: "daemon restart",
  restore: "memory restore",
  resume: "session resume",
  rewind: "checkpoint rewind",
  sessions: "session",
  start: "daemon start",
  stats: "code stats",
  stop: "daemon stop",
  sync: "share git",
};

export const aliasNames: readonly string[] = Object.keys(aliases);

/** A command line with its command's own name: `daemon start --wait` for `start --wait`. */
export function toCanonicalArgs(args: readonly string[]): string[] {
  const at = findCommandIndex(args);
  const command = args[at];
  if (command === undefined || !Object.hasOwn(aliases, command)) return [...args];
  return [...args.slice(0, at), ...aliases[command]!.split(" "), ...args.slice(at + 1)];
}

/** Where the command stands among the options that may come before it; the length of `args` where there is none. */
export function findCommandIndex(args: readonly string[]): number {
  let at = 0;
  while (args[at]?.startsWith("-")) at += args[at] === "-C" || args[at] === "--cwd" ? 2 : 1;
  return Math.min(at, args.length);
}
