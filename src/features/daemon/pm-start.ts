import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { defaultAgentName } from "../../agents/profiles.ts";
import { table } from "../../answers/document.ts";
import { loadConfig } from "../../base/config/config.ts";
import { explainError, getErrorMessage, PommelError } from "../../base/errors.ts";
import type { Project } from "../../base/paths.ts";
import { formatBytes } from "../../base/text/bytes.ts";
import { formatRoughDuration } from "../../base/text/duration.ts";
import { version } from "../../base/version.ts";
import { askAgain } from "../../client/ask-again.ts";
import { locateProgram, recordStopped } from "../../client/autostart.ts";
import { call } from "../../client/call.ts";
import {
  findDaemon,
  findLockProblem,
  findOrStartDaemon,
  keepLocks,
  runDaemonHere,
} from "../../client/connect.ts";
import { DaemonUnreachable } from "../../client/daemon-client.ts";
import { stopDaemon } from "../../client/stop-daemon.ts";
import { findProjectIfAny } from "../../git/projects/find-project.ts";
import { findIndexObstacle } from "../../git/projects/indexed.ts";
import type { DaemonRecord } from "../../protocol/daemon-record.ts";
import type { CommandContext } from "../../terminal/frame.ts";
import { formatMark, type Output } from "../../terminal/output.ts";
import { givePassphrase } from "../../terminal/passphrase.ts";
import { renderDocument, showAnswer } from "../../terminal/render-document.ts";
import { readSqliteVersion } from "../doctor/operation.ts";
import { waitForIndex } from "../index/operation.ts";
import type { QueueResponse } from "../jobs/operation.ts";
import { readRunning, showQueue } from "../jobs/operation.ts";
import { wordRunningDaemon } from "../jobs/words.ts";
import { readState } from "../status/operation.ts";
import type { StartReport } from "./operation.ts";

/** `pm daemon version`: what is installed here, for a bug report, and what runs. */
export async function versionCommand({ output }: CommandContext): Promise<void> {
  const record = await findDaemon();
  const report = {
    version,
    node: process.versions.node,
    platform: `${process.platform}-${process.arch}`,
    sqlite: await call(readSqliteVersion, {}, null),
    installed_in: dirname(dirname(locateProgram("pommeld.cjs"))),
    daemon: record && { version: record.version, pid: record.pid },
  };
  const daemon = record ? `${record.version} (PID ${record.pid})` : "not running";
  const facts: [string, string][] = [
    ["Pommel", report.version],
    ["Node.js", report.node],
    ["Platform", report.platform],
    ["SQLite", report.sqlite],
    ["Installed in", report.installed_in],
    ["Daemon", daemon],
  ];
  showAnswer(output, report, () => [[table([{ title: "" }, { title: "" }], facts)]]);
  if (record && record.version !== version) {
    output.note(`The daemon runs version ${record.version}: \`pm daemon restart\` switches to ${version}.`);
  }
}

const staysSo = "It stays stopped until `pm daemon start` or the next boot.";

/**
 * `pm daemon stop`: ends the daemon, waits until it is gone, and lets nothing but `pm daemon start` and the next boot bring it back. Fine
 * when none runs.
 */
export async function stopCommand({ output }: CommandContext): Promise<void> {
  try {
    // First: nothing may start it while it ends.
    recordStopped();
  } catch (error) {
    // A full disk, say.
    output.note(
      `warning: The stop could not be recorded, so the daemon may start again: ${getErrorMessage(error)}.`,
    );
  }
  const stopped = await stopDaemon();
  if (!stopped) {
    output.result({ stopped: false, pid: null, how: null }, `The Pommel daemon is not running. ${staysSo}`);
    return;
  }
  const { pid, how } = stopped;
  const remark = {
    asked: "",
    terminated: " It did not answer and was sent SIGTERM.",
    killed: " It did not exit and was killed.",
  };
  output.result(
    { stopped: true, ...stopped },
    `Pommel daemon stopped (PID ${pid}).${remark[how]} ${staysSo}`,
  );
}

/** `pm daemon restart`: ends the daemon, if one runs, starts another, and says what runs now. */
export async function restartCommand({ output }: CommandContext): Promise<void> {
  // An invalid configuration must not stop a daemon that works.
  loadConfig(null);
  const stopped = await stopDaemon();
  const { record } = await findOrStartDaemon();
  const { pid, port, version } = record;
  output.result(
    { pid, port, version, stopped_pid: stopped?.pid ?? null },
    `Pommel daemon ${version} ${stopped ? "restarted" : "started"} (PID ${pid}, port ${port}).`,
  );
}

