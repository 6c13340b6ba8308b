import { existsSync } from "node:fs";
import type { Agent } from "../../agents/agent.ts";
import { homeSettings, type SettingKey } from "../../base/config/settings.ts";
import { getErrorMessage, PommelError } from "../../base/errors.ts";
import { locateOwnConfig } from "../../base/home.ts";
import type { Logger } from "../../base/log.ts";
import type { Project } from "../../base/paths.ts";
import { waitForRoom } from "../../code/index/index-thread.ts";
import { completeIdentity, findProject, rememberProject } from "../../git/projects/find-project.ts";
import { findIndexObstacle, requireIndexed } from "../../git/projects/indexed.ts";
import { loadRecordingConfig } from "../../git/projects/recorded.ts";
import { JobThreads } from "../jobs/threads/job-threads.ts";
import { type InUse, keepCheckout } from "../keep-checkout.ts";
import { type ChangedSettings, LiveSettings } from "../lifecycle/live-settings.ts";
import { keepContext } from "./keep-context.ts";
import { OpenCheckout } from "./open-checkout.ts";
import { OpenProject } from "./open-project.ts";

interface OpeningProject {
  project: Project;
  opened: Promise<InUse>;
  /** null while the checkout is being opened, and if it could not be opened. */
  inUse: InUse | null;
  /** Milliseconds since the epoch. */
  lastUsed: number;
}

/** An open project, and the checkout that is being worked in; null: its files are not indexed. */
interface Recording {
  of: OpenProject;
  checkout: OpenCheckout | null;
}

interface ProjectsOptions {
  /** Closes a checkout after this time without a question or an agent at work. Milliseconds. */
  closeAfterMs: number;
  /** Called when the settings of a checkout changed. */
  onSettings: () => void;
  /** Called when somebody is at work. */
  onUsed: () => void;
  /** Called when a hook named a transcript, which may lie outside of the watched directories. */
  onTranscript: (path: string) => void;
  log: Logger;
}

/** The open projects and checkouts. They are opened when somebody asks for them, and closed when nobody has for a while. */
export class Projects {
  /** By root. */
  private readonly checkouts = new Map<string, OpeningProject>();
  /** By id, with the number of open checkouts. */
  private readonly projects = new Map<string, { open: OpenProject; users: number }>();
  /** Projects that are open for their memory alone, and when that was last used. Milliseconds since the epoch. */
  private readonly remembering = new Map<string, number>();
  /** Checkouts that are being closed, by root. They cannot be opened again before that is done. */
  private readonly closing = new Map<string, Promise<void>>();
  private readonly threads: JobThreads;
  private isClosed = false;

  constructor(private readonly options: ProjectsOptions) {
    this.threads = new JobThreads({ log: options.log, waitForRoom });
  }

  /** Opens a project for its memory alone: its code is neither indexed nor watched. */
  async openForMemory(project: Project): Promise<OpenProject> {
    if (this.isClosed) throw new PommelError("daemon_starting", "The daemon is stopping.", "Try again.");
    this.options.onUsed();
    const known = this.projects.get(project.id);
    const isPinned = this.remembering.has(project.id);
    if (known && isPinned) {
      this.remembering.set(project.id, Date.now());
      return known.open;
    }
    await this.prepare(project);
    // Another question may have opened the project meanwhile.
    if (this.remembering.has(project.id)) return this.openForMemory(project);
    this.remembering.set(project.id, Date.now());
    return this.openProject(project, null);
  }

  /**
   * The checkout around a directory, opened if need be.
   * @throws PommelError `not_initialised`, and why it cannot be opened
   */
  async openAt(place: string): Promise<InUse> {
    return this.openCheckout(await findProject(place));
  }

  /** As `openAt`, for a project that was found already. */
  async openCheckout(project: Project): Promise<InUse> {
    this.options.onUsed();
    const isOpen = this.findOpen(project);
    if (isOpen !== null) return isOpen;
    requireIndexed(project);
    const before = this.checkouts.get(project.root);
    if (before) await this.close(before);
    await this.closing.get(project.root);
    return this.open(project).opened;
  }

  /** A checkout that is open or being opened; else null. The call counts as a use of it. */
  findOpen(project: Project): Promise<InUse> | null {
    const known = this.checkouts.get(project.root);
    if (known === undefined || known.project.id !== project.id) return null;
    if (known.inUse !== null && !isThere(known.inUse)) return null;
    known.lastUsed = Date.now();
    return known.opened;
  }

  /** Opens a project to record its sessions, with its code unless that must not be indexed. */
  async openToRecord(project: Project): Promise<Recording> {
    if (findIndexObstacle(project) !== null) return { of: await this.openForMemory(project), checkout: null };
    const { checkout } = await this.openCheckout(project);
    return { of: checkout.of, checkout };
  }

