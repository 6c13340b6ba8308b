import { thisProcess } from "./frame.ts";
import { runCommandLine } from "./run-command-line.ts";
import { runProcess } from "./run-process.ts";

runProcess(() => runCommandLine(process.argv.slice(2), thisProcess));
