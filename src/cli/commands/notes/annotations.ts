import { findProject } from "../../../git/projects/find-project.ts";
import type { AnnotationsRequest, AnnotationsResponse } from "../../../protocol/operations/sessions.ts";
import { callNoted } from "../../call-noted.ts";
import type { CommandContext } from "../../frame.ts";
import { indented, passage } from "../../terminal/markdown.ts";
import type { Screen } from "../../terminal/output.ts";
import { shortId, when } from "../../terminal/text.ts";

/** `pm notes`. */
export async function annotationsCommand(
  { cwd, output }: CommandContext,
  options: AnnotationsRequest,
): Promise<void> {
  const project = await findProject(cwd);
  const answer = await callNoted("annotations", options, project, output);
  output.result(answer, () => renderAnnotations(answer, output));
}

/** Notes for a person, each with when and where it was made. */
export function renderAnnotations({ annotations, total }: AnnotationsResponse, screen: Screen): string {
  const { colors } = screen;
  if (annotations.length === 0)
    return 'No notes. Write "Note to Pommel: ..." in a prompt, or run `pm note "..."`.';
  const blocks = annotations.map(({ id, note, session_id, turn, timestamp, branch, source }) => {
    const session = session_id === null ? "" : `session: ${shortId(session_id)}`;
    const place = [
      when(timestamp, screen),
      source === "agent" ? "by an agent" : session_id === null ? "from a shell" : "",
      session + (turn === null ? "" : `:${turn}`),
      branch ?? "",
      id,
    ].filter((part) => part !== "");
    return [...passage(note, screen), ...indented(place.join(" | "), screen).map(colors.dim)].join("\n");
  });
  const shown = annotations.length < total ? [colors.dim(`${annotations.length} of ${total} notes`)] : [];
  return [...blocks, ...shown].join("\n\n");
}
