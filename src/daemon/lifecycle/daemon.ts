import * as z from "zod/mini";
import { clearAutostart } from "../../client/autostart.ts";
import { createIgnoreRules, type IgnoreRules } from "../../code/files/ignore.ts";
import { filesToEmbed } from "../../code/index/embed-source.ts";
import { IndexThread } from "../../code/index/index-thread.ts";
import { Indexer } from "../../code/index/indexer.ts";
import { projectRoots } from "../../git/project-roots.ts";
import { EmbedPass } from "../../models/embed/embed-pass.ts";
import { closeEmbedders, createEmbedders, type Embedders, modelsOf } from "../../models/embed/embedders.ts";
import { collectWhileBusy } from "../../project/collect-garbage.ts";
import type { Config } from "../../project/config/settings.ts";
import { messageOf } from "../../project/errors.ts";
import type { Logger } from "../../project/log.ts";
import type { Project } from "../../project/paths.ts";
import { version } from "../../project/version.ts";
import { type DaemonRecord, daemonOwner } from "../../protocol/daemon-record.ts";
import type { RequestOf, ResponseOf } from "../../protocol/routes.ts";
import { missedContextItem } from "../../protocol/spool-items.ts";
import { answerHere, shareOpenIndex } from "../../queries/here.ts";
import { rememberProject } from "../../queries/known-projects.ts";
import { CodeSearch } from "../../search/code/engine.ts";
import { indexCommits } from "../../search/history/index-commits.ts";
import { QueryEmbedder } from "../../search/vectors/query-embedder.ts";
import { encryptProject } from "../../store/encryption/convert.ts";
import { envelopeOf } from "../../store/encryption/envelope.ts";
import { forgetPassphrase } from "../../store/encryption/key-source.ts";
import { indexDriver } from "../../store/index/drivers.ts";
import { backupFolder } from "../../store/memory/backups/copies.ts";
import { saveMissed } from "../../store/memory/injections.ts";
import { shareOpenMemory } from "../../store/memory/with-memory.ts";
import { acquireWriterLock } from "../../store/sqlite/lock.ts";
import { createHandlers } from "../http/handlers.ts";
import { PageAccess } from "../http/page-access.ts";
import { builtPage } from "../http/page-files.ts";
import { answerWith, createServer } from "../http/server.ts";
import { gitHookEvents } from "../jobs/git/git-events.ts";
import { MemoryReport } from "../jobs/memory-report.ts";
import { MemoryWork } from "../jobs/memory-work.ts";
import { claudeHookEvents } from "../spool/hook-events.ts";
import { SpoolReader } from "../spool/spool-reader.ts";
import { ConversationWatch } from "../watch/conversation-watch.ts";
import { GitWatch } from "../watch/git-watch.ts";
import { IndexWork } from "../watch/index-work.ts";
import { ChangeObserver } from "../watch/observe-changes.ts";
import { type Watcher, watchProject } from "../watch/watcher.ts";
import type { DaemonLog } from "./daemon-log.ts";
import { LiveSettings } from "./live-settings.ts";
import { closeServer, listen } from "./port.ts";
import { contextOf, newRecord, removeRecord, writeRecord } from "./record.ts";

export interface DaemonOptions {
  project: Project;
  config: Config;
  log: DaemonLog;
  /**
   * Exits after this long without a request or a change; 0 means never, null uses daemon.idle_exit_minutes.
   * Milliseconds.
   */
  idleExitMs: number | null;
  /** Called when the daemon decides to end or a request asks it to. */
  onStop: (reason: string) => void;
  /** Called when another daemon has to take over; null where none can, as this one runs in a terminal. */
  onRestart: ((reason: string) => void) | null;
  /** Runs a command of `pm` that only reads. */
  runCommand: (request: RequestOf<"command">) => Promise<ResponseOf<"command">>;
  /** What `pm doctor` checks. */
  diagnose: (project: Project) => Promise<ResponseOf<"doctor">>;
}

export interface Daemon {
  record: DaemonRecord;
  /** Ends in order: answers open requests, finishes the file being written, cleans up. */
  stop(): Promise<void>;
}

/** How often to look whether the project is still there and still ours, and whether anybody needs us. */
const heartbeatMs = 2000;
/** A daemon that runs this long has started successfully. Milliseconds. */
const provenAfterMs = 60_000;

