import { resolve } from "node:path";
import type { Agent } from "../../agents/agent.ts";
import { claude } from "../../agents/claude/claude.ts";
import { agents, listTranscriptPlaces } from "../../agents/registry.ts";
import { PommelError } from "../../base/errors.ts";
import type { Project } from "../../base/paths.ts";
import { parseWhen } from "../../base/text/dates.ts";
import { askAgain } from "../../client/ask-again.ts";
import { call } from "../../client/call.ts";
import { findOrStartDaemon } from "../../client/connect.ts";
import { findProject } from "../../git/projects/find-project.ts";
import { listProjectRoots } from "../../git/projects/roots.ts";
import type { ImportPreview } from "../../sessions/ingest/import-preview.ts";
import { canAsk, confirm } from "../../terminal/ask.ts";
import type { CommandContext } from "../../terminal/frame.ts";
import { interruptedCode, makeInterruptionSignal } from "../../terminal/interruption.ts";
import { formatMark, type Output } from "../../terminal/output.ts";
import { createProgress } from "../../terminal/progress.ts";
import { renderDocument, showAnswer } from "../../terminal/render-document.ts";
import { formatCount, toOneLine } from "../../terminal/text.ts";
import { readState, showStatus } from "../status/operation.ts";
import type { ImportFollowed, TranscriptToImport } from "./import.ts";
import type { AlinePlan } from "./import-aline.ts";
import type { ImportedSessions } from "./operation.ts";
import {
  type FoundSessions,
  followImport,
  importAline,
  importTranscript,
  planAline,
  previewImport,
} from "./operation.ts";
import { wordAline, wordAlineImport } from "./words.ts";

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
  const signal = makeInterruptionSignal();
  await findOrStartDaemon();
  const refusal = await queueTranscripts(project, agent, files);
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
  const stall = makeStallWatch(project);
  const onProgress = (done: number, total: number, what?: string) =>
    progress.update(Math.round(done / unit.bytes), Math.ceil(total / unit.bytes), what, stall(done));
  return call(followImport, { files }, project, { signal, onProgress }).finally(progress.finish);
}

