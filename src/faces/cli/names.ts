/**
 * What `pm` must know of its commands before it loads any of them. Agents wait for some of them, so this file imports nothing.
 */

/** Other names of commands, by their first word: names from other tools and from Pommel's first designs. They have no help. */
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

/** Replaces an alias by the command's canonical name: `start --wait` becomes `daemon start --wait`. */
export function toCanonicalArgs(args: readonly string[]): string[] {
  const at = findCommandIndex(args);
  const command = args[at];
  if (command === undefined || !Object.hasOwn(aliases, command)) return [...args];
  return [...args.slice(0, at), ...aliases[command]!.split(" "), ...args.slice(at + 1)];
}

/** The index of the command, which options may precede; the length of `args` if there is no command. */
export function findCommandIndex(args: readonly string[]): number {
  let at = 0;
  while (args[at]?.startsWith("-")) at += args[at] === "-C" || args[at] === "--cwd" ? 2 : 1;
  return Math.min(at, args.length);
}
