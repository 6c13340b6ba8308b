import { fstatSync } from "node:fs";
import { codeOf } from "../../project/errors.ts";

/** Where a command's output goes: this process's own streams, or those of the `pm` that a daemon runs it for. */
export interface Streams {
  write(fd: 1 | 2, text: string): void;
  /** Whether what is written to `fd` may have colours, where the command line does not say otherwise. */
  hasColor(fd: 1 | 2): boolean;
  /** The terminal's width; undefined when stdout is none. */
  readonly columns: number | undefined;
}

export const ownStreams: Streams = {
  write(fd, text) {
    (fd === 1 ? process.stdout : process.stderr).write(text);
  },
  hasColor: (fd) => wantsColor(fd),
  get columns() {
    return process.stdout.columns;
  },
};

/** `pm search x | head`: ends this process when the reader has what it wanted. */
export function leaveOnClosedPipe(): void {
  process.stdout.on("error", (error) => {
    if (codeOf(error) === "EPIPE") process.exit(0);
    throw error;
  });
}

/**
 * Whether to colour what is written to file descriptor `fd`: NO_COLOR, then FORCE_COLOR decide, else whether it is a
 * terminal. (picocolors alone would also colour pipes when CI is set.)
 */
export function wantsColor(fd: 1 | 2, env: NodeJS.ProcessEnv = process.env): boolean {
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== "0" && env.FORCE_COLOR !== "false";
  return isTerminal(fd) && env.TERM !== "dumb";
}

/** Loads the terminal's module, which costs a millisecond, only where something else may be. */
export function isTerminal(fd: 1 | 2): boolean {
  return fstatSync(fd).isCharacterDevice() && (fd === 1 ? process.stdout : process.stderr).isTTY === true;
}
