import { closeSync, openSync, readSync } from "node:fs";
import { dirname, isAbsolute } from "node:path";
import type { Agent } from "../../agents/agent.ts";
import { agents, statTranscript } from "../../agents/registry.ts";
import { messageOf } from "../../project/errors.ts";
import type { Logger } from "../../project/log.ts";
import { type DirectoryWatch, watchDirectory } from "./watch-directory.ts";

interface MachineWatchOptions {
  /** What changed earlier was seen to by a daemon before this one. Milliseconds since the epoch. */
  since: number;
  pollSeconds: number;
  /** A transcript has grown, and its session is, or was, at work in these directories. */
  onGrowth: (transcript: { path: string; agent: string }, directories: string[]) => Promise<void>;
  log: Logger;
}

/** Only the end of a transcript is looked at when it is met for the first time. Bytes. */
const firstLook = 1_048_576;
/** Where a line of a transcript says where the agent is, or which file it is about. */
const places = /"(cwd|file_path|notebook_path|workdir|directory)"\s*:\s*"((?:[^"\\]|\\.){1,4096})"/g;

/**
 * Watches the transcripts of all agents on this machine: a session belongs to what it touched, wherever it was started (in
 * a parent folder, in a sibling, with another directory added).
 */
export class MachineWatch {
  private readonly watches: DirectoryWatch[] = [];
  /** How far each transcript was looked at, and what it was found to be about. */
  private readonly seen = new Map<string, { offset: number; directories: Set<string> }>();
  private looking: Promise<void> = Promise.resolve();
  private isClosed = false;

  constructor(private readonly options: MachineWatchOptions) {}

  async begin(): Promise<void> {
    const { pollSeconds, log } = this.options;
    for (const agent of agents) {
      // Sessions in a database have their project's own watch.
      if (agent.database !== undefined) continue;
      for (const directory of agent.roots()) {
        const watch = watchDirectory({
          directory,
          isRelevant: (path) => agent.isTranscript(path),
          list: () => agent.list(directory),
          ignored: agent.unwatched ?? [],
          pollSeconds,
          onChange: (paths) => this.look(agent, async () => paths),
          onRescan: () => this.look(agent, () => this.recent(agent, directory)),
          log,
        });
        this.watches.push(watch);
        await watch.begin();
      }
    }
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await Promise.all(this.watches.map((watch) => watch.close()));
    await this.looking;
  }

  private async recent(agent: Agent, directory: string): Promise<string[]> {
    const paths: string[] = [];
    for await (const { path, mtimeMs } of agent.list(directory))
      if (mtimeMs >= this.options.since) paths.push(path);
    return paths;
  }

  private look(agent: Agent, list: () => Promise<string[]>): void {
    this.looking = this.looking.then(async () => {
      try {
        for (const path of await list()) if (!this.isClosed) await this.lookAt(agent, path);
      } catch (error) {
        this.options.log.debug(`cannot check transcripts: ${messageOf(error)}`);
      }
    });
  }

  private async lookAt(agent: Agent, path: string): Promise<void> {
    const stat = statTranscript(path);
    if (stat === null) return;
    const known = this.seen.get(path) ?? {
      offset: Math.max(0, stat.size - firstLook),
      directories: new Set(),
    };
    if (known.offset > stat.size) known.offset = 0;
    for (const directory of directoriesIn(path, known.offset, stat.size)) known.directories.add(directory);
    if (!this.seen.has(path)) {
      const info = await agent.describe(path).catch(() => null);
      if (info !== null && isAbsolute(info.cwd)) known.directories.add(info.cwd);
    }
    known.offset = stat.size;
    this.seen.set(path, known);
    await this.options.onGrowth({ path, agent: agent.name }, [...known.directories]);
  }
}

/** The directories that a part of a transcript names: where the agent was, and where the files are that it was about. */
function directoriesIn(path: string, from: number, to: number): Set<string> {
  const found = new Set<string>();
  const buffer = Buffer.allocUnsafe(to - from);
  const file = openSync(path, "r");
  try {
    const length = readSync(file, buffer, 0, buffer.length, from);
    for (const [, key, quoted] of buffer.toString("utf8", 0, length).matchAll(places)) {
      const named = unquoted(quoted!);
      if (named !== null && isAbsolute(named)) found.add(key!.endsWith("_path") ? dirname(named) : named);
    }
  } finally {
    closeSync(file);
  }
  return found;
}

function unquoted(text: string): string | null {
  try {
    return JSON.parse(`"${text}"`) as string;
  } catch {
    return null;
  }
}
