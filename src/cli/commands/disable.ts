import { removeHooks } from "../../agents/claude/install.ts";
import { removeGitHooks } from "../../git/hooks/remove.ts";
import { findProject } from "../../project/paths.ts";
import type { CommandContext } from "../frame.ts";
import { tick } from "../output.ts";

/** The JSON of `pm disable`. */
interface DisableResult {
  agent: "claude";
  /** From the project's root; empty when there were no hooks of ours. */
  files: string[];
  changed: boolean;
  /** As `files` and `changed`, of git's hooks. */
  git: { files: string[]; changed: boolean };
}

/** `pm disable`: takes our hooks out. What was remembered stays. */
export async function disableCommand({ cwd, output }: CommandContext): Promise<void> {
  const project = findProject(cwd);
  const [git, claude] = await Promise.allSettled([
    removeGitHooks(project),
    (async () => removeHooks(project))(),
  ]);
  // One that fails does not keep the other from it.
  for (const done of [claude, git]) if (done.status === "rejected") throw done.reason;
  const filesOf = (done: PromiseSettledResult<string[]>) => (done.status === "fulfilled" ? done.value : []);
  const files = filesOf(claude);
  const gitFiles = filesOf(git);
  const result: DisableResult = {
    agent: "claude",
    files,
    changed: files.length > 0,
    git: { files: gitFiles, changed: gitFiles.length > 0 },
  };
  const all = [...files, ...gitFiles];
  output.result(result, () => {
    const done =
      all.length > 0 ? `Removed Pommel's hooks from ${list(all)}` : "There were no hooks of Pommel";
    return `${tick("ok", output.colors)} ${done}.\n  A running daemon still reads transcripts and commits; \`pm config set sessions.capture false\` and \`pm config set git.checkpoints false\` end that, too.`;
  });
}

function list(words: readonly string[]): string {
  if (words.length < 2) return words.join();
  return `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}
