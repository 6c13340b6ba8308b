import { codeOf } from "../project/errors.ts";

/**
 * Lets `work` be all that this process does.
 * @param work leaves its exit code in process.exitCode
 * @param fail says what went wrong and returns the exit code
 */
export function runProcess(work: () => Promise<unknown>, fail: (error: unknown) => number): void {
  // `pm search x | head`: the reader has what it wanted.
  process.stdout.on("error", (error) => {
    if (codeOf(error) === "EPIPE") process.exit(0);
    throw error;
  });
  // No top-level await, so that this can be bundled as CommonJS, which starts faster.
  work().then(leave, (error) => {
    process.exitCode = fail(error);
  });
}

/** Everything is said; waiting for sockets to close would cost each `pm search` another 2 ms. */
function leave(): void {
  if (process.stdout.writableLength === 0) process.exit();
}
