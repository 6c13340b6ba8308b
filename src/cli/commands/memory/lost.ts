import { call } from "../../../client/call.ts";
import { findProject } from "../../../git/projects/find-project.ts";
import { exitCode } from "../../../project/errors.ts";
import type { LostTextAnswer } from "../../../protocol/operations/commands.ts";
import type { RequestOf } from "../../../protocol/routes.ts";
import { locate } from "../../../queries/blame/file-place.ts";
import type { CommandContext } from "../../frame.ts";
import type { Screen } from "../../terminal/output.ts";
import { oneLine, printable, shortId, when } from "../../terminal/text.ts";

/** `pm memory lost`. @returns 5 when nothing of the file was lost */
export async function lostCommand(
  { cwd, output }: CommandContext,
  named: string,
  options: Omit<RequestOf<"lostText">, "file">,
): Promise<number> {
  const project = await findProject(cwd);
  const file = locate(project, cwd, named);
  const found = await call("lostText", { ...options, file }, project);
  output.result(found, () => renderLost(found, output));
  return found.total === 0 ? exitCode.notFound : exitCode.ok;
}

export function renderLost({ file, texts, total }: LostTextAnswer, screen: Screen): string {
  const { colors } = screen;
  if (total === 0) return `Nothing of ${oneLine(file)} was lost, as far as agents' edits are recorded.`;
  const blocks = texts.map(({ session_id, turn, timestamp, lost_by, command, lines }) => {
    const how = lost_by === "edit" ? "replaced by an edit" : `gone after ${oneLine(command ?? "", 80)}`;
    const place = `${how}, ${when(timestamp, screen)} | session ${shortId(session_id)}:${turn}`;
    return [colors.dim(place), ...lines.map(printable)].join("\n");
  });
  const shown = texts.length < total ? [colors.dim(`${texts.length} of ${total}`)] : [];
  return [...blocks, ...shown].join("\n\n");
}
