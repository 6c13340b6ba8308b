import { lineRange, locate } from "../../answers/file-place.ts";
import type { Running, Subjects } from "../../answers/operation.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import type { whyRequest } from "./operation.ts";
import { whyLines } from "./why-lines.ts";

export function why(
  { project, memory }: Subjects["memory, if any"],
  { file, rev: revision, brief, ...range }: Shaped<typeof whyRequest>,
  { signal }: Running,
) {
  const lines = lineRange(range.first_line, range.last_line ?? range.first_line);
  const request = { file: locate(project, project.root, file), lines, revision, brief };
  return whyLines(project, memory, request, signal);
}
