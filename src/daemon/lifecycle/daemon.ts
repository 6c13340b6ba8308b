import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod/mini";
import type { commandRequest, commandResponse } from "../../answers/daemon/operation.ts";
import { answerHere } from "../../answers/here.ts";
import { listBackupFolders } from "../../answers/known-projects.ts";
import type { Operation } from "../../answers/operation.ts";
import { run, runInDaemon } from "../../answers/run.ts";
import { collectWhileBusy } from "../../base/collect-garbage.ts";
import { loadConfig } from "../../base/config/config.ts";
import type { Config } from "../../base/config/settings.ts";
import { getErrorMessage } from "../../base/errors.ts";
import { writeJson } from "../../base/files/replace-file.ts";
import { locateDaemonFiles, locateHome, locateOwnConfig, locateSocket } from "../../base/home.ts";
import type { Logger } from "../../base/log.ts";
import type { Project } from "../../base/paths.ts";
import { version } from "../../base/version.ts";
import { clearAutostart } from "../../client/autostart.ts";
import { recordGiven } from "../../features/context/ready.ts";
import type { DoctorResponse } from "../../features/doctor/operation.ts";
import { keepUnread } from "../../features/import/keep-unread.ts";
import {
  findKnownProject,
  findProject,
  findProjectIfAny,
  lookUpProject,
} from "../../git/projects/find-project.ts";
import { findIndexObstacle } from "../../git/projects/indexed.ts";
import { loadRecordingConfig } from "../../git/projects/recorded.ts";
import { type DaemonRecord, daemonOwner } from "../../protocol/daemon-record.ts";
import { removeOldGiven } from "../../protocol/ready-context.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import { givenContextItem, missedContextItem, type SpoolItem } from "../../protocol/spool-items.ts";
import { encryptHome } from "../../store/encryption/convert.ts";
import { readHomeEnvelope } from "../../store/encryption/envelope.ts";
import { forgetPassphrase } from "../../store/encryption/keys.ts";
import { saveMissed } from "../../store/memory/injections.ts";
import { Registry } from "../../store/registry.ts";
import { acquireLock } from "../../store/sqlite/lock.ts";
import { getPageDirectory, PageAccess } from "../http/page.ts";
import { checkRequests, createServer } from "../http/server.ts";
import { keepDaemon } from "../keep-daemon.ts";
import { Projects } from "../projects/projects.ts";
import { readEverywhere } from "../projects/read-everywhere.ts";
import { SpoolReader } from "../spool.ts";
import { MachineWatch } from "../watch/machine-watch.ts";
import { pollSeconds } from "../watch/subscribe.ts";
import type { DaemonLog } from "./daemon-log.ts";
import { runInReverse, type UndoStep } from "./endings.ts";
import { GitLauncher } from "./git-launcher.ts";
import { LiveSettings } from "./live-settings.ts";
import {
  closeServer,
  closeSocket,
  listen,
  listenOnSocket,
  makeDaemonRecord,
  removeRecord,
  writeRecord,
} from "./port.ts";

/** Up to what time a daemon of this person has looked at what agents wrote. The next daemon goes on from there. */
class SeenUntil {
  private readonly file = join(locateHome().stateDir, "seen.json");
  /** Milliseconds since the epoch; the first daemon begins now. */
  readonly at: number;

  constructor(now = Date.now()) {
    this.at = Math.min(this.read() ?? now, now);
  }

  /** Never fails: looking at lines twice does no harm, because they are stored once. */
  note(now = Date.now()): void {
    try {
      writeJson(this.file, { at: now });
    } catch {
      // The next daemon looks at more than it needs to.
    }
  }

  private read(): number | null {
    try {
      const { at } = JSON.parse(readFileSync(this.file, "utf8")) as { at?: unknown };
      return typeof at === "number" && Number.isFinite(at) ? at : null;
    } catch {
      return null;
    }
  }
}

