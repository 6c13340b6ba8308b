import { thisProcess } from "../../terminal/frame.ts";
import { leaveOnClosedPipe, showHeld } from "../../terminal/streams.ts";
import { runCommandLine } from "./run-command-line.ts";

leaveOnClosedPipe();
// No top-level await, so that this can be bundled as CommonJS, which starts faster.
const args = process.argv.slice(2);
void runCommandLine(args, thisProcess).then(async (code) => {
  process.exitCode = code;
  await showHeld(args);
  // All output is written: do not wait for sockets to close, which would cost each command another 2 ms.
  if (process.stdout.writableLength === 0 && process.stderr.writableLength === 0) process.exit();
});
