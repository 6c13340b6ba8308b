import { relative, sep } from "node:path";
import type { Agent, TranscriptFile } from "../../agents/agent.ts";
import { agents, statTranscript } from "../../agents/registry.ts";
import { deletesTranscripts } from "../../agents/retentions.ts";
import { getErrorCode, getErrorMessage } from "../../base/errors.ts";
import { LastKnown } from "../../base/last-known.ts";
import type { Logger } from "../../base/log.ts";
import { addTo } from "../../base/multimap.ts";
import type { Project } from "../../base/paths.ts";
import type { Vanishing } from "../../protocol/vanishing.ts";
import {
  findExpiringSessions,
  listRemainingTranscripts,
  readOwner,
  type TranscriptOwner,
} from "../../sessions/ingest/known-transcripts.ts";
import { listUnknownTranscripts } from "../../store/memory/sessions/transcripts.ts";
import type { MemoryWork } from "../jobs/memory-work.ts";
import { priority } from "../jobs/session-requests.ts";
import { type DirectoryWatch, watchTranscripts } from "./watch-directory.ts";

interface TranscriptWatchOptions {
  work: MemoryWork;
  project: Project;
  pollSeconds: number;
  /** The project's roots; `findRoots` looks for them again, as worktrees come and go. */
  roots: () => readonly string[];
  findRoots: () => Promise<void>;
  /** Called when a transcript of the project has grown. */
  onNews: () => void;
  log: Logger;
}

/** Past sessions that are not imported yet. */
interface UnimportedSessions {
  /** The number of sessions, without those of subagents. */
  sessions: number;
  /** The size of all sessions, with those of subagents. */
  bytes: number;
  /** Names of their agents. */
  agents: string[];
}

interface OldFile extends TranscriptFile {
  agent: string;
  isOwn: boolean;
}

/** Number of files checked per folder: two directory names may map to the same folder. */
const maxProbed = 5;

/** Searches for expiring transcripts stat every file, which takes seconds where others take all processors. */
const vanishing = { freshMs: 5000, patienceMs: 300 };

/** Key in `meta`: when recording of this project's sessions began. Milliseconds since the epoch. */
const capturedSince = "captured_since";

/**
 * Imports a project's transcripts: those that grew while the project was not open, and those that agents keep in the project
 * itself. All others are watched for the whole machine (machine-watch.ts). Transcripts that ended before Pommel recorded the
 * project wait for `pm import`.
 */
export class ProjectTranscripts {
  private readonly watches: DirectoryWatch[] = [];
  /** By path. An entry holds as long as the beginning of its transcript is unchanged. */
  private readonly known = new Map<string, TranscriptOwner>();
  /** Older transcripts, by path. */
  private readonly old = new Map<string, OldFile>();
  /** Whether all transcripts that existed at the start have been looked at. */
  private isChecked = false;
  private readonly vanishing = new LastKnown(() => this.findVanishing(), vanishing);
  private isClosed = false;
  /** How many rescans were asked for, and for how many of them `findRoots` has run since. */
  private rescans = 0;
  private rescansWithRoots = 0;
  /** Looks at files one after the other. */
  private looking: Promise<void> = Promise.resolve();

  constructor(private readonly options: TranscriptWatchOptions) {}

  /** Resolves when everything is watched; existing files are checked in the background. */
  async begin(): Promise<void> {
    // Sessions that are written from now on are not past ones.
    if (this.options.work.captures) this.look(async () => void this.readCapturedSince());
    // Looks wait until everything is watched: one search for the project's roots serves them all.
    this.look(() => watching);
    const watching = this.watchAll();
    await watching;
    this.look(async () => {
      this.isChecked = true;
    });
  }

  private async watchAll(): Promise<void> {
    if (!this.options.work.captures) return;
    for (const agent of agents) for (const root of agent.listRoots()) this.rescan(agent, root);
    await this.watchProject();
  }

  /** Looks at all files in a directory of transcripts, because changes may have been missed. */
  rescan(agent: Agent, directory: string): void {
    const rescan = ++this.rescans;
    this.look(() => this.lookAtAll(agent, directory, rescan));
  }

  /** Watches the places of agents that keep transcripts in the project. Called again, because worktrees come and go. */
  private async watchProject(): Promise<void> {
    for (const agent of agents)
      for (const place of this.options.roots().flatMap((root) => agent.listRepositoryPlaces?.(root) ?? []))
        if (!this.watches.some(({ directory }) => directory === place)) await this.watch(agent, place);
  }

  /** Sessions that wait for `pm import`; null until all transcripts are checked. */
  countPastSessions(): UnimportedSessions | null {
    const { old } = this;
    if (!this.isChecked && this.options.work.memoryIfAny !== null) return null;
    const paths = [...old.keys()];
    const unknown = this.options.work.report((memory) => listUnknownTranscripts(memory, paths), []);
    // A transcript that its client has deleted, and that the vault does not have, cannot be imported.
    const left = unknown.flatMap((path) => (statTranscript(path) === null ? [] : (old.get(path) ?? [])));
    return {
      sessions: left.filter(({ isOwn }) => isOwn).length,
      bytes: left.reduce((sum, { size }) => sum + size, 0),
      agents: agents.map(({ name }) => name).filter((name) => left.some(({ agent }) => agent === name)),
    };
  }

  /** What agents' clients will delete soon, as last seen; null until all transcripts are checked. */
  async getVanishing(): Promise<Vanishing[] | null> {
    return this.isChecked ? ((await this.vanishing.ask())?.value ?? null) : null;
  }

