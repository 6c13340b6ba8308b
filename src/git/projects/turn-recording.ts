import { loadConfig } from "../../base/config/config.ts";
import { setConfig } from "../../base/config/config-edit.ts";
import { PommelError } from "../../base/errors.ts";
import type { Project } from "../../base/paths.ts";
import { rememberProject } from "./find-project.ts";

/** Records a project from now on, also after recording was turned off here or everywhere. */
export async function recordHere(project: Project): Promise<void> {
  await remember(project, { named: true, off: false });
  if (loadConfig(null).config["sessions.record"] === "none")
    setConfig(null, "sessions.record", "named", { global: true });
}

/** Nothing more is recorded: here, or, with null, in any project. What is remembered stays. */
export async function recordNothing(project: Project | null): Promise<void> {
  if (project === null) setConfig(null, "sessions.record", "none", { global: true });
  else await remember(project, { off: true });
}

/** @throws PommelError `unreadable` where the registry cannot be written */
async function remember(project: Project, wish: { named?: boolean; off: boolean }): Promise<void> {
  if (await rememberProject(project, wish)) return;
  throw new PommelError(
    "unreadable",
    "Cannot save whether this project is recorded.",
    "Run `pm doctor` to see what is wrong with your home.",
  );
}
