import type { Subjects } from "../../answers/operation.ts";
import { projectRoots } from "../../git/projects/roots.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import { fixesOf } from "./find-fixes.ts";
import { mentionsOf } from "./find-mentions.ts";
import type { fixRequest } from "./operation.ts";

/** Errors in an answer, by default: they are long. */
const listedErrors = 3;

export async function fix(
  { project, memory }: Subjects["memory"],
  { error, limit = listedErrors }: Shaped<typeof fixRequest>,
) {
  const found = fixesOf(await projectRoots(project.root), memory, { error, limit });
  if (found.errors.length > 0) return found;
  const mentions = await mentionsOf(memory, error);
  return { ...found, verdict: mentions.length > 0 ? ("maybe" as const) : found.verdict, mentions };
}
