/** Shell convention for "ended by SIGINT". */
export const interruptedCode = 130;

/** Aborted by Ctrl-C or SIGTERM from now on; a second one ends the process as usual. */
export function makeInterruptionSignal(controller = new AbortController()): AbortSignal {
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => controller.abort());
  return controller.signal;
}
