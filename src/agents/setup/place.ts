import { homedir } from "node:os";
import { join } from "node:path";
import { globalDataDir, type Project } from "../../project/paths.ts";
import type { Place } from "../setup.ts";
import { readRecord } from "./record.ts";

/** @param options.own see `Place`; without it, as the project's record says */
export function projectPlace(
  project: Project,
  { env = process.env, own }: { env?: NodeJS.ProcessEnv; own?: boolean | undefined } = {},
): Place {
  const recordFile = join(project.stateDir, "setup.json");
  const place: Place = { scope: "project", dir: project.root, recordFile, env };
  return { ...place, own: own ?? readRecord(place).own ?? false };
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
