import { installHooks, localSettings, sharedSettings } from "../../agents/claude/install.ts";
import { findProject } from "../../project/paths.ts";
import { pmOnPath } from "../checks/hooks.ts";
import type { CommandContext } from "../frame.ts";
import { tick } from "../output.ts";

/** The JSON of `pm enable`. */
interface EnableResult {
  agent: "claude";
  /** From the project's root. */
  file: string;
  /** False when all were there. */
  changed: boolean;
  /** The events that had no hook of ours. */
  added: string[];
}

/** `pm enable`: adds the hooks that are missing. */
export async function enableCommand(
  { cwd, output }: CommandContext,
  { local = false }: { local?: boolean },
): Promise<void> {
  const { file, outcome, added } = installHooks(findProject(cwd), local ? localSettings : sharedSettings);
  const result: EnableResult = { agent: "claude", file, changed: outcome !== "already", added };
  output.result(result, () => {
    const done = result.changed
      ? `Added to ${file}: ${added.join(", ")}`
      : `All hooks are in ${file} already`;
    return `${tick("ok", output.colors)} ${done}.`;
  });
  const { problem } = pmOnPath();
  if (problem !== null) output.note(`${tick("warn", output.colors)} ${problem.message} ${problem.hint}`);
}
