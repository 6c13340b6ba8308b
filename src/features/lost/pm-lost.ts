import { locate } from "../../answers/file-place.ts";
import { exitCode } from "../../base/errors.ts";
import { call } from "../../client/call.ts";
import { findProject } from "../../git/projects/find-project.ts";
import { formatSharedBy } from "../../protocol/origin.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import type { CommandContext } from "../../terminal/frame.ts";
import type { Screen } from "../../terminal/output.ts";
import { formatWhen, shortenId, toOneLine, toPrintable } from "../../terminal/text.ts";
import { findLostText, type LostTextAnswer, type lostTextRequest } from "./operation.ts";

/** `pm memory lost`. @returns 5 when nothing of the file was lost */
export async function lostCommand(
  { cwd, output }: CommandContext,
  named: string,
  options: Omit<Shaped<typeof lostTextRequest>, "file">,
): Promise<number> {
  const project = await findProject(cwd);
  const file = locate(project, cwd, named);
  const found = await call(findLostText, { ...options, file }, project);
  output.result(found, () => renderLost(found, output));
  return found.total === 0 ? exitCode.notFound : exitCode.ok;
}

function renderLost({ file, texts, total }: LostTextAnswer, screen: Screen): string {
  const { colors } = screen;
  if (total === 0) return `Nothing of ${toOneLine(file)} was lost, as far as agents' edits are recorded.`;
  const blocks = texts.map(({ session_id, author, turn, timestamp, lost_by, command, lines }) => {
    const how = lost_by === "edit" ? "replaced by an edit" : `gone after ${toOneLine(command ?? "", 80)}`;
    const place = `${how}, ${formatWhen(timestamp, screen)} | session ${shortenId(session_id)}:${turn}`;
    const from = [place, formatSharedBy(author)].filter(Boolean).join(", ");
    return [colors.dim(from), ...lines.map(toPrintable)].join("\n");
  });
  const shown = texts.length < total ? [colors.dim(`${texts.length} of ${total}`)] : [];
  return [...blocks, ...shown].join("\n\n");
}
