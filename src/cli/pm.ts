import { thisProcess } from "./frame.ts";
import { runCommandLine } from "./run-command-line.ts";
import { leaveOnClosedPipe } from "./terminal/streams.ts";

leaveOnClosedPipe();
// No top-level await, so that this can be bundled as CommonJS, which starts faster.
void runCommandLine(process.argv.slice(2), thisProcess).then((code) => {
  process.exitCode = code;
  // All is written; waiting for sockets to close would cost each command another 2 ms.
  if (process.stdout.writableLength === 0 && process.stderr.writableLength === 0) process.exit();
});