  private open(project: Project): OpeningProject {
    if (this.isClosed) throw new PommelError("daemon_starting", "The daemon is stopping.", "Try again.");
    const others = this.checkouts.get(project.root);
    if (others) return others;
    const opening: OpeningProject = {
      project,
      inUse: null,
      lastUsed: Date.now(),
      opened: this.openNow(project).then(
        (inUse) => {
          opening.inUse = inUse;
          this.options.onSettings();
          return inUse;
        },
        (error: unknown) => {
          if (this.checkouts.get(project.root) === opening) this.checkouts.delete(project.root);
          throw error;
        },
      ),
    };
    this.checkouts.set(project.root, opening);
    return opening;
  }

  private async openNow(project: Project): Promise<InUse> {
    const { log, onSettings } = this.options;
    // A checkout that was moved takes its index along, so close the index that is open at the old place.
    await this.closeGone(project.id);
    await this.prepare(project);
    const { config, notes } = loadRecordingConfig(project);
    for (const note of notes) log.warn(`${project.root}: ${note}`);
    const checkout = await OpenCheckout.open({
      project,
      config,
      log,
      openProject: async (bundled) => {
        const of = await this.openProject(project, bundled);
        of.watch();
        return of;
      },
    });
    log.info(`opened ${project.root}`);
    const settings = new LiveSettings({
      files: [project.configFile, project.teamConfigFile, locateOwnConfig()],
      load: () => loadRecordingConfig(project),
      config,
      log,
      onApplied(keys) {
        // The project may have been opened by another checkout, or for its memory alone.
        Object.assign(checkout.of.config, Object.fromEntries(keys.map((key) => [key, config[key]])));
        checkout.of.memoryWork.applySettings();
        onSettings();
      },
      onRestartNeeded: (keys: readonly SettingKey[]) => {
        log.info(`${project.root}: opening it again to apply ${keys.join(", ")}`);
        const opening = this.checkouts.get(project.root);
        if (opening) void this.close(opening).then(() => this.openAgain(project));
      },
    });
    const inUse = { checkout, settings };
    checkout.endings.push(...keepCheckout(inUse), keepContext(project, checkout.of.hookParts, log));
    return inUse;
  }

  private async closeGone(id: string): Promise<void> {
    for (const opening of [...this.checkouts.values()]) {
      const { project, inUse } = opening;
      if (project.id === id && inUse !== null && !isThere(inUse)) await this.close(opening);
    }
  }

  private async prepare(project: Project): Promise<void> {
    await rememberProject(project);
    const settled = completeIdentity(project).catch((error: unknown) =>
      this.options.log.debug(`cannot recognise ${project.root}: ${getErrorMessage(error)}`),
    );
    // In an external engine, a new index starts as a copy of another checkout's. The project's first commits tell which.
    if (loadRecordingConfig(project).config["index.driver"] !== "sqlite") await settled;
  }

  private openAgain(project: Project): void {
    if (!this.isClosed) this.open(project).opened.catch(() => {});
  }

  private async openProject(
    project: Project,
    bundled: OpenCheckout["embedders"]["first"],
  ): Promise<OpenProject> {
    const known = this.projects.get(project.id);
    if (known) {
      known.users++;
      // This checkout adds a root to the open project.
      await known.open.findRoots().catch(() => {});
      return known.open;
    }
    const { log, onUsed, onTranscript } = this.options;
    const { config } = loadRecordingConfig(project);
    const ofProject = () =>
      [...this.checkouts.values()].flatMap(({ inUse }) =>
        inUse?.checkout.project.id === project.id ? [inUse.checkout] : [],
      );
    const open = new OpenProject({
      project,
      config,
      bundled,
      onTranscript,
      log,
      threads: this.threads,
      onNews: () => {
        onUsed();
        for (const one of this.checkouts.values())
          if (one.project.id === project.id) one.lastUsed = Date.now();
      },
      onHeadChanged: () => {
        for (const { work } of ofProject()) work.updateCommits();
      },
      settled: async () => {
        await Promise.all(ofProject().map((checkout) => checkout.waitUntilSettled()));
      },
    });
    this.projects.set(project.id, { open, users: 1 });
    return open;
  }

