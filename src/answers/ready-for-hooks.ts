import type { Project } from "../base/paths.ts";
import { loadRecordingConfig } from "../git/projects/recorded.ts";
import { type ReadyPart, removeReadyPart, writeReadyPart } from "../protocol/ready-context.ts";
import { readPublicKey } from "../protocol/sealed-text.ts";
import { Registry } from "../store/registry.ts";

/** Whether hooks go by what a setting turns on: in an encrypted home nothing may lie open for them. */
export const isForHooks = (
  project: Project,
  setting: "rules.check" | "dead_ends.check" | "radar.warn",
): boolean => loadRecordingConfig(project).config[setting] && readPublicKey() === null;

/**
 * Writes a feature's part down for the hooks of all checkouts, which have no time to open a memory.
 * @param makePart null, and what it gives for a checkout: there is nothing to go by, and what was written is removed
 */
export function writeForHooks(
  feature: string,
  project: Project,
  makePart: ((root: string) => ReadyPart | null) | null,
): void {
  const roots = (Registry.openIfThere()?.listCheckouts(project.id) ?? []).map(({ root }) => root);
  for (const root of new Set([project.root, ...roots])) {
    const part = makePart?.(root) ?? null;
    if (part === null) removeReadyPart(feature, root);
    else writeReadyPart(feature, part);
  }
}