/** The settings that hooks need. For a project that is not open, they are read from its files. */
function buildHookContext(config: Config, projects: Projects): DaemonRecord["context"] {
  const pickHookSettings = (of: Config) => ({
    // If recording is off, agents are told nothing either.
    mode: of["sessions.capture"] && of["sessions.record"] !== "none" ? of["context.mode"] : ("off" as const),
    deadline_ms: of["context.deadline_ms"],
  });
  const everywhere = pickHookSettings(config);
  const open = new Map(projects.listInUse().map(({ project, config: own }) => [project.root, own]));
  const roots = [...new Set([...listKnownRoots(), ...open.keys()])];
  const places = roots.flatMap((root) => {
    const own = open.get(root) ?? readStoredConfig(root);
    if (own === null) return [];
    const here = pickHookSettings(own);
    const isSame = here.mode === everywhere.mode && here.deadline_ms === everywhere.deadline_ms;
    return isSame ? [] : [[root, here] as const];
  });
  return { ...everywhere, places: Object.fromEntries(places) };
}

function listKnownRoots(): string[] {
  try {
    return (Registry.openIfThere()?.listCheckouts() ?? []).map(({ root }) => root);
  } catch {
    // The registry is damaged: it is made again when a project is used.
    return [];
  }
}

/** The settings in a project's files; null if they are invalid, which is reported when the project is opened. */
function readStoredConfig(root: string): Config | null {
  try {
    const project = findKnownProject(root);
    return project && loadRecordingConfig(project).config;
  } catch {
    return null;
  }
}

interface DaemonOptions {
  /** The person's settings for all projects. */
  config: Config;
  log: DaemonLog;
  /**
   * Exits after this long without a request or an agent at work; 0 means never, null the usual time.
   * Milliseconds.
   */
  idleExitMs: number | null;
  /** Closes a checkout that nobody has used for this time. Milliseconds. */
  closeAfterMs: number;
  /** Called when the daemon decides to end or a request asks it to. */
  onStop: (reason: string) => void;
  /** Called when another daemon has to take over; null if none can, because this one runs in a terminal. */
  onRestart: ((reason: string) => void) | null;
  /** Runs a command of `pm` that only reads. */
  runCommand: (request: Shaped<typeof commandRequest>) => Promise<Shaped<typeof commandResponse>>;
  /** Checks what `pm doctor` checks. */
  diagnose: (project: Project) => Promise<DoctorResponse["checks"]>;
}

export interface Daemon {
  record: DaemonRecord;
  /** Ends in order: answers open requests, finishes the file being written, cleans up. */
  stop(): Promise<void>;
}

/** How often to check that the home still exists and belongs to this daemon, and that somebody needs the daemon. Milliseconds. */
const heartbeatMs = 2000;
/** A daemon that nobody uses for half a day ends. The next command starts another. Milliseconds. */
const usualIdleExitMs = 12 * 3_600_000;
/** How often to look for checkouts that nobody uses. Milliseconds. */
const sweepMs = 10_000;
/** How long items in the spool wait until transcripts are kept. Links take a tenth of a second, but copies take longer. Milliseconds. */
const keepFirstMs = 2000;
/** A daemon that runs this long has started successfully. Milliseconds. */
const provenAfterMs = 60_000;

/**
 * Runs the daemon of a person in this process: takes the lock, listens, and opens projects as they are used.
 * @throws PommelError `locked` when another one runs; any other reason why it cannot start
 */
