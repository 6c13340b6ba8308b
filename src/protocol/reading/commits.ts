/** What became of a commit, in words. */

import { shortenHash } from "../../base/text/short-hash.ts";

type Reach = "head" | "elsewhere" | "gone" | null;

export const wordReverted = (by: string | null): string | null =>
  by === null ? null : `reverted by ${shortenHash(by)}`;

/** Where a commit is that HEAD does not have; null: HEAD has it, or it is not known. @param branches null: not asked for */
export function wordReach(reach: Reach, branches: readonly string[] | null): string | null {
  if (reach === "gone") return "not in this repository";
  if (reach !== "elsewhere") return null;
  if (branches === null) return "not in HEAD's history";
  return branches.length > 0 ? `on ${branches.join(", ")} only` : "on no branch";
}
