/** The commands that a daemon may run for `pm`, some only in part: see `query` in frame.ts. */
export const forwarded: ReadonlySet<string> = new Set([
  "blame",
  "checkpoint",
  "code",
  "daemon queue",
  "digest",
  "event",
  "how",
  "memory decisions",
  "memory lost",
  "memory notes",
  "review",
  "search",
  "session",
  "status",
  "why",
]);

/** Whether `names` has a command or its group. */
export function includesCommand(names: ReadonlySet<string>, [group = "", command = ""]: readonly string[]) {
  return names.has(group) || names.has(`${group} ${command}`);
}

/** What a command's answer depends on besides its arguments. A daemon of another environment does not run it. */
export function settingsOf(env: NodeJS.ProcessEnv): Record<string, string | undefined> {
  const names = Object.keys(env).filter(
    (name) =>
      /^(?:POMMEL_\w+|XDG_(?:CACHE|CONFIG|DATA)_HOME|HOME|TZ)$/.test(name) &&
      name !== "POMMEL_DAEMON_AUTOSTART" &&
      // The pager is run by this process.
      name !== "POMMEL_PAGER",
  );
  return Object.fromEntries(names.sort().map((name) => [name, env[name]]));
}
