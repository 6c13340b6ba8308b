import type { Command } from "commander";

/** The commands that run, ask and question the daemon. */
export function declareDaemonCommands(_program: Command): void {}
