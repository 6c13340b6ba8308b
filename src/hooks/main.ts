import { runHook } from "./run-hook.ts";

/** The whole of `pm hook <name>`, without the rest of `pm`: an agent waits for it at every step. */
void runHook(process.argv[3] ?? "").then(() => process.exit(0));