  /** Finds those transcripts; none if the memory cannot be read, which is reported elsewhere. */
  private async findVanishing(): Promise<Vanishing[]> {
    const { project, work } = this.options;
    const found: Vanishing[] = [];
    try {
      for (const agent of agents.filter(({ name }) => deletesTranscripts(name))) {
        const findOwner = (path: string) => this.readCachedOwner(agent, path);
        const there = await listRemainingTranscripts(agent, findOwner, work.memoryIfAny);
        const expiring = findExpiringSessions(agent, project.root, () => there);
        if (expiring !== null) found.push(expiring);
      }
    } catch (error) {
      work.suspect(error);
    }
    return found;
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await Promise.all(this.watches.map((watch) => watch.close()));
    await this.looking;
    await this.vanishing.settle();
  }

  private async watch(agent: Agent, directory: string): Promise<void> {
    const { pollSeconds, log } = this.options;
    const watch = watchTranscripts(agent, directory, {
      pollSeconds,
      onChange: (paths) => this.look(() => this.lookAtEach(agent, paths)),
      onRescan: () => this.rescan(agent, directory),
      log,
    });
    this.watches.push(watch);
    await watch.begin();
  }

  private look(work: () => Promise<void>): void {
    this.looking = this.looking.then(async () => {
      if (this.isClosed) return;
      try {
        await work();
      } catch (error) {
        // An unusable memory has already been reported.
        this.options.log.debug(`cannot check transcripts: ${getErrorMessage(error)}`);
        this.options.work.suspect(error);
      }
    });
  }

  private async lookAtEach(agent: Agent, paths: readonly string[]): Promise<void> {
    for (const path of paths.filter((each) => agent.isTranscript(each))) {
      const file = statTranscript(path);
      if (file !== null) await this.lookAt(agent, file);
    }
    // A database changed, so any of its sessions may have changed.
    const part = paths.find((each) => agent.database?.isPart(each));
    if (part !== undefined)
      for await (const file of agent.list(part)) if (!this.isOld(file)) await this.lookAt(agent, file);
  }

  /** Whether a session ended before recording began, so that it waits for `pm import`. */
  private isOld({ path, mtimeMs }: TranscriptFile): boolean {
    return (
      mtimeMs < this.readCapturedSince() &&
      listUnknownTranscripts(this.options.work.memory, [path]).length > 0
    );
  }

  private async lookAtAll(agent: Agent, directory: string, rescan: number): Promise<void> {
    if (this.rescansWithRoots < rescan) {
      const { rescans } = this;
      await this.options.findRoots();
      this.rescansWithRoots = rescans;
    }
    for (const files of (await this.groupByFolder(agent, directory)).values()) {
      if (agent.sortsByPlace && !(await this.canBeOurs(agent, files))) continue;
      for (const file of files) {
        if (this.isClosed) return;
        const owner = await this.readCachedOwner(agent, file.path);
        if (!owner?.isOurs) continue;
        if (this.isOld(file)) this.old.set(file.path, { ...file, agent: agent.name, isOwn: owner.isOwn });
        else await this.lookAt(agent, file);
      }
    }
    // There may be a new worktree.
    await this.watchProject();
  }

  /** Most agents keep the transcripts of sessions that were launched in one place together. */
  private async groupByFolder(agent: Agent, directory: string): Promise<Map<string, TranscriptFile[]>> {
    const folders = new Map<string, TranscriptFile[]>();
    for await (const file of agent.list(directory)) {
      const [folder = ""] = relative(directory, file.path).split(sep);
      addTo(folders, folder, file);
    }
    return folders;
  }

  /** Most folders belong to other projects: their newest files show that without opening the others. */
  private async canBeOurs(agent: Agent, files: readonly TranscriptFile[]): Promise<boolean> {
    const newest = files.toSorted((a, b) => b.mtimeMs - a.mtimeMs).slice(0, maxProbed);
    let isKnown = false;
    for (const { path } of newest) {
      if ((await this.readCachedOwner(agent, path))?.isOurs) return true;
      isKnown ||= this.known.has(path);
    }
    return !isKnown;
  }

  private async lookAt(agent: Agent, file: TranscriptFile): Promise<void> {
    const { work, onNews } = this.options;
    if (!work.hasNews(file.path, file) || !(await this.readCachedOwner(agent, file.path))?.isOurs) return;
    onNews();
    work.readOn(file.path, { agent: agent.name, priority: priority.watched });
  }

  /** To whom a transcript belongs; null if the transcript does not say so (yet). */
  private async readCachedOwner(agent: Agent, path: string): Promise<TranscriptOwner | null> {
    const known = this.known.get(path);
    if (known !== undefined) return known;
    try {
      const owner = await readOwner(agent, path, this.options.roots());
      // Not decided yet: the next growth triggers another look.
      if (owner === null) return null;
      this.known.set(path, owner);
      return owner;
    } catch (error) {
      const { log } = this.options;
      if (getErrorCode(error) === "transcript_refused") {
        log.warn(getErrorMessage(error));
        // Remember it, so that this is logged only once.
        this.known.set(path, { session: "", isOurs: false, isOwn: false });
      } else if (getErrorCode(error) !== "ENOENT") log.debug(`${path}: ${getErrorMessage(error)}`);
      return null;
    }
  }

  /** Recording of a project's sessions starts when its memory is first opened to record. */
  private readCapturedSince(): number {
    const since = Date.now();
    const { memory } = this.options.work;
    const stored = memory.readMeta(capturedSince);
    if (stored !== null) return Number(stored);
    memory.setMeta(capturedSince, String(since));
    return since;
  }
}
