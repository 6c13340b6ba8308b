import { existsSync } from "node:fs";
import { statTranscript } from "../../agents/registry.ts";
import { getErrorMessage } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import type { Project } from "../../base/paths.ts";
import { findKnownProject, findProjectIfAny } from "../../git/projects/find-project.ts";
import { loadRecordingConfig } from "../../git/projects/recorded.ts";
import { priority } from "../jobs/session-requests.ts";
import type { Projects } from "./projects.ts";

/** How long to remember the project of a directory. Milliseconds. */
const sameProjectMs = 60_000;

/**
 * Makes every recorded project in which a session was at work read that session, wherever it was started. Opens projects that are
 * not open.
 */
export function readEverywhere(projects: Projects, log: Logger) {
  const projectOf = makeProjectFinder();
  return async (
    { path, agent }: { path: string; agent: string },
    directories: readonly string[],
  ): Promise<void> => {
    const found = new Map<string, Project>();
    for (const directory of directories) {
      const project = await projectOf(directory);
      if (project !== null) found.set(project.id, project);
    }
    for (const project of found.values()) {
      // If one project cannot be opened, the others still read the session.
      try {
        if (!loadRecordingConfig(project).config["sessions.capture"]) continue;
        const { of } = await projects.openToRecord(project);
        const stat = statTranscript(path);
        if (stat === null || !of.memoryWork.hasNews(path, stat)) continue;
        of.memoryWork.readOn(path, { agent, priority: priority.watched, all_projects: true });
      } catch (error) {
        log.debug(`${path} is not read in ${project.root}: ${getErrorMessage(error)}`);
      }
    }
  };
}

/** Finds the project of a directory; null if there is none. It remembers results, as each line of a transcript names directories. */
function makeProjectFinder(): (directory: string) => Promise<Project | null> {
  const found = new Map<string, Project>();
  let since = 0;
  return async (directory) => {
    if (Date.now() - since > sameProjectMs) {
      found.clear();
      since = Date.now();
    }
    const known = found.get(directory);
    if (known) return known;
    const project = existsSync(directory) ? await findProjectIfAny(directory) : findKnownProject(directory);
    if (project !== null) found.set(directory, project);
    return project;
  };
}
