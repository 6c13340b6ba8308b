import { exitCode, PommelError } from "../../base/errors.ts";
import { call } from "../../client/call.ts";
import { withoutDaemon } from "../../client/stop-daemon.ts";
import { findProjectIfAny } from "../../git/projects/find-project.ts";
import type { CommandContext } from "../../terminal/frame.ts";
import { givePassphrase } from "../../terminal/passphrase.ts";
import { showAnswer } from "../../terminal/render-document.ts";
import { listTrash, undoRemoval } from "./operation.ts";
import { wordTrash, wordUndone } from "./words.ts";

/** `pm memory undo`: brings back what a command took away, or lists what can be. */
export async function undoCommand(
  { cwd, output }: CommandContext,
  named: string | undefined,
  { list = false }: { list?: boolean },
): Promise<number> {
  const project = await findProjectIfAny(cwd);
  const found = await call(listTrash, { project: project?.id ?? null, cwd }, null);
  if (list) {
    showAnswer(output, { trash: found }, () => wordTrash(found));
    return found.length === 0 ? exitCode.notFound : exitCode.ok;
  }
  // What an undo replaced is brought back by its number: two undos go back two steps.
  const latest = found.find(({ is_here, command }) => is_here && command !== "pm memory undo");
  const number = named === undefined ? latest?.number : Number(named);
  if (number === undefined) {
    throw new PommelError(
      "not_found",
      "Nothing that was removed here can be brought back.",
      found.length === 0 ? "" : "`pm memory undo --list` lists what was removed elsewhere.",
    );
  }
  await givePassphrase(output);
  const { undone, replaced } = await withoutDaemon("pm memory undo", () =>
    call(undoRemoval, { number }, null),
  );
  showAnswer(output, { undone, replaced }, () => wordUndone(undone, replaced));
  return 0;
}
