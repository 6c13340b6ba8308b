import { existsSync } from "node:fs";
import { createEmbedder } from "../embed/registry.ts";
import { embedderSettings } from "../embed/settings.ts";
import { projectRoots } from "../git/project-roots.ts";
import { loadConfig } from "../project/config.ts";
import { PommelError } from "../project/errors.ts";
import { silentLog } from "../project/log.ts";
import type { Project } from "../project/paths.ts";
import { chunkOptionsOf, scrubberOf } from "../sessions/from-config.ts";
import type { ScrubbingWork } from "../sessions/work.ts";
import { Memory } from "../store/memory/memory.ts";
import { secretKey } from "../store/memory/secret-key.ts";
import { askDaemon, DaemonUnreachable } from "./daemon-client.ts";
import type { RouteName } from "./endpoints.ts";
import { rememberProject } from "./known-projects.ts";
import type { RequestOf, ResponseOf } from "./protocol.ts";

/** What forgetting or scrubbing a large memory may take. Milliseconds. */
const patienceMs = 600_000;

/**
 * Lets the daemon change the memory, or changes it in this process where none runs.
 * @param change what the daemon would do; `create` makes a memory where there is none
 * @throws PommelError as the daemon or `change`, `not_indexed` without a memory, `daemon_unreachable` when a daemon is
 *   there but does not answer: it may be at work on what is to be changed
 */
export async function changeMemory<R extends RouteName>(
  project: Project,
  route: R,
  request: RequestOf<R>,
  change: (work: ScrubbingWork) => Promise<ResponseOf<R>>,
  { create = false } = {},
): Promise<ResponseOf<R>> {
  try {
    return await askDaemon(project, route, request, patienceMs);
  } catch (error) {
    if (!(error instanceof DaemonUnreachable) || error.reason === "timeout") throw error;
    return withWritableMemory(project, change, { create });
  }
}

/** Opens the memory with all that it takes to change it, and closes it after use. Errors as `changeMemory`. */
export async function withWritableMemory<T>(
  project: Project,
  use: (work: ScrubbingWork) => T | Promise<T>,
  { create = false } = {},
): Promise<T> {
  if (!create && !existsSync(project.memoryDb)) {
    throw new PommelError(
      "not_indexed",
      "No conversations are remembered yet.",
      "Run `pm start`, and `pm import claude` (codex, gemini) for those of the past.",
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
    return await use({
      memory,
      embedder,
      scrubber,
      ledgerKey: secretKey(memory),
      chunks: chunkOptionsOf(config),
      maxChunks: config["sessions.max_chunks"],
      root: project.root,
      worktrees: roots.filter((root) => root !== project.root),
      log: silentLog,
    });
  } finally {
    memory.close();
    await embedder?.close();
  }
}
