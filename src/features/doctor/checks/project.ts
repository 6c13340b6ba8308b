import { existsSync, rmSync } from "node:fs";
import { defaultAgentName, setupNames } from "../../../agents/profiles.ts";
import { listIgnoredVariables, loadConfig } from "../../../base/config/config.ts";
import { getErrorCode, getErrorMessage, PommelError } from "../../../base/errors.ts";
import { locateDaemonFiles, locateHome } from "../../../base/home.ts";
import type { Project } from "../../../base/paths.ts";
import { dayMs } from "../../../base/text/day.ts";
import { readAutostartStatus } from "../../../client/autostart.ts";
import { call } from "../../../client/call.ts";
import { findLockProblem, keepLocks } from "../../../client/connect.ts";
import { DaemonUnreachable } from "../../../client/daemon-client.ts";
import { createIgnoreRules } from "../../../code/files/ignore.ts";
import { listNestedDirectories } from "../../../code/files/scan.ts";
import { isRemembered } from "../../../git/projects/find-project.ts";
import { findIndexObstacle } from "../../../git/projects/indexed.ts";
import { isTurnedOff, loadRecordingConfig } from "../../../git/projects/recorded.ts";
import { readDaemonRecord } from "../../../protocol/daemon-record.ts";
import { describeAutostart } from "../../../protocol/reading/autostart.ts";
import { createProjectScrubber } from "../../../redact/project-scrubber.ts";
import { describeNested } from "../../index/words.ts";
import { showQueue } from "../../jobs/operation.ts";
import { countNotShared } from "../../share/operation.ts";
import { formatNotShared } from "../../share/words.ts";
import { showStatus } from "../../status/operation.ts";
import { formatVanishing, isLosing } from "../../status/words.ts";
import {
  countMissed,
  countOutdatedCuts,
  findLockHolder,
  inspectIndex,
  inspectMemory,
  listVanishing,
} from "../operation.ts";
import { checkGitHooks, checkHooks, checkInstructions, checkMcp, checkPath } from "./agents.ts";
import { type CheckResult, type DoctorCheck, fail, loadConfigOrDefault, ok, warn } from "./check.ts";
import { checkDisk, checkPermissions, checkWatches } from "./files.ts";
import { checkModels } from "./machine.ts";
import {
  checkBackups,
  checkEncryption,
  checkTranscripts,
  toDatabaseResult,
  toServerResult,
} from "./memory.ts";
import { checkRepository } from "./repository.ts";

/** The checks of one project; `fix` repairs what is safe to repair. */
export function listProjectChecks(project: Project, fix: boolean): DoctorCheck[] {
  return [
    { name: "project", run: () => checkProject(project) },
    { name: "config", run: () => checkConfig(project) },
    { name: "permissions", run: () => checkPermissions(fix) },
    { name: "lock", run: () => checkLock(project) },
    { name: "daemon", run: () => checkDaemon(project, fix) },
    { name: "index", run: () => checkIndex(project) },
    { name: "nested", run: () => checkNested(project) },
    { name: "memory", run: () => checkMemoryDatabase(project) },
    { name: "backups", run: () => checkBackups(project, fix) },
    { name: "encryption", run: () => checkEncryption() },
    { name: "chunks", run: () => checkChunks(project) },
    { name: "capture", run: () => checkCapture(project) },
    { name: "models", run: () => checkModels(project) },
    { name: "context", run: () => checkContext(project) },
    { name: "sharing", run: () => checkSharing(project) },
    { name: "transcripts", run: () => checkTranscripts(project) },
    { name: "retention", run: () => checkRetention(project) },
    ...setupNames.map((agent) => ({
      name: agent === defaultAgentName ? "hooks" : `${agent}-hooks`,
      run: () => checkHooks(project, agent),
    })),
    { name: "mcp", run: () => checkMcp(project) },
    { name: "instructions", run: () => checkInstructions(project) },
    { name: "repository", run: () => checkRepository(project) },
    { name: "git-hooks", run: () => checkGitHooks(project) },
    { name: "path", run: () => checkPath() },
    { name: "watches", run: () => checkWatches(project.root, "/proc/sys/fs/inotify/max_user_watches") },
    { name: "disk", run: () => checkDisk(locateHome().dataDir) },
  ];
}