/** What the import waits for once nothing has moved for a while: a full disk, say. The daemon goes on by itself when it is gone. */
function makeStallWatch(project: Project): (done: number) => string | undefined {
  let [moved, asked, reason] = [{ done: -1, at: 0 }, 0, ""];
  return (done) => {
    const now = performance.now();
    if (done !== moved.done) moved = { done, at: now };
    if (now - moved.at <= stallMs) return undefined;
    if (now - asked > askAgainMs) {
      asked = now;
      // Only of what is open does the status say what it waits for.
      void askAgain(() => call(readState, {}, project, { without: "fail" }))
        .then(() => call(showStatus, {}, project, { without: "fail" }))
        .then(
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
  files: readonly { path: string; urgency: number }[],
): Promise<string | null> {
  for (const { transcript_paths, urgency } of splitIntoRequests(files)) {
    const request = {
      transcript_paths,
      agent: agent.name,
      trigger: "import",
      // Which sessions belong here was decided already.
      all_projects: true,
      urgency,
    };
    const how = { without: "fail", timeout: 60_000 } as const;
    const { queued, reason } = await call(importTranscript, request, project, how);
    if (!queued) return reason ?? "no reason given.";
  }
  return null;
}

/** Paths that are as urgent, in as many requests as the daemon takes them in. */
function splitIntoRequests(
  files: readonly { path: string; urgency: number }[],
): { transcript_paths: string[]; urgency: number }[] {
  const all: { transcript_paths: string[]; urgency: number }[] = [];
  let size = 0;
  for (const { path, urgency } of files) {
    const length = JSON.stringify(path).length + 1;
    size += length;
    if (all.at(-1)?.urgency !== urgency || size > maxInRequest) {
      all.push({ transcript_paths: [], urgency });
      size = length;
    }
    all.at(-1)!.transcript_paths.push(path);
  }
  return all;
}

interface AlineOptions {
  since?: string;
  allProjects?: boolean;
  dryRun?: boolean;
  yes?: boolean;
}

/** `pm import aline [path]` */
export async function importAlineCommand(
  { cwd, output }: CommandContext,
  path: string | undefined,
  { since, allProjects = false, dryRun = false, yes = false }: AlineOptions,
): Promise<number | undefined> {
  const project = await findProject(cwd);
  const asked = {
    path: path === undefined ? undefined : resolve(cwd, path),
    since: since === undefined ? null : await parseWhen(since, "since"),
    allProjects,
  };
  const plan = await call(planAline, asked, project);
  // Transcripts that are there and not read yet.
  const toRead = { agent: claude, places: plan.transcripts, since: null, allProjects };
  const preview = await call(previewImport, toRead, project);
  if (plan.isNewer) {
    output.note(
      `${plan.file} has a newer schema (${plan.schema}) than supported; Pommel reads what it recognises.`,
    );
  }
  output.print(renderDocument(wordAline(plan, preview), { screen: output }));
  const summary = toAlineSummary(plan, preview, dryRun);
  if (dryRun || plan.sessions.length + plan.transcripts.length === 0) {
    output.result(summary, dryRun ? "\nNothing was imported (--dry-run)." : "");
    return;
  }
  if (!yes && canAsk(output) && !(await confirm("\nImport them?", true))) {
    output.print("Nothing was imported.");
    return 1;
  }
  const followed =
    preview.files.length === 0 ? undefined : await importTranscripts(project, claude, preview.files);
  if (followed === null) {
    output.note("The daemon continues with what it has; run it again for the rest.");
    if (output.json) output.result({ ...summary, interrupted: true }, "");
    return interruptedCode;
  }
  const taken = await call(importAline, plan, project);
  const failed = [
    ...(followed?.failed.map(({ path: file, error }) => ({ session: file, error })) ?? []),
    ...taken.failed,
  ];
  for (const { session, error } of failed) output.note(`${session}: ${toOneLine(error, 200)}`);
  const done = { ...summary, ...taken, chunks: taken.chunks + (followed?.chunks ?? 0), failed };
  showAnswer(output, done, () => wordAlineImport(taken, preview, failed.length));
  return failed.length > 0 ? 1 : 0;
}

function toAlineSummary(plan: AlinePlan, preview: ImportPreview, dryRun: boolean) {
  return {
    agent: "aline",
    file: plan.file,
    schema: plan.schema,
    transcripts: { found: plan.transcripts.length, to_read: preview.files.length },
    from_database: plan.sessions.length,
    elsewhere: plan.elsewhere,
    without_place: plan.nowhere,
    older: plan.older,
    dry_run: dryRun,
    interrupted: false,
  };
}

/** Whatever a search may take before somebody is asked without its figures. Milliseconds. */
const searchedFor = 3000;

/**
 * Past sessions in this project, by agent; none where an agent's files cannot be read.
 * @param isWanted they are to be imported anyway, however long it takes to find them
 */
export async function findPastSessions(project: Project, isWanted: boolean): Promise<FoundSessions[]> {
  const signal = isWanted ? undefined : AbortSignal.timeout(searchedFor);
  const roots = await listProjectRoots(project.root);
  const found = await Promise.all(
    agents.map(async (agent) => {
      const asked = { agent, places: listTranscriptPlaces(agent, roots), since: null, allProjects: false };
      try {
        return { agent, preview: await call(previewImport, asked, project, { signal }) };
      } catch {
        // `pm import` reports their faults, which must not stop `pm init`.
        return null;
      }
    }),
  );
  return found.filter((one) => one !== null && one.preview.sessions > 0) as FoundSessions[];
}

/** Imports past sessions, and shows how far it is; Ctrl-C leaves the rest to the daemon. */
export async function importFound(
  project: Project,
  past: readonly FoundSessions[],
  isBrief: boolean,
  output: Output,
): Promise<ImportedSessions> {
  const imported: ImportedSessions = { sessions: 0, chunks: 0, failed: [], interrupted: false };
  const indent = isBrief ? "" : "      ";
  for (const { agent, preview } of past) {
    const followed = await importTranscripts(project, agent, preview.files);
    if (followed === null) {
      output.note(`${indent}The import continues in the daemon; \`pm daemon queue\` shows its progress.`);
      return { ...imported, interrupted: true };
    }
    imported.sessions += preview.sessions;
    imported.chunks += followed.chunks;
    imported.failed.push(...followed.failed);
  }
  const { sessions, chunks, failed } = imported;
  const mark = formatMark(failed.length > 0 ? "warn" : "ok", output.colors);
  output.print(
    `${indent}${mark} Imported ${formatCount(sessions, "session")} (${formatCount(chunks, "chunk")})`,
  );
  if (failed.length > 0) {
    const which = formatCount(failed.length, "transcript");
    output.note(`${indent}  ${which} could not be read: \`pm daemon queue retry\` retries.`);
  }
  return imported;
}
