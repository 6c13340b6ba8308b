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
  for (const paths of portions(files.map(({ path }) => path))) {
    const request = {
      transcript_paths: paths,
      agent: agent.name,
      trigger: "import",
      // Which sessions belong here was decided already.
      all_projects: true,
    };
    const { queued, reason } = await call("indexTranscript", request, project, {
      without: "fail",
      timeout: 60_000,
    });
    if (!queued) {
      throw new PommelError(
        "usage",
        `The daemon does not import sessions: ${reason ?? "no reason given."}`,
        "See `pm config list sessions`.",
      );
    }
  }
  return followImport(project, files, interruption.signal);
}

/** Paths in as many requests as the daemon takes them in. */
export function portions(paths: readonly string[]): string[][] {
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
