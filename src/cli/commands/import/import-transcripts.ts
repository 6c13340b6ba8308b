import type { Agent } from "../../../agents/agent.ts";
import { call } from "../../../client/call.ts";
import { findOrStartDaemon } from "../../../client/connect.ts";
import { PommelError } from "../../../project/errors.ts";
import type { Project } from "../../../project/paths.ts";
import type { ImportFollowed, TranscriptToImport } from "../../../queries/sessions/import-transcripts.ts";
import { interruption } from "../../terminal/interruption.ts";
import { createProgress } from "../../terminal/progress.ts";

/** Of the paths in one request: a body may have a megabyte. Characters. */
const maxInRequest = 500_000;

/** Without progress for so long, the daemon is asked why; and how often. Milliseconds. */
const stallMs = 3000;
const askAgainMs = 1000;

/**
 * Gives transcripts to the daemon, which it starts where none runs, and watches until they are read.
 * @returns null when somebody stopped watching
 */
export async function importTranscripts(
  project: Project,
  agent: Agent,
  files: readonly TranscriptToImport[],
): Promise<ImportFollowed | null> {
  const signal = interruption();
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
  const bytes = files.reduce((sum, { left }) => sum + left, 0);
  const unit = bytes < 10_000_000 ? { name: "kB", bytes: 1000 } : { name: "MB", bytes: 1_000_000 };
  const progress = createProgress({ label: "Importing", unit: unit.name });
  const stall = stallWatch(project);
  const onProgress = (done: number, total: number, what?: string) =>
    progress.update(Math.round(done / unit.bytes), Math.ceil(total / unit.bytes), what, stall(done));
  return call("followImport", { files }, project, { signal, onProgress }).finally(progress.finish);
}

/** What the import waits for once nothing has moved for a while: a full disk, say. The daemon goes on by itself when it is gone. */
function stallWatch(project: Project): (done: number) => string | undefined {
  let [moved, asked, reason] = [{ done: -1, at: 0 }, 0, ""];
  return (done) => {
    const now = performance.now();
    if (done !== moved.done) moved = { done, at: now };
    if (now - moved.at <= stallMs) return undefined;
    if (now - asked > askAgainMs) {
      asked = now;
      void call("status", {}, project, { without: "fail" }).then(
        ({ notes }) => {
          reason = notes.join(" ");
        },
        () => {},
      );
    }
    return reason || undefined;
  };
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
