import { locate } from "../../answers/file-place.ts";
import type { RunContext, Subjects } from "../../answers/operation.ts";
import { listProjectRoots } from "../../git/projects/roots.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import { findLostTexts } from "./find-lost-text.ts";
import type { lostTextRequest } from "./operation.ts";

/** Texts in an answer, by default: they are long. */
const listedTexts = 3;

export async function findLostText(
  { project, memory }: Subjects["memory"],
  { file, limit = listedTexts }: Shaped<typeof lostTextRequest>,
  { signal }: RunContext,
) {
  const roots = await listProjectRoots(project.root);
  const path = locate(project, project.root, file);
  return findLostTexts(memory, roots, { file: path, limit, signal });
}