function checkProject(project: Project): CheckResult {
  const { root } = project;
  const plain = findIndexObstacle(project);
  if (plain !== null) return ok(plain.refusal.message.replace(/\.$/, ""));
  return ok(isRemembered(project) ? `project in ${root}` : `${root} was not used yet`);
}

function checkConfig(project: Project): CheckResult {
  try {
    const { config, origin, notes } = loadConfig(project);
    // Nothing is stored or shown without the patterns of scrubbing.
    createProjectScrubber(project, config);
    if (notes.length > 0) return warn(notes.join(" "), "Change it with `pm config set`, or remove the line.");
    const changed = Object.values(origin).filter((from) => from !== "default").length;
    const ignored = listIgnoredVariables("variable", process.env);
    return ok([`configuration is valid, ${changed} of its settings changed`, ...ignored].join(". "));
  } catch (error) {
    return fail(getErrorMessage(error), error instanceof PommelError ? error.hint : "");
  }
}

function checkCapture(project: Project): CheckResult {
  if (!loadConfig(project).config["sessions.capture"])
    return warn(
      "Agent sessions are not recorded: sessions.capture is off.",
      "Run `pm config set sessions.capture true`.",
    );
  if (loadRecordingConfig(project).config["sessions.capture"]) return ok("agent sessions are recorded");
  if (isTurnedOff(project))
    return ok("agent sessions are not recorded: `pm disable` (`pm enable` turns it on)");
  if (loadConfig(null).origin["sessions.record"] !== "default")
    return ok("agent sessions are not recorded here: you record only projects in which you ran `pm init`");
  return warn("Agent sessions of this project are not recorded.", "Run `pm init` to record them.");
}

/** So many answers that are missed in a week are no accident. */
const manyMissed = 10;

async function checkContext(project: Project): Promise<CheckResult> {
  const { config } = loadConfig(project);
  if (config["context.mode"] === "off") return ok("automatic context is off");
  const weekAgo = Date.now() - 7 * dayMs;
  const missed = await call(countMissed, { since: weekAgo }, project);
  if (missed < manyMissed)
    return ok(`automatic context is ${config["context.mode"]}, ${missed} answers late`);
  return warn(
    `In the last 7 days, ${missed} answers came too late for the agent.`,
    `Raise the deadline: \`pm config set context.deadline_ms ${2 * config["context.deadline_ms"]}\`.`,
  );
}

async function checkLock(project: Project): Promise<CheckResult> {
  const holder = await call(findLockHolder, { file: project.lockFile }, null);
  return ok(
    holder === null
      ? "no process is writing the index"
      : `${holder.owner} (PID ${holder.pid}) writes the index`,
  );
}

async function checkDaemon(project: Project, fix: boolean): Promise<CheckResult> {
  const files = locateDaemonFiles();
  const holder = await call(findLockHolder, { file: files.lock }, null);
  const record = readDaemonRecord();
  try {
    const { daemon, version } = await call(showStatus, {}, project, { without: "fail" });
    const problem = holder === null ? await findLockProblem() : null;
    if (problem !== null) return fail(problem, keepLocks);
    const answers = `daemon ${version} answers on port ${daemon.port ?? record?.port} (PID ${daemon.pid})`;
    return ok(isAutostartOn(project) ? answers : `${answers}; daemon.autostart is off`);
  } catch (error) {
    if (holder !== null) {
      return fail(
        `${holder.owner} (PID ${holder.pid}) runs but does not answer: ${getErrorMessage(error)}`,
        "It may be starting: try again in a moment, then `pm daemon restart`. `pm daemon logs` shows what it does.",
      );
    }
    const status = readAutostartStatus(isAutostartOn(project));
    const [what, hint] = describeAutostart(status);
    if (!existsSync(files.record)) {
      // Nobody has to do anything about it.
      if (status.state === "ready" || status.state === "starting")
        return ok(`the daemon is not running. ${what}`);
      return warn(`The daemon is not running: searches work, changes are not indexed. ${what}`, hint);
    }
    const why = error instanceof DaemonUnreachable ? error.reason : getErrorMessage(error);
    if (!fix) {
      return warn(
        `daemon.json is left over from a daemon that is gone (${why}). ${what}`,
        `${hint} \`pm doctor --fix\` removes the file.`,
      );
    }
    rmSync(files.record, { force: true });
    return ok("removed the daemon.json of a daemon that is gone");
  }
}

const isAutostartOn = (project: Project) => loadConfigOrDefault(project)["daemon.autostart"];

