import { type LoadedConfig, loadConfig } from "../../base/config/config.ts";
import type { Project } from "../../base/paths.ts";
import { Registry } from "../../store/registry.ts";

/**
 * The configuration of a project, with recording off where its user did not ask for it: where only named projects are
 * recorded and this one is not, and where `pm disable` turned it off.
 * @throws PommelError as `loadConfig`
 */
export function loadRecordingConfig(project: Project): LoadedConfig {
  const loaded = loadConfig(project);
  if (isWanted(project, loaded)) return loaded;
  const config = { ...loaded.config, "sessions.capture": false };
  return { ...loaded, config };
}

/** Somebody turned recording off here, or everywhere: nothing more is written. */
export function isTurnedOff(project: Project): boolean {
  const { config } = loadConfig(project);
  const isOff = Registry.openIfThere()?.findProjectById(project.id)?.isOff ?? false;
  return isOff || config["sessions.record"] === "none" || !config["sessions.capture"];
}

/** Whether its user named it: `pm init`. */
export const isNamed = ({ id }: Project): boolean =>
  Registry.openIfThere()?.findProjectById(id)?.isNamed ?? false;

function isWanted({ id }: Project, { config }: LoadedConfig): boolean {
  const known = Registry.openIfThere()?.findProjectById(id) ?? null;
  if (known?.isOff || config["sessions.record"] === "none") return false;
  return config["sessions.record"] === "all" || known?.isNamed === true;
}
