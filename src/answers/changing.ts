import { existsSync } from "node:fs";
import { importCommand } from "../agents/profiles.ts";
import { loadConfig } from "../base/config/config.ts";
import { PommelError } from "../base/errors.ts";
import { silentLog } from "../base/log.ts";
import type { Project } from "../base/paths.ts";
import { dropReady } from "../git/projects/drop-ready.ts";
import { rememberProject } from "../git/projects/find-project.ts";
import { projectRoots } from "../git/projects/roots.ts";
import { createEmbedder, embedderSettings } from "../models/embed/registry.ts";
import { scrubberOf } from "../redact/project-scrubber.ts";
import { cutSettingsOf } from "../sessions/chunks/cut-rules.ts";
import type { ScrubbingWork } from "../sessions/work.ts";
import { lostMemory } from "../store/memory/backups/backup-content.ts";
import { Memory } from "../store/memory/memory.ts";
import { secretKey } from "../store/memory/privacy/secrets.ts";
import { openMemory } from "./open.ts";

/**
 * Changes the memory: in a daemon the one that it keeps, between its own jobs; else it is opened to write, and closed after
 * use.
 * @param create creates a missing memory
 * @throws PommelError `no_memory`, `memory_missing`, why it cannot be opened; as `change`
 */
export async function changing<T>(
  project: Project,
  change: (work: ScrubbingWork) => T | Promise<T>,
  { create = false } = {},
): Promise<T> {
  try {
    return await changeIt(project, change, create);
  } finally {
    // Whoever asks for a change wants agents to know.
    dropReady(project);
  }
}

async function changeIt<T>(
  project: Project,
  change: (work: ScrubbingWork) => T | Promise<T>,
  create: boolean,
): Promise<T> {
  const owner = openMemory(project);
  // Where nothing is recorded, a daemon keeps none; a note may still be written.
  const isKept = owner !== null && (owner.memoryIfAny !== null || owner.failure !== null);
  if (!isKept) return changeFile(project, change, create);
  try {
    return await owner.alone(async () => change(owner.work()));
  } catch (error) {
    owner.suspect(error);
    throw error;
  }
}

async function changeFile<T>(
  project: Project,
  change: (work: ScrubbingWork) => T | Promise<T>,
  create: boolean,
): Promise<T> {
  if (!create && !existsSync(project.memoryDb)) {
    const lost = lostMemory(project.memoryDb);
    if (lost) throw lost;
    throw new PommelError(
      "no_memory",
      "No sessions recorded yet.",
      `Run \`pm daemon start\`, and ${importCommand} for past sessions.`,
    );
  }
  const { config } = loadConfig(project);
  const scrubber = scrubberOf(project, config);
  const roots = await projectRoots(project.root);
  // A larger model's vectors are the daemon's to make.
  const embedder =
    config["embed.text"] === "none" ? null : createEmbedder("static", embedderSettings(config));
  await rememberProject(project);
  const memory = Memory.open(project.memoryDb, { readonly: false });
  try {
    return await change({
      memory,
      embedder,
      scrubber,
      ledgerKey: secretKey(memory),
      ...cutSettingsOf(config),
      root: project.root,
      worktrees: roots.filter((root) => root !== project.root),
      log: silentLog,
    });
  } finally {
    memory.close();
    await embedder?.close();
  }
}
