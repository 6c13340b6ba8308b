import { existsSync } from "node:fs";
import { importCommand } from "../agents/profiles.ts";
import { loadConfig } from "../base/config/config.ts";
import { PommelError } from "../base/errors.ts";
import { silentLog } from "../base/log.ts";
import type { Project } from "../base/paths.ts";
import { dropReady } from "../git/projects/drop-ready.ts";
import { rememberProject } from "../git/projects/find-project.ts";
import { listProjectRoots } from "../git/projects/roots.ts";
import { createEmbedder, toEmbedderSettings } from "../models/embed/registry.ts";
import { createProjectScrubber } from "../redact/project-scrubber.ts";
import { buildCutSettings } from "../sessions/chunks/cut-rules.ts";
import type { ScrubbingWork } from "../sessions/work.ts";
import { findLostMemoryError } from "../store/memory/backups/backup-content.ts";
import { Memory } from "../store/memory/memory.ts";
import { ensureSecretKey } from "../store/memory/privacy/secrets.ts";
import { openMemory } from "./open.ts";

/**
 * Changes the memory. A daemon changes the memory that it has open, between its own jobs; any other process opens it to write,
 * and closes it afterwards.
 * @param create creates a missing memory
 * @throws PommelError `no_memory`, `memory_missing`, why it cannot be opened; as `change`
 */
export async function changeMemory<T>(
  project: Project,
  change: (work: ScrubbingWork) => T | Promise<T>,
  { create = false } = {},
): Promise<T> {
  try {
    return await changeOpenMemory(project, change, create);
  } finally {
    // Hooks must not tell agents what was true before the change.
    dropReady(project);
  }
}

async function changeOpenMemory<T>(
  project: Project,
  change: (work: ScrubbingWork) => T | Promise<T>,
  create: boolean,
): Promise<T> {
  const owner = openMemory(project);
  // If the project is not recorded, the daemon keeps no memory open, but a note may still be written.
  const isKept = owner !== null && (owner.memoryIfAny !== null || owner.failure !== null);
  if (!isKept) return changeMemoryFile(project, change, create);
  try {
    return await owner.runExclusive(async () => change(owner.getScrubbingWork()));
  } catch (error) {
    owner.suspect(error);
    throw error;
  }
}

async function changeMemoryFile<T>(
  project: Project,
  change: (work: ScrubbingWork) => T | Promise<T>,
  create: boolean,
): Promise<T> {
  if (!create && !existsSync(project.memoryDb)) {
    const lost = findLostMemoryError(project.memoryDb);
    if (lost) throw lost;
    throw new PommelError(
      "no_memory",
      "No sessions recorded yet.",
      `Run \`pm daemon start\`, and ${importCommand} for past sessions.`,
    );
  }
  const { config } = loadConfig(project);
  const scrubber = createProjectScrubber(project, config);
  const roots = await listProjectRoots(project.root);
  // The daemon makes the vectors of larger models.
  const embedder =
    config["embed.text"] === "none" ? null : createEmbedder("static", toEmbedderSettings(config));
  await rememberProject(project);
  const memory = Memory.open(project.memoryDb, { readonly: false });
  try {
    return await change({
      memory,
      embedder,
      scrubber,
      ledgerKey: ensureSecretKey(memory),
      ...buildCutSettings(config),
      root: project.root,
      worktrees: roots.filter((root) => root !== project.root),
      log: silentLog,
    });
  } finally {
    memory.close();
    await embedder?.close();
  }
}
