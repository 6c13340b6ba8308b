/** Shell convention for "ended by SIGINT". */
export const interruptedCode = 130;

/** A signal that Ctrl-C or SIGTERM aborts from now on. A second one ends the process as usual. */
export function makeInterruptionSignal(controller = new AbortController()): AbortSignal {
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => controller.abort());
  return controller.signal;
}