  /**
   * Applies the current settings to what is open of a project, or of all. If recording was turned off, nothing is recorded once this
   * is done: the project is closed, and opened again when it is used.
   * @param how.reopens whether to apply a setting that needs a restart by opening the project again
   * @returns what was applied, and what still needs a restart
   */
  async reload(
    project: Project | null,
    { reopens }: { reopens: (key: SettingKey) => boolean },
  ): Promise<ChangedSettings> {
    const isMeant = (id: string) => project === null || id === project.id;
    const applied = new Set<SettingKey>();
    const needRestart = new Set<SettingKey>();
    const toClose = new Set<string>();
    for (const { project: of, opened } of [...this.checkouts.values()]) {
      if (!isMeant(of.id)) continue;
      const inUse = await opened.catch(() => null);
      const changed = inUse?.settings.reload();
      for (const key of changed?.applied ?? []) applied.add(key);
      for (const key of changed?.need_restart ?? []) {
        if (!homeSettings.has(key) && reopens(key)) toClose.add(of.id);
        else needRestart.add(key);
      }
    }
    // Some projects are open only for their memory.
    for (const [id, { open }] of this.projects)
      if (isMeant(id) && !open.isRecordingAsConfigured()) toClose.add(id);
    for (const id of toClose) await this.closeProject(id);
    this.options.onSettings();
    return { applied: [...applied], need_restart: [...needRestart] };
  }

  /** Looks at all files in a directory of transcripts, because changes may have been missed. */
  rescan(agent: Agent, directory: string): void {
    for (const { open } of this.projects.values()) open.transcripts.rescan(agent, directory);
  }

  /** How many transcripts are still to be read. */
  countImporting(): number {
    const pending = ({ memoryWork }: OpenProject) => (memoryWork.open === null ? 0 : memoryWork.pending());
    return [...this.projects.values()].reduce((sum, { open }) => sum + pending(open), 0);
  }

  /** The checkouts that are open now. */
  listInUse(): OpenCheckout[] {
    return [...this.checkouts.values()].flatMap(({ inUse }) => (inUse === null ? [] : [inUse.checkout]));
  }

  /** Whether there is no work on any of them, not even in the background. */
  isResting(): boolean {
    const isAtRest = ({ inUse }: OpeningProject) => inUse !== null && isResting(inUse.checkout);
    return (
      [...this.checkouts.values()].every(isAtRest) &&
      [...this.projects.values()].every(({ open }) => open.memoryWork.isResting())
    );
  }

  /** Closes what nobody has used for a while, and what is gone. */
  async closeUnused(now = Date.now()): Promise<void> {
    for (const opening of [...this.checkouts.values()]) {
      const { inUse, lastUsed } = opening;
      if (inUse === null) continue;
      const isUnused = now - lastUsed > this.options.closeAfterMs && isResting(inUse.checkout);
      if (isUnused || !isThere(inUse)) await this.close(opening);
    }
    for (const [id, lastUsed] of this.remembering) {
      const isBusy = this.projects.get(id)?.open.memoryWork.isResting() === false;
      if (now - lastUsed <= this.options.closeAfterMs || isBusy) continue;
      this.remembering.delete(id);
      await this.leaveProject(id);
    }
  }

  /** Closes a project's checkouts, so that its files can be replaced. They are opened again when they are used. */
  async closeProject(id: string): Promise<void> {
    for (const opening of [...this.checkouts.values()])
      if (opening.project.id === id) await this.close(opening);
    if (this.remembering.delete(id)) await this.leaveProject(id);
  }

  async closeAll(): Promise<void> {
    this.isClosed = true;
    await Promise.all([...this.checkouts.values()].map((opening) => this.close(opening)));
    for (const id of this.remembering.keys()) await this.leaveProject(id);
    this.remembering.clear();
    await this.threads.close();
  }

  private close(opening: OpeningProject): Promise<void> {
    const { root } = opening.project;
    if (this.checkouts.get(root) !== opening) return this.closing.get(root) ?? Promise.resolve();
    this.checkouts.delete(root);
    const closed = this.closeNow(opening).finally(() => this.closing.delete(root));
    this.closing.set(root, closed);
    return closed;
  }

  private async closeNow(opening: OpeningProject): Promise<void> {
    const { project } = opening;
    const inUse = await opening.opened.catch(() => null);
    if (inUse === null) return;
    inUse.settings.close();
    await inUse.checkout.close();
    await this.leaveProject(project.id);
    this.options.log.info(`closed ${project.root}`);
  }

  private async leaveProject(id: string): Promise<void> {
    const known = this.projects.get(id);
    if (!known || --known.users > 0) return;
    this.projects.delete(id);
    try {
      await known.open.close();
    } catch (error) {
      this.options.log.warn(`while closing: ${getErrorMessage(error)}`);
    }
  }
}

const isResting = ({ work, of }: OpenCheckout): boolean => work.isResting() && of.memoryWork.isResting();

/** Whether the checkout still exists: it may have been deleted, or moved away. */
const isThere = ({ checkout }: InUse): boolean => existsSync(checkout.project.root) && checkout.isStillOurs();
