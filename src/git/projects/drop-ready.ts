import { writeFileSync } from "node:fs";
import type { Project } from "../../base/paths.ts";
import { locateSaidFile, removeReady } from "../../protocol/ready-context.ts";
import { Registry } from "../../store/registry.ts";

/**
 * Agents are told nothing by themselves that was made ready before: a person has changed what there is to tell. What is being made
 * ready now counts no longer, either. Never fails.
 */
export function dropReady({ id, dataDir }: Pick<Project, "id" | "dataDir">): void {
  try {
    writeFileSync(locateSaidFile({ dataDir }), `${Date.now()}\n`, { mode: 0o600 });
    for (const { root } of Registry.openIfThere()?.listCheckouts(id) ?? []) removeReady(root);
  } catch {
    // Where nothing can be written, nothing was made ready.
  }
}
