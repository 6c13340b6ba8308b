import type { Project } from "../base/paths.ts";
import { loadRecordingConfig } from "../git/projects/recorded.ts";
import { type ReadyPart, removeReadyPart, writeReadyPart } from "../protocol/ready-context.ts";
import { readPublicKey } from "../protocol/sealed-text.ts";
import { Registry } from "../store/registry.ts";

/** Whether hooks may use a feature: its setting is on, and the home is not encrypted, where nothing may be stored in plain text. */
export const isForHooks = (
  project: Project,
  setting: "rules.check" | "dead_ends.check" | "radar.warn",
): boolean => loadRecordingConfig(project).config[setting] && readPublicKey() === null;

/**
 * Writes a feature's data to files for the hooks of all checkouts, because hooks have no time to open a memory.
 * @param makePart makes the data for a checkout. If it is null, or returns null, the checkout's file is removed
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
