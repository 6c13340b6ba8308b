import type { Subjects } from "../../answers/operation.ts";
import { listProjectRoots } from "../../git/projects/roots.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import { findFixes } from "./find-fixes.ts";
import { findMentions } from "./find-mentions.ts";
import type { fixRequest } from "./operation.ts";

/** Errors in an answer, by default: they are long. */
const listedErrors = 3;

export async function fix(
  { project, memory }: Subjects["memory"],
  { error, limit = listedErrors }: Shaped<typeof fixRequest>,
) {
  const found = findFixes(await listProjectRoots(project.root), memory, { error, limit });
  if (found.errors.length > 0) return found;
  const mentions = await findMentions(memory, error);
  return { ...found, verdict: mentions.length > 0 ? ("maybe" as const) : found.verdict, mentions };
}
