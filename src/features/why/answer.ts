import { locate, makeLineRange } from "../../answers/file-place.ts";
import type { RunContext, Subjects } from "../../answers/operation.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import type { whyRequest } from "./operation.ts";
import { explainLines } from "./why-lines.ts";

export async function why(
  { project, memory }: Subjects["memory, if any"],
  { file, rev: revision, brief, ...range }: Shaped<typeof whyRequest>,
  { signal }: RunContext,
) {
  const lines = makeLineRange(range.first_line, range.last_line ?? range.first_line);
  const request = { file: locate(project, project.root, file), lines, revision, brief };
  const answer = await explainLines(project, memory, request, signal);
  if (brief || revision !== undefined) return answer;
  const { listAsides } = await import("../asides.ts");
  const asked = { file: { path: answer.file, lines: answer.text } };
  return { ...answer, notes: [...answer.notes, ...(await listAsides(project, memory, asked))] };
}
