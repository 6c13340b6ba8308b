import { runGitHook } from "../../../hooks/run-git-hook.ts";
import { runHook } from "../../../hooks/run-hook.ts";
import type { CommandContext } from "../../frame.ts";

/** `pm hook <name>`, the way round: main.ts takes a shorter one when nothing else is on the command line. */
export async function hookCommand(
  _: CommandContext,
  given: string | undefined,
  words: string[],
  { agent }: { agent?: string | true } = {},
): Promise<void> {
  const name = given ?? "";
  if (name.startsWith("git-")) await runGitHook(name, words);
  else await runHook(name, agent === true ? "" : agent);
}
