import { call } from "../../../client/call.ts";
import { findProjectIfAny } from "../../../git/projects/find-project.ts";
import { projectAt } from "../../../project/paths.ts";
import type { Carried } from "../../../queries/attribution/carry.ts";
import type { CommandContext } from "../../frame.ts";
import { counted } from "../../terminal/text.ts";

/** `pm review RANGE --merged-as COMMIT`: notes for what a squash or rebase merge made of the range. */
export async function carryCommand(
  { cwd, output }: CommandContext,
  range: string,
  mergedAs: string,
): Promise<void> {
  const project = (await findProjectIfAny(cwd)) ?? projectAt(cwd);
  const carried = await call("carryAttribution", { range, mergedAs }, project);
  output.result(carried, () => carriedText(carried, mergedAs));
}

function carriedText(
  { onto, ref, written, updated, unchanged, kept, unknown }: Carried,
  mergedAs: string,
): string {
  if (onto.length === 0)
    return `Nothing to carry: ${mergedAs} is a merge that keeps the commits, or one of them.`;
  const parts = [
    `${counted(written.length + updated.length, "note")} written`,
    unchanged > 0 && `${unchanged} already there`,
    kept.length > 0 && `${kept.length} of another tool kept`,
    unknown > 0 && `${counted(unknown, "commit")} without a line of a known author`,
  ].filter((part) => part !== false);
  return `${ref}: ${parts.join(", ")}.`;
}
