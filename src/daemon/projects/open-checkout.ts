import { shareOpenIndex } from "../../answers/open.ts";
import { indexCommits } from "../../attribution/search/index-commits.ts";
import type { Config } from "../../base/config/settings.ts";
import { getErrorMessage } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import type { Project } from "../../base/paths.ts";
import { createIgnoreRules, type IgnoreRules } from "../../code/files/ignore.ts";
import { createFileEmbedSource } from "../../code/index/embed-source.ts";
import { IndexThread } from "../../code/index/index-thread.ts";
import { Indexer } from "../../code/index/indexer.ts";
import { CodeSearch } from "../../code/search/engine.ts";
import { QueryEmbedder } from "../../code/search/vectors/query-embedder.ts";
import { indexDriver } from "../../engines/drivers.ts";
import { listLatelyChanged } from "../../git/history/lately-changed.ts";
import { EmbedPass } from "../../models/embed/embed-pass.ts";
import {
  closeEmbedders,
  createEmbedders,
  type Embedders,
  listEmbedders,
} from "../../models/embed/embedders.ts";
import { daemonOwner } from "../../protocol/daemon-record.ts";
import { acquireLock, type Lock } from "../../store/sqlite/lock.ts";
import { runInReverse, type UndoStep } from "../lifecycle/endings.ts";
import { IndexWork } from "../watch/index-work.ts";
import { ChangeObserver } from "../watch/observe-changes.ts";
import { pollSeconds } from "../watch/subscribe.ts";
import { type Watcher, watchProject } from "../watch/watcher.ts";
import type { OpenProject } from "./open-project.ts";

/** A change is indexed this long after the last one to its file. Milliseconds. */
const debounceMs = 50;

interface OpenCheckoutOptions {
  project: Project;
  config: Config;
  log: Logger;
  /** Opens the project to which the checkout belongs. */
  openProject: (bundled: Embedders["first"]) => Promise<OpenProject>;
}

/** A checkout in use: its index is open and kept up to date while its files are watched. */
export class OpenCheckout {
  /** What to do when the checkout is closed, the last first. */
  readonly endings: UndoStep[] = [];
  private watcher: Watcher | null = null;
  private observer: ChangeObserver | null = null;

  private constructor(
    readonly project: Project,
    readonly config: Config,
    readonly embedders: Embedders,
    private readonly log: Logger,
    private readonly lock: Lock,
    readonly work: IndexWork,
    /** The project to which the checkout belongs. */
    readonly of: OpenProject,
  ) {}

  /** @throws PommelError `locked` when another process writes the index; any other reason why it cannot be opened */
  static async open({ project, config, log, openProject }: OpenCheckoutOptions): Promise<OpenCheckout> {
    const endings: UndoStep[] = [];
    try {
      const lock = acquireLock(project.lockFile, daemonOwner);
      endings.push(() => lock.release());
      const rules = createIgnoreRules(project.root, config);
      const embedders = createEmbedders(config, "code");
      endings.push(() => closeEmbedders(embedders));
      const work = await startIndexWork({ project, config, log }, rules, embedders);
      endings.push(() => work.close());
      const of = await openProject(embedders.first);
      const opened = new OpenCheckout(project, config, embedders, log, lock, work, of);
      opened.endings.push(...endings);
      opened.watch(rules);
      return opened;
    } catch (error) {
      await runInReverse(endings, log);
      throw error;
    }
  }

  private watch(rules: IgnoreRules): void {
    const { project, config, work, log, endings, of } = this;
    endings.push(shareOpenIndex(project.indexDb, work, config));
    if (of.memoryWork.bindsCommits) {
      const memory = () => of.memoryWork.memoryIfAny;
      this.observer = new ChangeObserver({ root: project.root, memory, log });
      endings.push(() => this.observer?.close());
    }
    const watching = watchProject({
      root: project.root,
      rules,
      debounceMs,
      pollSeconds,
      onChange: (paths) => {
        work.update(paths);
        if (of.memoryWork.bindsCommits) this.observer?.observe(paths);
        of.hookParts.follow();
      },
      onRescan: () => {
        work.reconcile();
        void this.observer?.takeStock();
      },
      log,
    });
    work.begin(watching);
    watching.then(
      (watcher) => {
        this.watcher = watcher;
      },
      (error: unknown) => log.error(`cannot watch ${project.root}: ${getErrorMessage(error)}`),
    );
    endings.push(async () => (await watching).close());
    work.updateCommits();
    void work.waitForPasses().then(() => of.analyseHistory());
    void this.observer?.takeStock();
    void work.warmUp();
  }

  /** Resolves when the changes seen so far are stored. */
  waitUntilSettled(): Promise<void> | undefined {
    return this.observer?.waitUntilSettled();
  }

  /** Whether the lock is still this daemon's. If somebody deleted the cache, another process may hold a new one. */
  isStillOurs(): boolean {
    return this.lock.isStillOurs();
  }

  /** What a person should know about the work on the checkout. */
  listNotes(): string[] {
    return [
      ...this.work.notes,
      ...(this.watcher?.note ? [this.watcher.note] : []),
      ...this.of.report.listNotes(),
    ];
  }

  close(): Promise<void> {
    return runInReverse(this.endings, this.log);
  }
}

async function startIndexWork(
  { project, config, log }: Pick<OpenCheckoutOptions, "project" | "config" | "log">,
  rules: IgnoreRules,
  embedders: Embedders,
): Promise<IndexWork> {
  const notes: string[] = [];
  const driver = await indexDriver(config);
  const work = await IndexWork.start({
    log,
    moveAside: (why) => driver.moveAside(project.indexDb, why, log),
    latelyChanged: () => listLatelyChanged(project.root),
    indexCommits: (index, signal) => indexCommits(project, config, index, { log, signal }),
    async open() {
      const { index: opened, note } = await driver.openToWrite(project.indexDb, log);
      if (note) notes.push(note);
      const models = listEmbedders(embedders);
      const embedder = models.length > 0 ? new QueryEmbedder(embedders) : null;
      const withVectors = models.length > 0;
      const thread = driver.openBeside ? new IndexThread({ project, config, rules, withVectors, log }) : null;
      const index = thread?.forwardWrites(opened) ?? opened;
      const indexer = thread ?? new Indexer({ project, config, rules, index, withVectors, log });
      return {
        index,
        search: new CodeSearch({ project, index, embedder }),
        indexer,
        embedPass: new EmbedPass({
          source: createFileEmbedSource(index, (path) => indexer.read(path)),
          models,
          log,
        }),
      };
    },
  });
  work.notes.push(...notes);
  return work;
}
