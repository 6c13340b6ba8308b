import { runHook } from "../../hooks/run-hook.ts";
import type { CommandContext } from "../frame.ts";

/** `pm hook <name>`, the way round: main.ts takes a shorter one when nothing else is on the command line. */
export async function hookCommand(_: CommandContext, name: string): Promise<void> {
  await runHook(name);
}
