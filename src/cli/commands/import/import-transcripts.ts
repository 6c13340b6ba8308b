import type { Agent } from "../../../agents/agent.ts";
import { call } from "../../../client/call.ts";
import { findOrStartDaemon } from "../../../client/connect.ts";
import { PommelError } from "../../../project/errors.ts";
import type { Project } from "../../../project/paths.ts";
import type { TranscriptToImport } from "../../../sessions/ingest/import-preview.ts";
import { followImport, type ImportFollowed } from "./follow.ts";

/** Of the paths in one request: a body may have a megabyte. Characters. */
const maxInRequest = 500_000;

/**
 * Gives transcripts to the daemon, which it starts where none runs, and watches until they are read.
 * @returns null when somebody stopped watching
 */
export async function importTranscripts(
  project: Project,
  agent: Agent,
  files: readonly TranscriptToImport[],
): Promise<ImportFollowed | null> {
  const interruption = new AbortController();
  const interrupt = () => interruption.abort();
  process.once("SIGINT", interrupt);
  process.once("SIGTERM", interrupt);
  await findOrStartDaemon();
  const paths = files.map(({ path }) => path);
  const refusal = await queueTranscripts(project, agent, paths);
  if (refusal !== null) {
    throw new PommelError(
      "usage",
      `The daemon does not import sessions: ${refusal}`,
      "See `pm config list sessions`.",
    );
  }
  return followImport(project, files, interruption.signal);
}

/** Has the daemon read transcripts in the background. @returns why it does not; null when it does */
export async function queueTranscripts(
  project: Project,
  agent: Agent,
  paths: readonly string[],
): Promise<string | null> {
  for (const transcript_paths of portions(paths)) {
    const request = {
      transcript_paths,
      agent: agent.name,
      trigger: "import",
      // Which sessions belong here was decided already.
      all_projects: true,
    };
    const how = { without: "fail", timeout: 60_000 } as const;
    const { queued, reason } = await call("indexTranscript", request, project, how);
    if (!queued) return reason ?? "no reason given.";
  }
  return null;
}

/** Paths in as many requests as the daemon takes them in. */
function portions(paths: readonly string[]): string[][] {
  const all: string[][] = [[]];
  let size = 0;
  for (const path of paths) {
    size += JSON.stringify(path).length + 1;
    if (size > maxInRequest) {
      all.push([]);
      size = JSON.stringify(path).length + 1;
    }
    all.at(-1)!.push(path);
  }
  return all;
}
