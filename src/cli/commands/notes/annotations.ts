import { answer } from "../../../client/answer.ts";
import { findProject } from "../../../project/paths.ts";
import type { AnnotationsRequest, AnnotationsResponse } from "../../../protocol/operations/sessions.ts";
import type { CommandContext } from "../../frame.ts";
import type { Colors } from "../../terminal/output.ts";
import { block, localTime, noteOnMemory, oneLine, shortId } from "../session/text.ts";

/** `pm notes`. */
export async function annotationsCommand(
  { cwd, output }: CommandContext,
  options: AnnotationsRequest,
): Promise<void> {
  const project = findProject(cwd);
  const asked = await answer(project, "annotations", options);
  const note = noteOnMemory(asked);
  if (note !== null) output.note(output.colors.dim(note));
  output.result(asked.answer, () => renderAnnotations(asked.answer, output.colors));
}

/** Notes for a person, each with when and where it was made. */
export function renderAnnotations({ annotations, total }: AnnotationsResponse, colors: Colors): string {
  if (annotations.length === 0)
    return 'No notes. Write "Note to Pommel: ..." in a prompt, or run `pm note "..."`.';
  const blocks = annotations.map(({ id, note, session_id, turn, timestamp, branch, source }) => {
    const place = [
      localTime(timestamp),
      session_id === null ? (source === "shell" ? "from a shell" : "") : `session: ${shortId(session_id)}`,
      turn === null ? "" : `turn ${turn}`,
      branch ?? "",
    ].filter((part) => part !== "");
    return [...block(note), colors.dim(`  ${oneLine(place.join(" | "), 200)}  ${oneLine(id, 80)}`)].join(
      "\n",
    );
  });
  const shown = annotations.length < total ? [colors.dim(`${annotations.length} of ${total} notes`)] : [];
  return [...blocks, ...shown].join("\n\n");
}
