import { exitCode, PommelError } from "../../base/errors.ts";
import { call } from "../../client/call.ts";
import { findProject } from "../../git/projects/find-project.ts";
import type { CommandContext } from "../../terminal/frame.ts";
import type { Palette } from "../../terminal/palette.ts";
import { renderDocument } from "../../terminal/render-document.ts";
import { formatCount, toPrintable } from "../../terminal/text.ts";
import { bringBack, previewUndo, type UndoAnswer, undo } from "./operation.ts";
import { wordUndo } from "./words.ts";

interface UndoOptions {
  apply?: boolean;
  branch?: string;
  back?: boolean;
  patch?: boolean;
}

/** `pm undo` */
export async function undoCommand(
  { cwd, output }: CommandContext,
  named: string | undefined,
  { apply, branch, back, patch }: UndoOptions,
): Promise<number | undefined> {
  const project = await findProject(cwd);
  if (back) {
    const brought = await call(bringBack, undefined, project);
    output.result(brought, () =>
      output.colors.ok(
        `Brought back ${formatCount(brought.files.length, "file")}: ${brought.files.map(toPrintable).join(", ")}.`,
      ),
    );
    return undefined;
  }
  if (named === undefined)
    throw new PommelError(
      "usage",
      "No session given.",
      "`pm session` lists them. `pm memory undo` brings back what was forgotten.",
    );
  const [, id = "", turn] = /^(.*?)(?::(\d+))?$/.exec(named) ?? [];
  const request = { id, ...(turn !== undefined && { turn: Number(turn) }) };
  const answer =
    apply || branch !== undefined
      ? await call(undo, { ...request, branch }, project)
      : await call(previewUndo, request, project);
  for (const note of answer.notes) output.note(output.colors.dim(note));
  output.result(answer, () => {
    const told = renderDocument(wordUndo(answer), { screen: output, full: false, pageOf: () => null });
    return patch ? `${told}\n\n${renderPatches(answer, output.colors)}` : told;
  });
  return answer.files.length === 0 ? exitCode.notFound : undefined;
}

function renderPatches({ files }: UndoAnswer, colors: Palette): string {
  return files
    .filter(({ patch }) => patch !== "")
    .map(({ patch }) =>
      patch
        .trimEnd()
        .split("\n")
        .filter((text) => !/^={3,}$/.test(text))
        .map((text) => paintPatchLine(toPrintable(text), colors))
        .join("\n"),
    )
    .join("\n\n");
}

function paintPatchLine(text: string, colors: Palette): string {
  if (text.startsWith("+")) return colors.added(text);
  return text.startsWith("-") ? colors.removed(text) : text;
}
