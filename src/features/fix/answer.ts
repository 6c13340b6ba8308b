import type { Subjects } from "../../answers/operation.ts";
import { projectRoots } from "../../git/projects/roots.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import { fixesOf } from "./find-fixes.ts";
import type { fixRequest } from "./operation.ts";

/** Errors in an answer, by default: they are long. */
const listedErrors = 3;

export async function fix(
  { project, memory }: Subjects["memory"],
  { error, limit = listedErrors }: Shaped<typeof fixRequest>,
) {
  return fixesOf(await projectRoots(project.root), memory, { error, limit });
}
