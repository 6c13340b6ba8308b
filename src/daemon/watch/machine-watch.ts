import { isAbsolute } from "node:path";
import type { Agent, TranscriptFile } from "../../agents/agent.ts";
import { agents, defaultAgent, findAgentByName, statTranscript } from "../../agents/registry.ts";
import { getErrorMessage } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import { findMentionedDirectories } from "../../sessions/ingest/touched-directories.ts";
import { type DirectoryWatch, watchTranscripts } from "./watch-directory.ts";

interface MachineWatchOptions {
  /** An earlier daemon has handled all changes up to this time. Milliseconds since the epoch. */
  since: number;
  pollSeconds: number;
  /** Called when a transcript has grown, with the directories in which its session was at work. */
  onGrowth: (transcript: { path: string; agent: string }, directories: string[]) => Promise<void>;
  /** Called when changes in a directory of transcripts may have been missed. */
  onRescan: (agent: Agent, directory: string) => void;
  log: Logger;
}

/** How far a transcript was looked at, and which directories it is about. */
interface SeenTranscript {
  offset: number;
  mtimeMs: number;
  directories: Set<string>;
}

/** At the first look, only this much of a transcript's end is read. Bytes. */
const firstLook = 1_048_576;

/**
 * Watches the transcripts of all agents on this machine. A session belongs to every project that it touched, wherever it was
 * started (in a parent folder, in a sibling, with another directory added).
 */
export class MachineWatch {
  private readonly watches: DirectoryWatch[] = [];
  private readonly seen = new Map<string, SeenTranscript>();
  private looking: Promise<void> = Promise.resolve();
  private isClosed = false;

  constructor(private readonly options: MachineWatchOptions) {}

  async begin(): Promise<void> {
    for (const agent of agents) for (const directory of agent.listRoots()) await this.watch(agent, directory);
  }

  /** Also watches the directory of a transcript that an agent keeps in an unknown place. */
  alsoWatch(path: string, agentName: string = defaultAgent.name): void {
    if (this.isClosed || this.watches.some(({ directory }) => path.startsWith(`${directory}/`))) return;
    const agent = findAgentByName(agentName);
    const directory = agent?.findDirectoryToWatch(path) ?? null;
    if (agent && directory !== null) void this.watch(agent, directory);
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await Promise.all(this.watches.map((watch) => watch.close()));
    await this.looking;
  }

  private async watch(agent: Agent, directory: string): Promise<void> {
    const { pollSeconds, onRescan, log } = this.options;
    const watch = watchTranscripts(agent, directory, {
      pollSeconds,
      onChange: (paths) => this.look(agent, () => this.findChangedFiles(agent, paths)),
      onRescan: () => {
        this.look(agent, () => this.listNewFiles(agent, directory));
        onRescan(agent, directory);
      },
      log,
    });
    this.watches.push(watch);
    await watch.begin();
  }

  private async findChangedFiles(agent: Agent, paths: readonly string[]): Promise<TranscriptFile[]> {
    const files = paths
      .filter((path) => agent.isTranscript(path))
      .flatMap((path) => statTranscript(path) ?? []);
    // If a database changed, any of its sessions may have changed.
    const part = paths.find((path) => agent.database?.isPart(path));
    return part === undefined ? files : [...files, ...(await this.listNewFiles(agent, part))];
  }

  private async listNewFiles(agent: Agent, place: string): Promise<TranscriptFile[]> {
    const files: TranscriptFile[] = [];
    for await (const file of agent.list(place)) if (this.isNews(file)) files.push(file);
    return files;
  }

  private isNews({ path, size, mtimeMs }: TranscriptFile): boolean {
    const known = this.seen.get(path);
    return mtimeMs >= this.options.since && (known?.offset !== size || known.mtimeMs !== mtimeMs);
  }

  private look(agent: Agent, list: () => Promise<TranscriptFile[]>): void {
    this.looking = this.looking.then(async () => {
      try {
        for (const file of await list()) if (!this.isClosed) await this.lookAt(agent, file);
      } catch (error) {
        this.options.log.debug(`cannot check transcripts: ${getErrorMessage(error)}`);
      }
    });
  }

  private async lookAt(agent: Agent, { path, size, mtimeMs }: TranscriptFile): Promise<void> {
    const known = this.seen.get(path) ?? { offset: Math.max(0, size - firstLook), directories: new Set() };
    const from = known.offset > size ? 0 : known.offset;
    const { directories } = known;
    // For a session in a database, only its beginning says what it is about.
    if (!agent.database)
      for (const directory of findMentionedDirectories(path, from, size)) directories.add(directory);
    if (!this.seen.has(path)) {
      const info = await agent.describe(path).catch(() => null);
      if (info !== null && isAbsolute(info.cwd)) directories.add(info.cwd);
    }
    this.seen.set(path, { offset: size, mtimeMs, directories });
    await this.options.onGrowth({ path, agent: agent.name }, [...directories]);
  }
}