async function checkIndex(project: Project): Promise<CheckResult> {
  const { indexDb: file } = project;
  const config = loadConfigOrDefault(project);
  const { place, check } = await call(inspectIndex, { config }, project);
  const isIndexable = findIndexObstacle(project) === null;
  const absent = ok(isIndexable ? "nothing is indexed yet: the first search does it" : "nothing is indexed");
  if (config["index.driver"] !== "sqlite" && check.state !== "absent") return toServerResult(place, check);
  return toDatabaseResult(file, check, {
    absent,
    damaged: "Run `pm daemon reindex`: the damaged file is moved aside and rebuilt.",
    tooNew: "Update Pommel, or delete the file and run `pm daemon reindex`.",
  });
}

async function checkSharing(project: Project): Promise<CheckResult> {
  const counts = await call(countNotShared, {}, project).catch((error: unknown) => getErrorMessage(error));
  if (typeof counts === "string") return ok(`the sharing status is unknown: ${counts}`);
  if (counts === null) return ok("the memory is not shared with other machines");
  const text = formatNotShared(counts);
  return text === null
    ? ok("the whole memory is shared")
    : { status: "ok", message: text.replace(/\.$/, ""), hint: "`pm share git` shares it." };
}

async function checkMemoryDatabase(project: Project): Promise<CheckResult> {
  const { lost, check } = await call(inspectMemory, {}, project);
  if (lost) return fail(lost.message, lost.hint);
  return toDatabaseResult(project.memoryDb, check, {
    absent: ok("no sessions recorded yet"),
    damaged:
      "Nothing was changed. `pm doctor --repair` saves what can be read, `pm memory restore` goes back to a backup.",
    tooNew: "Update Pommel. Do not delete the file: its data cannot be rebuilt.",
    unreleased: `\`pm memory restore ${project.memoryDb}\` makes a memory of this version from it.`,
  });
}

/** Whether sessions are cut into chunks by the rules and settings in force. */
async function checkChunks(project: Project): Promise<CheckResult> {
  const counts = await call(countOutdatedCuts, { config: loadConfigOrDefault(project) }, project).catch(
    (error: unknown) => getErrorCode(error),
  );
  // Another check reports faults of the memory.
  if (typeof counts === "string") return ok("unknown: the memory cannot be read");
  if (counts === null || counts.outdated === 0)
    return ok("all sessions are divided into chunks by the current rules and settings");
  const which = `${counts.outdated} of ${counts.all} sessions`;
  if (readDaemonRecord() !== null) return ok(`the daemon is cutting ${which} again`);
  return warn(
    `${which} were divided into chunks by older rules or settings, and are searched in this form.`,
    "Run `pm daemon start`: the daemon cuts them again in the background.",
  );
}

/** Repositories and projects inside this one. */
function checkNested(project: Project): CheckResult {
  const found = listNestedDirectories(
    project.root,
    createIgnoreRules(project.root, loadConfig(project).config),
  );
  return ok(
    found.length === 0 ? "no projects or repositories inside this one" : describeNested(found).join(" "),
  );
}

/** Whether a daemon reads transcripts of a project now. */
async function isReading(project: Project): Promise<boolean> {
  const queue = await call(showQueue, {}, project, { without: "fail" }).catch(() => null);
  const { waiting = [], running = [] } = queue?.sessions ?? {};
  return [...waiting, ...running].some(({ kind }) => kind === "transcript");
}

/** Which sessions the agents' clients will delete soon, and whether they are stored by then. */
async function checkRetention(project: Project): Promise<CheckResult> {
  const deleting = await call(listVanishing, {}, project);
  const lost = deleting.find(isLosing);
  if (lost && (await isReading(project)))
    return ok(`${formatVanishing(lost)} Transcripts are being read now`);
  if (lost) {
    return warn(
      formatVanishing(lost),
      `Run \`pm import ${lost.agent}\`. ${lost.setting} in the settings of ${lost.title} says how long it keeps them (${lost.days} days).`,
    );
  }
  if (deleting.length === 0) return ok("no agent used here deletes its sessions");
  const texts = deleting.map((one) => {
    const { title, days, sessions, within_days } = one;
    const soon =
      sessions === 0 ? `none expires within ${within_days} days` : formatVanishing(one).slice(0, -1);
    return `${title} deletes sessions after ${days} days; ${soon}`;
  });
  return ok(texts.join("; "));
}
