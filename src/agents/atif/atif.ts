import { readFile, stat } from "node:fs/promises";
import { resolve } from "node:path";
import type { Agent, TranscriptInfo } from "../agent.ts";
import { bounds } from "../reading/bounds.ts";
import { parseJsonLine, timeOf } from "../reading/json.ts";
import { listFiles } from "../reading/list-files.ts";
import { readObject } from "../reading/read-object.ts";
import { atifProfile } from "./profile.ts";
import { asStep, asTrajectory } from "./schema.ts";
import { cwdOf, sessionOf, understand } from "./understand.ts";

/** Trajectories in files of ATIF 1.x, by any tool. They have no place of their own: a path is given on request. */
export const atif: Agent = {
  ...atifProfile,
  roots: () => [],
  sortsByPlace: false,
  isTranscript: (path) => path.endsWith(".json"),
  directoryOf: () => null,
  ignoredLineTypes: new Set(["copied", "subagent"]),
  list: (path) => listFiles(resolve(path), { isWanted: (file) => file.endsWith(".json") }),
  describe,
  read: (file, cursor, signal) => readObject(file, cursor, understand, signal),
};

async function describe(file: string): Promise<TranscriptInfo | null> {
  if ((await stat(file)).size > bounds.line) return null;
  const trajectory = asTrajectory(parseJsonLine(await readFile(file)));
  if (trajectory === null || trajectory.steps.length === 0) return null;
  const times = trajectory.steps.map((step) => timeOf(asStep(step)?.timestamp));
  return {
    session: sessionOf(trajectory),
    parent: null,
    cwd: cwdOf(trajectory),
    startedAt: times.find((at) => at !== null) ?? null,
  };
}
