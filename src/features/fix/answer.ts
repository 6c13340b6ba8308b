import type { Subjects } from "../../answers/operation.ts";
import { listProjectRoots } from "../../git/projects/roots.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import { findFixes } from "../../sessions/fixes/find-fixes.ts";
import { listAsides } from "../asides.ts";
import { findMentions } from "./find-mentions.ts";
import type { fixRequest } from "./operation.ts";

/** Errors in an answer, by default: they are long. */
const listedErrors = 3;

export async function fix(
  { project, memory }: Subjects["memory"],
  { error, limit = listedErrors }: Shaped<typeof fixRequest>,
) {
  const fixes = findFixes(await listProjectRoots(project.root), memory, { error, limit });
  const found = { ...fixes, mentions: [], notes: await listAsides(project, memory, { error }) };
  if (found.errors.length > 0) return found;
  const { mentions, notes } = await findMentions(memory, error);
  return {
    ...found,
    verdict: mentions.length > 0 ? ("maybe" as const) : found.verdict,
    mentions,
    notes: [...found.notes, ...notes],
  };
}
