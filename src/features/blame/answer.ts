import { locate, makeLineRange, parseLines } from "../../answers/file-place.ts";
import type { RunContext, Subjects } from "../../answers/operation.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import { blameFile } from "./blame-file.ts";
import type { blameRequest } from "./operation.ts";

export function blame(
  { project, memory }: Subjects["memory, if any"],
  { file, first_line, last_line, lines, rev: revision, texts }: Shaped<typeof blameRequest>,
  { signal }: RunContext,
) {
  const isWhole = first_line === undefined && last_line === undefined;
  const one = isWhole ? [] : [makeLineRange(first_line ?? 1, last_line ?? Number.POSITIVE_INFINITY)];
  const ranges = lines?.map(parseLines) ?? one;
  const request = { file: locate(project, project.root, file), ranges, revision, texts };
  return blameFile(project, memory, request, signal);
}
