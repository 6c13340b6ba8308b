import { codeOf } from "../project/errors.ts";

/**
 * Lets `work` be all that this process does.
 * @param work gives the exit code
 */
export function runProcess(work: () => Promise<number>): void {
  // `pm search x | head`: the reader has what it wanted.
  process.stdout.on("error", (error) => {
    if (codeOf(error) === "EPIPE") process.exit(0);
    throw error;
  });
  // No top-level await, so that this can be bundled as CommonJS, which starts faster.
  void work().then((code) => {
    process.exitCode = code;
    // All is written; waiting for sockets to close would cost each `pm search` another 2 ms.
    if (process.stdout.writableLength === 0 && process.stderr.writableLength === 0) process.exit();
  });
}
