import { setTimeout as sleep } from "node:timers/promises";
import { defaultAgentName } from "../../../agents/profiles.ts";
import { findDaemon, findOrStartDaemon, runDaemonHere } from "../../../client/connect.ts";
import { DaemonUnreachable } from "../../../client/daemon-client.ts";
import { findProjectIfAny } from "../../../git/projects/find-project.ts";
import { loadConfig } from "../../../project/config/config.ts";
import { PommelError } from "../../../project/errors.ts";
import type { Project } from "../../../project/paths.ts";
import type { DaemonRecord } from "../../../protocol/daemon-record.ts";
import type { QueueResponse } from "../../../protocol/operations/status.ts";
import type { CommandContext } from "../../frame.ts";
import { humanBytes, type Output, tick } from "../../terminal/output.ts";
import { queueOf, waitForIndex } from "../../terminal/wait-for-index.ts";
import { givePassphrase } from "../memory/encrypt.ts";
import { roughly } from "../status/memory.ts";

/** The JSON of `pm daemon start`. */
export interface StartReport {
  pid: number;
  port: number;
  already_running: boolean;
  /** Files that are new or have changed; null while they are still being looked for. */
  files_to_index: number | null;
  /** null when it is too early for an estimate. */
  eta_seconds: number | null;
  /** Sessions from before Pommel came here; null while they are still being looked for. */
  past_sessions: { sessions: number; bytes: number; agents?: string[] | undefined } | null;
}

/** How long to wait for the first figures before reporting without them. Milliseconds. */
const figuresWithinMs = 2500;

/** So many files done make the time left more than a guess; the first ones wait for the parsers to load. */
const enoughToJudge = 100;

/** `pm daemon start`: starts the daemon unless it runs already, and says how long the first indexing will take. */
export async function startCommand(
  { cwd, output }: CommandContext,
  options: { foreground?: boolean; wait?: boolean },
): Promise<number> {
  const project = await findProjectIfAny(cwd);
  // A mistake in the configuration is better shown here than found in the daemon's log.
  loadConfig(project);
  await givePassphrase(output);
  if (options.foreground) {
    const running = await findDaemon();
    if (!running) return runDaemonHere();
    const report = await reportOn(running, project, false);
    output.result(report, alreadyRunning(running));
    return 0;
  }
  const report = await startDaemonAndReport(project, output);
  if (options.wait && project !== null) {
    await waitForIndex(project);
    output.print("Everything is indexed.");
  }
  // For a person it has said everything as it went.
  if (output.json) output.result(report, "");
  return 0;
}

/**
 * Starts the daemon if it does not run, and reports to a person what happens now.
 * @returns the same for a script
 * @throws PommelError `daemon_start_failed`, `locked`
 */
export async function startDaemonAndReport(project: Project | null, output: Output): Promise<StartReport> {
  const { record, startedHere } = await findOrStartDaemon();
  if (!startedHere) {
    output.print(alreadyRunning(record));
    return reportOn(record, project, false);
  }
  const report = await reportOn(record, project, true).catch(async (error: unknown) => {
    if (!(error instanceof DaemonUnreachable)) throw error;
    // It runs, and is too busy to count.
    if (await findDaemon()) return reportOn(record, null, true);
    throw new PommelError(
      "daemon_start_failed",
      "The Pommel daemon exited right after it started.",
      "See `pm daemon logs`, or run `pm daemon start --foreground`.",
      { cause: error },
    );
  });
  const started = `Pommel daemon started (PID ${record.pid}, port ${record.port})`;
  output.print(`${tick("ok", output.colors)} ${started}`);
  output.print();
  if (project !== null)
    for (const line of [...whatHappensNow(report), ...pastSessions(report)]) output.print(line);
  return report;
}

function alreadyRunning({ pid, port }: DaemonRecord): string {
  return `Pommel daemon is already running (PID ${pid}, port ${port}).\nUse \`pm status\` to see what it does.`;
}

async function reportOn(record: DaemonRecord, project: Project | null, isNew: boolean): Promise<StartReport> {
  const daemon = { pid: record.pid, port: record.port, already_running: !isNew };
  if (project === null) return { ...daemon, files_to_index: null, eta_seconds: null, past_sessions: null };
  const deadline = Date.now() + (isNew ? figuresWithinMs : 0);
  let queue: QueueResponse;
  do {
    queue = await queueOf(project);
    const isCounted = queue.past !== null || !isNew;

    if (isCounted && (queue.code_is_idle || (queue.eta_seconds && queue.done >= enoughToJudge))) break;
    await sleep(50);
  } while (Date.now() < deadline);
  return {
    ...daemon,
    files_to_index: queue.code_is_idle ? 0 : queue.total > 0 ? queue.total : null,
    eta_seconds: queue.code_is_idle ? 0 : queue.eta_seconds || null,
    past_sessions: queue.past,
  };
}

export function whatHappensNow({ files_to_index, eta_seconds }: StartReport): string[] {
  if (files_to_index === 0) return ["The index is up to date; changes are indexed as you save them."];
  const files = files_to_index === null ? "counting…" : files_to_index.toLocaleString("en");
  return [
    `  Files to index:     ${files}`,
    // A first index has no progress yet to estimate from; `pm status` has an estimate a moment later.
    ...(eta_seconds === null ? [] : [`  Estimated time:     about ${roughly(eta_seconds)}`]),
    "",
    "Indexing continues in the background; until then, searches cover what is indexed so far.",
    "",
    "  Progress:           pm status",
    "  Live:               pm status --watch",
    "  For scripts:        pm status --json",
  ];
}

function pastSessions({ past_sessions: past }: StartReport): string[] {
  if (past === null || past.sessions === 0) return [];
  const [sessions, them] = past.sessions === 1 ? ["session", "it"] : ["sessions", "them"];
  const found = `Found ${past.sessions} past ${sessions} (${humanBytes(past.bytes)})`;
  const imports = (past.agents ?? [defaultAgentName]).map((agent) => `\`pm import ${agent}\``);
  return ["", `${found}. Import ${them}: ${imports.join(", ")}.`];
}