/**
 * Runs the daemon of a project in this process: takes the lock, opens the index, serves HTTP, watches. It answers from
 * the start, while the first pass over the project runs in the background.
 * @throws PommelError `locked` when another process writes the index; any other reason why it cannot start
 */
export async function startDaemon(options: DaemonOptions): Promise<Daemon> {
  const { project, config, log, onStop, onRestart } = options;
  const endings: Ending[] = [];
  const stop = () => runInReverse(endings, log);
  try {
    const lock = acquireWriterLock(project, daemonOwner);
    endings.push(() => lock.release());
    keepEncrypted(project, config, log);

    const rules = createIgnoreRules(project.root, config);
    const embedders = createEmbedders(config, "code");
    endings.push(() => closeEmbedders(embedders));
    const work = await startIndexWork(options, rules, embedders);
    endings.push(() => work.close());

    const stopping = new AbortController();
    let roots: readonly string[] = [project.root];
    const findRoots = async () => {
      roots = await projectRoots(project.root, stopping.signal);
    };
    const rootsFound = findRoots().catch((error: unknown) => log.debug(`worktrees: ${messageOf(error)}`));
    let observer: ChangeObserver | null = null;
    const memoryWork = new MemoryWork({
      project,
      config,
      roots: () => roots,
      rootsFound,
      bundled: embedders.first,
      settled: async () => observer?.settled(),
      log,
    });
    endings.push(() => memoryWork.close());
    endings.push(() => stopping.abort());
    const conversations = new ConversationWatch({
      work: memoryWork,
      project,
      pollSeconds: config["watch.poll_seconds"],
      roots: () => roots,
      findRoots,
      onNews: () => touch(),
      log,
    });
    const onGitHook = gitHookEvents({ work: memoryWork, config });
    const spool = new SpoolReader({
      project,
      handlers: {
        "claude-hook": claudeHookEvents({
          work: memoryWork,
          roots: () => roots,
          onTranscript: (path) => conversations.alsoWatch(path),
          stop: stopping.signal,
        }),
        "git-hook": async (item) => {
          work.updateCommits();
          await onGitHook(item);
        },
        "missed-context": async (item) => {
          const { event, received_at: at, took_ms: tookMs } = z.parse(missedContextItem, item);
          saveMissed(memoryWork.memory, { event, at, tookMs });
        },
      },
      onItems: () => touch(),
      log,
    });

    let lastUsed = Date.now();
    const touch = () => {
      lastUsed = Date.now();
    };
    let record: DaemonRecord | null = null;
    let watcher: Watcher | null = null;
    const settings = new LiveSettings({
      ...{ project, config, log },
      onApplied(keys) {
        if (keys.includes("daemon.log_level")) log.setLevel(config["daemon.log_level"]);
        memoryWork.applySettings();
        // Hooks read these there.
        if (record !== null) writeRecord(project, Object.assign(record, contextOf(config)));
      },
      onRestartNeeded(keys) {
        if (onRestart === null) log.warn(`restart the daemon to apply ${keys.join(", ")}`);
        else onRestart(`restarting to apply ${keys.join(", ")}`);
      },
    });
    endings.push(() => settings.close());
    const report = new MemoryReport({ project, config, work: memoryWork });
    const pages = new PageAccess(project.pageKeyFile);
    const handlers = createHandlers({
      ...{ project, config, work, embedders, settings, memoryWork, report, conversations, spool, pages },
      record: () => record!,
      notes: () =>
        [settings.problem, ...work.notes, watcher?.note ?? null, ...report.notes()].filter(
          (note) => note !== null,
        ),
      roots: () => roots,
      runCommand: options.runCommand,
      diagnose: () => options.diagnose(project),
      isInForeground: onRestart === null,
      onShutdown() {
        log.info("asked to stop");
        onStop("asked to");
      },
    });
    const answer = answerWith(handlers, { project, isOn: config["audit.enabled"] });
    // The commands that it runs for `pm` ask it, and read the memory.
    endings.push(answerHere(project.root, answer));
    endings.push(shareOpenMemory(project.memoryDb, memoryWork));
    endings.push(shareOpenIndex(project.indexDb, work));
    const server = createServer({
      ...{ record: () => record, answer, pages, pageDir: builtPage(), onRequest: touch, log },
    });
    const ours = newRecord(await listen(server, project.root, config["daemon.port"]), config);
    endings.push(() => closeServer(server));
    record = ours;
    writeRecord(project, ours);
    endings.push(() => removeRecord(project, ours));
    void rememberProject(project);
    log.info(`pommeld ${version} answers on 127.0.0.1:${ours.port} for ${project.root}`);

    if (memoryWork.bindsCommits) {
      const memory = () => memoryWork.memoryIfAny;
      observer = new ChangeObserver({ root: project.root, memory, log });
      endings.push(() => observer?.close());
    }
    const watching = watchProject({
      root: project.root,
      rules,
      debounceMs: config["watch.debounce_ms"],
      pollSeconds: config["watch.poll_seconds"],
      onChange(paths) {
        touch();
        work.update(paths);
        if (memoryWork.bindsCommits) observer?.observe(paths);
      },
      onRescan() {
        touch();
        work.reconcile();
        void observer?.takeStock();
      },
      log,
    });
    work.begin(watching);
    watcher = await watching;
    endings.push(() => watcher?.close());
    endings.push(collectWhileBusy());

    endings.push(() => conversations.close());
    await conversations.begin();
    endings.push(() => spool.close());
    await spool.begin();
    const gitWatch = new GitWatch({
      roots: () => roots,
      onHeadChanged: () => {
        memoryWork.scanMissedCommits();
        work.updateCommits();
      },
    });
    endings.push(() => gitWatch.close());
    gitWatch.begin();
    memoryWork.scanMissedCommits({ backfill: true });
    work.updateCommits();
    void observer?.takeStock();
    await work.warmUp();

    const isResting = () => work.isResting() && memoryWork.isResting();
    const heartbeat = setInterval(() => {
      const idleFor = Date.now() - lastUsed;
      const idleExitMs = options.idleExitMs ?? config["daemon.idle_exit_minutes"] * 60_000;
      if (!lock.isStillOurs()) onStop("the project or its .pommel directory is gone");
      else if (memoryWork.isOutgrown())
        onStop("a newer Pommel migrated memory.db, and its daemon takes over");
      else if (idleExitMs > 0 && idleFor > idleExitMs && isResting()) {
        onStop(`idle for ${Math.round(idleFor / 1000)} s`);
      }
    }, heartbeatMs);
    endings.push(() => clearInterval(heartbeat));
    const proven = setTimeout(() => clearAutostart(project), provenAfterMs).unref();
    endings.push(() => clearTimeout(proven));

    return { record: ours, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * Encrypts what is to be encrypted and is not yet, before anything is opened; what an interruption left plain as well.
 * @throws PommelError `encryption_locked`, `encryption_wrong_key`, `encryption_unavailable`
 */
function keepEncrypted(project: Project, config: Config, log: Logger): void {
  if (!config["storage.encrypt"] && envelopeOf(project) === null) return;
  const backups = [backupFolder(project.memoryDb, config["backup.folder"])];
  const { files } = encryptProject(project, config["storage.key"], { backups });
  forgetPassphrase();
  if (files.length > 0) log.info(`encrypted ${files.length} files`);
}

type Ending = () => unknown;

async function runInReverse(endings: Ending[], log: Logger): Promise<void> {
  for (let end = endings.pop(); end; end = endings.pop()) {
    try {
      await end();
    } catch (error) {
      log.warn(`while stopping: ${messageOf(error)}`);
    }
  }
}

async function startIndexWork(
  { project, config, log }: DaemonOptions,
  rules: IgnoreRules,
  embedders: Embedders,
): Promise<IndexWork> {
  const notes: string[] = [];
  const driver = await indexDriver(config);
  const work = await IndexWork.start({
    log,
    moveAside: (why) => driver.moveAside(project.indexDb, why, log),
    indexCommits: (index, signal) => indexCommits(project, config, index, { log, signal }),
    async open() {
      const { index: opened, note } = await driver.openToWrite(project.indexDb, log);
      if (note) notes.push(note);
      const models = modelsOf(embedders);
      const embedder = models.length > 0 ? new QueryEmbedder(embedders) : null;
      const withVectors = models.length > 0;
      const thread = driver.openBeside ? new IndexThread({ project, config, rules, withVectors, log }) : null;
      const index = thread?.writing(opened) ?? opened;
      const indexer = thread ?? new Indexer({ project, config, rules, index, withVectors, log });
      return {
        index,
        search: new CodeSearch({ project, index, embedder }),
        indexer,
        embedPass: new EmbedPass({ source: filesToEmbed(index, (path) => indexer.read(path)), models, log }),
      };
    },
  });
  work.notes.push(...notes);
  return work;
}
