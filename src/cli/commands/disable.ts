import { removeHooks } from "../../agents/claude/install.ts";
import { findProject } from "../../project/paths.ts";
import type { CommandContext } from "../frame.ts";
import { tick } from "../output.ts";

/** The JSON of `pm disable`. */
interface DisableResult {
  agent: "claude";
  /** From the project's root; empty when there were no hooks of ours. */
  files: string[];
  changed: boolean;
}

/** `pm disable`: takes our hooks out. What was remembered stays. */
export async function disableCommand({ cwd, output }: CommandContext): Promise<void> {
  const files = removeHooks(findProject(cwd));
  const result: DisableResult = { agent: "claude", files, changed: files.length > 0 };
  output.result(result, () => {
    const done = result.changed
      ? `Removed Pommel's hooks from ${files.join(" and ")}`
      : "There were no hooks of Pommel";
    return `${tick("ok", output.colors)} ${done}.\n  A running daemon still reads transcripts; \`pm config set sessions.capture false\` ends that, too.`;
  });
}