export async function startDaemon(options: DaemonOptions): Promise<Daemon> {
  const { config, log, onStop, onRestart } = options;
  const files = locateDaemonFiles();
  const endings: UndoStep[] = [];
  const stop = () => runInReverse(endings, log);
  try {
    const lock = acquireLock(files.lock, daemonOwner);
    endings.push(() => lock.release());
    keepEncrypted(config, log);

    const gitLauncher = new GitLauncher(log);
    endings.push(() => gitLauncher.end());
    let lastUsed = Date.now();
    const touch = () => {
      lastUsed = Date.now();
    };
    let record: DaemonRecord | null = null;
    const noteSettings = () => {
      if (record !== null)
        writeRecord(Object.assign(record, { context: buildHookContext(config, projects) }));
    };
    let machine: MachineWatch | null = null;
    const projects: Projects = new Projects({
      closeAfterMs: options.closeAfterMs,
      onSettings: noteSettings,
      onUsed: touch,
      onTranscript: (path) => machine?.alsoWatch(path),
      log,
    });
    endings.push(() => projects.closeAll());
    const settings = new LiveSettings({
      files: [locateOwnConfig()],
      load: () => loadConfig(null),
      config,
      log,
      onApplied(keys) {
        if (keys.includes("daemon.log_level")) log.setLevel(config["daemon.log_level"]);
        noteSettings();
      },
      // Each open project handles the settings that concern only it.
      onRestartNeeded(keys) {
        const ours = keys.filter((key) => key === "daemon.port" || key.startsWith("storage."));
        if (ours.length === 0) return;
        if (onRestart === null) log.warn(`restart the daemon to apply ${ours.join(", ")}`);
        else onRestart(`restarting to apply ${ours.join(", ")}`);
      },
    });
    endings.push(() => settings.close());
    const spool = new SpoolReader({ handlers: makeSpoolHandlers(projects), onItems: touch, log });

    const pages = new PageAccess();
    const openPlace = async (place: string, operation: Operation): Promise<Project> => {
      if (operation.looks) {
        const project = await lookUpProject(place);
        await projects.findOpen(project);
        return project;
      }
      const project = await findProject(place);
      // An import may read sessions of many projects, whose code nobody searches, so only their memories are opened.
      if (operation.of === "recording") await projects.openForMemory(project);
      else if (findIndexObstacle(project) === null || operation.of === "code")
        await projects.openCheckout(project);
      // A change to a directory that is no project yet is intended.
      else if (operation.changes || findKnownProject(project.root) !== null)
        await projects.openForMemory(project);
      return project;
    };
    endings.push(
      ...keepDaemon({
        projects,
        settings,
        spool,
        pages,
        isInForeground: onRestart === null,
        record: () => record!,
        runCommand: options.runCommand,
        diagnose: options.diagnose,
        onShutdown() {
          log.info("asked to stop");
          onStop("asked to");
        },
      }),
    );
    const answer = checkRequests(async (place, operation, request, signal) => {
      if (operation.of === "daemon") return runInDaemon(operation, place, request, { signal });
      const project = operation.of === "machine" ? null : await openPlace(place!, operation);
      return run(operation, project, request, { signal });
    });
    // Commands that the daemon runs for `pm` call the daemon without a connection.
    endings.push(answerHere(answer));
    const serving = {
      record: () => record,
      answer,
      pages,
      pageDir: getPageDirectory(),
      onRequest: touch,
      log,
    };
    const server = createServer({ ...serving, isSocket: false });
    const local = createServer({ ...serving, isSocket: true });
    const { stateDir } = locateHome();
    const port = await listen(server, stateDir, config["daemon.port"]);
    endings.push(() => closeServer(server));
    record = makeDaemonRecord(port, buildHookContext(config, projects));
    const hasSocket = await listenOnSocket(local, locateSocket());
    endings.push(() => closeSocket(local, locateSocket(), hasSocket));
    const ours = record;
    writeRecord(ours);
    endings.push(() => removeRecord(ours));
    log.info(`pommeld ${version} answers on 127.0.0.1:${port} and ${locateSocket()}`);
    endings.push(collectWhileBusy());
    await Promise.race([keepBeforeReading(log), sleep(keepFirstMs, undefined, { ref: false })]);
    endings.push(() => spool.close());
    void spool.begin();
    const seen = new SeenUntil();
    const watch = new MachineWatch({
      since: seen.at,
      pollSeconds,
      onGrowth: readEverywhere(projects, log),
      onRescan: (agent, directory) => projects.rescan(agent, directory),
      log,
    });
    machine = watch;
    endings.push(() => lock.isStillOurs() && seen.note());
    endings.push(() => watch.close());
    watch.begin().catch((error: unknown) => log.error(`cannot watch sessions: ${getErrorMessage(error)}`));

    let lastSweep = Date.now();
    const heartbeat = setInterval(() => {
      // Write nothing more: a home that was deleted must not come back.
      if (!lock.isStillOurs() || !hasSocket()) return onStop("the home is gone");
      const now = Date.now();
      gitLauncher.check();
      if (now - lastSweep >= Math.min(sweepMs, options.closeAfterMs)) {
        lastSweep = now;
        seen.note(now);
        projects
          .closeUnused(now)
          .catch((error: unknown) => log.warn(`cannot close a project: ${getErrorMessage(error)}`));
      }
      const idleFor = now - lastUsed;
      const idleExitMs = options.idleExitMs ?? usualIdleExitMs;
      if (projects.listInUse().some(({ of }) => of.memoryWork.isOutgrown()))
        onStop("a newer Pommel migrated a memory, and its daemon takes over");
      else if (idleExitMs > 0 && idleFor > idleExitMs && projects.isResting()) {
        onStop(`idle for ${Math.round(idleFor / 1000)} s`);
      }
    }, heartbeatMs);
    endings.push(() => clearInterval(heartbeat));
    const proven = setTimeout(() => clearAutostart(), provenAfterMs).unref();
    endings.push(() => clearTimeout(proven));

    return { record: ours, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Keeps copies of past sessions before any is read. Questions are answered meanwhile. */
async function keepBeforeReading(log: Logger): Promise<void> {
  try {
    removeOldGiven();
    const { transcripts, bytes, problem } = await keepUnread();
    if (transcripts > 0) log.info(`the vault has ${transcripts} unread transcripts (${bytes} bytes)`);
    if (problem !== null) log.warn(problem);
  } catch (error) {
    log.warn(`unread transcripts are not kept: ${getErrorMessage(error)}`);
  }
}

/** Passes each item of hooks to the project that it is about, if that project is recorded. */
function makeSpoolHandlers(projects: Projects) {
  const openAt = async (place: string) => {
    const project = await findProjectIfAny(place);
    if (project === null || !loadRecordingConfig(project).config["sessions.capture"]) return null;
    return projects.openToRecord(project);
  };
  const placeIn = (item: SpoolItem) => z.parse(z.object({ place: z.string() }), item).place;
  return {
    "agent-hook": async (item: SpoolItem) => {
      await (await openAt(placeIn(item)))?.of.onSpool["agent-hook"]?.(item);
    },
    "git-hook": async (item: SpoolItem) => {
      const recording = await openAt(placeIn(item));
      recording?.checkout?.work.updateCommits();
      await recording?.of.onSpool["git-hook"]?.(item);
    },
    "given-context": async (item: SpoolItem) => {
      const given = z.parse(givenContextItem, item);
      const recording = await openAt(given.place);
      if (recording) await recordGiven(await findProject(given.place), recording.of.memoryWork.memory, given);
    },
    "missed-context": async (item: SpoolItem) => {
      const { event, received_at: at, took_ms: tookMs, place } = z.parse(missedContextItem, item);
      const recording = await openAt(place);
      if (recording) saveMissed(recording.of.memoryWork.memory, { event, at, tookMs });
    },
  };
}

/**
 * Encrypts, before anything is opened, what must be encrypted and is still plain, for example after an interruption.
 * @throws PommelError `encryption_locked`, `encryption_wrong_key`, `encryption_unavailable`
 */
function keepEncrypted(config: Config, log: Logger): void {
  if (!config["storage.encrypt"] && readHomeEnvelope() === null) return;
  const { files } = encryptHome(config["storage.key"], { backups: listBackupFolders() });
  forgetPassphrase();
  if (files.length > 0) log.info(`encrypted ${files.length} files`);
}
