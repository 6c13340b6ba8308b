import { homedir } from "node:os";
import { join } from "node:path";
import { globalDataDir, type Project } from "../../project/paths.ts";
import type { Place } from "../setup.ts";

export function projectPlace(project: Project, env: NodeJS.ProcessEnv = process.env): Place {
  return { scope: "project", dir: project.root, recordFile: join(project.stateDir, "setup.json"), env };
}

/** The user's own files, which count in every project. */
export function userPlace(env: NodeJS.ProcessEnv = process.env): Place {
  return {
    scope: "user",
    dir: env.HOME || homedir(),
    recordFile: join(globalDataDir(env), "setup.json"),
    env,
  };
}
