import { knownProject } from "../../git/projects/find-project.ts";
import { recordingConfig } from "../../git/projects/recorded.ts";
import type { Config } from "../../project/config/settings.ts";
import type { DaemonRecord } from "../../protocol/daemon-record.ts";
import { Registry } from "../../store/registry.ts";
import type { Projects } from "../projects/projects.ts";

/** The settings that hooks need. Those of a project that is not open are what its files say. */
export function contextOf(config: Config, projects: Projects): DaemonRecord["context"] {
  const settingsOf = (of: Config) => ({
    // Where recording was turned off, nothing is told either.
    mode: of["sessions.capture"] && of["sessions.record"] !== "none" ? of["context.mode"] : ("off" as const),
    deadline_ms: of["context.deadline_ms"],
  });
  const everywhere = settingsOf(config);
  const open = new Map(projects.inUse().map(({ project, config: own }) => [project.root, own]));
  const roots = [...new Set([...knownRoots(), ...open.keys()])];
  const places = roots.flatMap((root) => {
    const own = open.get(root) ?? storedConfig(root);
    if (own === null) return [];
    const here = settingsOf(own);
    const isSame = here.mode === everywhere.mode && here.deadline_ms === everywhere.deadline_ms;
    return isSame ? [] : [[root, here] as const];
  });
  return { ...everywhere, places: Object.fromEntries(places) };
}

function knownRoots(): string[] {
  try {
    return (Registry.openIfThere()?.checkouts() ?? []).map(({ root }) => root);
  } catch {
    // Damaged: it is made again when a project is used.
    return [];
  }
}

/** null where it is invalid: whoever opens the project says so. */
function storedConfig(root: string): Config | null {
  try {
    const project = knownProject(root);
    return project && recordingConfig(project).config;
  } catch {
    return null;
  }
}