/** How long to wait for what is counted before reporting without it: a rate takes seconds to be steady, and is not waited for. Milliseconds. */
const countedWithinMs = 1000;

/** `pm daemon start`: starts the daemon unless it runs already, and says how long the first indexing will take. */
export async function startCommand(
  { cwd, output }: CommandContext,
  options: { foreground?: boolean; wait?: boolean },
): Promise<number> {
  const around = await findProjectIfAny(cwd);
  const plain = around && findIndexObstacle(around);
  const project = plain === null ? around : null;
  // A mistake in the configuration is better shown here than found in the daemon's log.
  loadConfig(around);
  await givePassphrase(output);
  if (plain !== null) output.note(explainError(plain.refusal));
  if (options.foreground) {
    const running = await findDaemon();
    if (!running) return runDaemonHere();
    const report = await reportOn(running, project, false);
    output.result(report, describeAlreadyRunning(running));
    return 0;
  }
  const report = await startDaemonAndReport(project, output);
  if (options.wait && project !== null) {
    await call(waitForIndex, {}, project);
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
  const problem = await findLockProblem();
  if (problem !== null) output.note(`${problem} ${keepLocks}`);
  if (!startedHere) {
    output.print(describeAlreadyRunning(record));
    const report = await reportOn(record, project, false);
    const found = project && (await call(readRunning, {}, project));
    const running = found && renderDocument(wordRunningDaemon(found), { screen: output });
    output.print(running ?? "Use `pm status` to see what it does.");
    return report;
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
  output.print(`${formatMark("ok", output.colors)} ${started}`);
  output.print();
  if (project !== null)
    for (const line of [...describeStart(report), ...describePastSessions(report)]) output.print(line);
  return report;
}

function describeAlreadyRunning({ pid, port }: DaemonRecord): string {
  return `Pommel daemon is already running (PID ${pid}, port ${port}).`;
}

async function reportOn(record: DaemonRecord, project: Project | null, isNew: boolean): Promise<StartReport> {
  const daemon = { pid: record.pid, port: record.port, already_running: !isNew };
  if (project === null) return { ...daemon, files_to_index: null, eta_seconds: null, past_sessions: null };
  // What is open is kept indexed.
  await askAgain(() => call(readState, {}, project, { without: "fail" }));
  const readQueue = () => askAgain(() => call(showQueue, {}, project, { without: "fail" }));
  const deadline = Date.now() + (isNew ? countedWithinMs : 0);
  let queue = await readQueue();
  while (!isCounted(queue) && Date.now() < deadline) {
    await sleep(50);
    queue = await readQueue();
  }
  return {
    ...daemon,
    files_to_index: queue.code_is_idle ? 0 : queue.total > 0 ? queue.total : null,
    eta_seconds: queue.code_is_idle ? 0 : queue.eta_seconds || null,
    past_sessions: queue.past,
  };
}

const isCounted = ({ past, code_is_idle, total }: QueueResponse): boolean =>
  past !== null && (code_is_idle || total > 0);

export function describeStart({ files_to_index, eta_seconds }: StartReport): string[] {
  if (files_to_index === 0) return ["The index is up to date; changes are indexed as you save them."];
  return [
    files_to_index === null
      ? "  Pommel is still counting the files to index."
      : `  Files to index:     ${files_to_index.toLocaleString("en")}`,
    // A first index has no progress yet to estimate from; `pm status` has an estimate a moment later.
    ...(eta_seconds === null ? [] : [`  Estimated time:     about ${formatRoughDuration(eta_seconds)}`]),
    "",
    "Indexing continues in the background; until then, searches cover what is indexed so far.",
    "",
    "  Progress:           pm status",
    "  Live:               pm status --watch",
    "  For scripts:        pm status --json",
  ];
}

function describePastSessions({ past_sessions: past }: StartReport): string[] {
  if (past === null || past.sessions === 0) return [];
  const [sessions, them] = past.sessions === 1 ? ["session", "it"] : ["sessions", "them"];
  const found = `Found ${past.sessions} past ${sessions} (${formatBytes(past.bytes)})`;
  const imports = (past.agents ?? [defaultAgentName]).map((agent) => `\`pm import ${agent}\``);
  return ["", `${found}. Import ${them}: ${imports.join(", ")}.`];
}
