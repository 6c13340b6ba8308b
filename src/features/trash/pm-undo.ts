import { PommelError } from "../../base/errors.ts";
import { formatRelativeTime } from "../../base/text/relative-time.ts";
import { call } from "../../client/call.ts";
import { withoutDaemon } from "../../client/stop-daemon.ts";
import { findProjectIfAny } from "../../git/projects/find-project.ts";
import type { CommandContext } from "../../terminal/frame.ts";
import { formatMark } from "../../terminal/output.ts";
import { formatTable } from "../../terminal/table.ts";
import { givePassphrase } from "../encryption/pm-encrypt.ts";
import type { TrashEntry } from "../forget/operation.ts";
import { listTrash, undoRemoval } from "./operation.ts";

/** `pm memory undo`: brings back what a command took away, or lists what can be. */
export async function undoCommand(
  { cwd, output }: CommandContext,
  named: string | undefined,
  { list = false }: { list?: boolean },
): Promise<number> {
  const project = await findProjectIfAny(cwd);
  const found = await call(listTrash, { project: project?.id ?? null, cwd }, null);
  if (list) {
    output.result({ trash: found }, () =>
      found.length === 0 ? "The trash is empty." : formatTable(columns, found.map(formatTrashRow), output),
    );
    return found.length === 0 ? 5 : 0;
  }
  // What an undo replaced is brought back by its number: two undos go back two steps.
  const latest = found.find(({ is_here, command }) => is_here && command !== "pm memory undo");
  const number = named === undefined ? latest?.number : Number(named);
  if (number === undefined) {
    throw new PommelError(
      "not_found",
      "Nothing that was taken away here can be brought back.",
      found.length === 0 ? "" : "`pm memory undo --list` lists what was taken elsewhere.",
    );
  }
  await givePassphrase(output);
  const { undone, replaced } = await withoutDaemon("pm memory undo", () =>
    call(undoRemoval, { number }, null),
  );
  output.result({ undone, replaced }, () =>
    [
      `${formatMark("ok", output.colors)} Brought back what \`${undone.command}\` took ${formatRelativeTime(Date.parse(undone.taken_at))}: ${undone.what}.`,
      ...(replaced ? [`What was in its place: \`pm memory undo ${replaced.number}\`.`] : []),
    ].join("\n"),
  );
  return 0;
}

const columns = [
  { title: "#", isNumber: true },
  { title: "TAKEN" },
  { title: "BY" },
  { title: "WHAT", wraps: true },
  { title: "KEPT UNTIL" },
];

const formatTrashRow = ({ number, taken_at, command, what, kept_until }: TrashEntry) => [
  String(number),
  formatRelativeTime(Date.parse(taken_at)),
  command,
  what,
  kept_until.slice(0, 10),
];

/** Said of whatever was put into the trash. */
export const undoHint = ({ kept_until }: Pick<TrashEntry, "kept_until">): string =>
  `\`pm memory undo\` brings it back until ${kept_until.slice(0, 10)}.`;
