import { loadConfig } from "../base/config/config.ts";
import type { Config } from "../base/config/settings.ts";
import { explainError, PommelError } from "../base/errors.ts";
import { locateHome } from "../base/home.ts";
import type { Project } from "../base/paths.ts";
import type { CodeQuery, EngineAnswer } from "../code/search/types.ts";
import type { SessionSearch } from "../sessions/search/engine.ts";
import type { ScrubbingWork } from "../sessions/work.ts";
import type { CodeIndex } from "../store/index/port.ts";
import { Memory } from "../store/memory/memory.ts";
import { openToRead, rollBackJournal } from "../store/sqlite/open-to-read.ts";
import { isForAgent } from "./channel.ts";
import { SharedObjects } from "./kept.ts";

/**
 * Opens what operations run on. In a daemon, that is the memory and the index that it has open; in any other process, they are
 * opened for one answer.
 */

/** How to read the new lines of a transcript. */
interface ReadingAsked {
  /** The agent's name. */
  agent?: string;
  is_import?: boolean;
  /** For a past session: its urgency by `sortForReading`. */
  urgency?: number;
  generate_summary?: boolean;
  all_projects?: boolean;
}

/** A memory that a daemon keeps. */
export interface OpenMemory {
  /** @throws PommelError why it is not open */
  readonly memory: Memory;
  /** null while the memory cannot be opened, and in a project that is not recorded. */
  readonly memoryIfAny: Memory | null;
  /** Why the memory is not open although it should be; else null. */
  readonly failure: unknown;
  readonly search: SessionSearch;
  /** The project's checkouts and worktrees. */
  readonly roots: readonly string[];
  /** Transcripts that are not fully imported. */
  pending(): number;
  /** Everything needed to change the memory. @throws PommelError why it is not open */
  getScrubbingWork(): ScrubbingWork;
  /** Runs exclusive work. */
  runExclusive<T>(work: () => Promise<T>): Promise<T>;
  /** Whether sessions are recorded. */
  readonly captures: boolean;
  /** Queues the import of a transcript's new lines. */
  readOn(path: string, asked: ReadingAsked): void;
  /** Reads waiting sessions whose ids begin with `id` before all others. Resolves when they are read, or when the signal aborts. */
  readNow(id: string, signal: AbortSignal): Promise<void>;
  /** Analyses these commits before all else. Resolves when they are analysed, or when the signal aborts. */
  analyse(hashes: readonly string[], signal: AbortSignal): Promise<void>;
  /** Queues another scrub of the whole memory by the current patterns. */
  scrub(): void;
  /** Queues sessions that were stored earlier for the language model that looks for secrets. @returns how many */
  scrubOldLines(): number;
  /** Readers report their errors here, because the memory may be damaged. */
  suspect(error: unknown): void;
}

/** An index that a daemon keeps up to date. */
interface OpenIndex {
  readonly index: CodeIndex;
  ask(query: CodeQuery): Promise<EngineAnswer>;
  queue(): { pending: number; is_idle: boolean };
  /** Queues files by paths and globs, or all of them. */
  reindex(which: readonly string[] | "all"): void;
  /** Indexes these files before others that wait. */
  prefer(paths: readonly string[]): void;
  /** Looks for files that changed. */
  reconcile(): void;
  suspect(error: unknown): void;
}

const memories = new SharedObjects<OpenMemory>();
const indexes = new SharedObjects<{ open: OpenIndex; config: Config }>();

/** Lets operations use an open memory. @returns stops sharing it */
export const shareOpenMemory = (file: string, open: OpenMemory) => memories.share(file, open);
export const shareOpenIndex = (file: string, open: OpenIndex, config: Config) =>
  indexes.share(file, { open, config });

/** The index that this process has open; null unless it is a daemon that does. */
export const openIndex = ({ indexDb }: Project): OpenIndex | null => indexes.findKept(indexDb)?.open ?? null;
export const openMemory = ({ memoryDb }: Project): OpenMemory | null => memories.findKept(memoryDb);

/** In a daemon the settings in use, which are the last valid ones; elsewhere the current ones. @throws as `loadConfig` */
export const loadCurrentConfig = (project: Project): Config =>
  indexes.findKept(project.indexDb)?.config ?? loadConfig(project).config;

/** The daemon's `OpenMemory` to which this memory belongs; null if the memory was opened for one answer. */
export function findOpenMemory(project: Project, memory: Memory): OpenMemory | null {
  const open = openMemory(project);
  return open?.memoryIfAny === (memory.whole ?? memory) ? open : null;
}

/** Hides words from agents unless their signer is trusted by the person. Other channels get the whole memory. */
async function limitToTrusted(memory: Memory): Promise<Memory> {
  if (!isForAgent()) return memory;
  const { Trust, trustFileIn } = await import("../sync/origin/trust.ts");
  return memory.limitToSigners(new Trust(trustFileIn(locateHome())).listHeardSigners());
}

/**
 * Opens the memory to read, and closes it after use. If SQLite may not write files beside it, a copy is opened.
 * @throws PommelError `no_memory`, `schema_outdated`, `memory_corrupt`, `index_too_new`, `unreadable`
 */
export function withMemory<T>(project: Project, use: (memory: Memory) => T | Promise<T>): Promise<T> {
  const owner = openMemory(project);
  const useIt = async (memory: Memory): Promise<T> => {
    try {
      return await use(await limitToTrusted(memory));
    } catch (error) {
      owner?.suspect(error);
      throw error;
    }
  };
  const open = owner?.memoryIfAny;
  return open ? useIt(open) : openToRead(project.memoryDb, readMemory, useIt);
}

/**
 * As `withMemory`, for an optional memory: if it is missing or cannot be read, `use` gets null and the reason, in whole sentences.
 */
export async function withMemoryIfAny<T>(
  project: Project,
  use: (memory: Memory | null, why: string | null) => T | Promise<T>,
): Promise<T> {
  let isOpen = false;
  try {
    return await withMemory(project, (memory) => {
      isOpen = true;
      return use(memory, null);
    });
  } catch (error) {
    if (isOpen || !(error instanceof PommelError)) throw error;
    return use(null, explainError(error));
  }
}

/** As `withMemoryIfAny`, but adds the reason to the answer: if the answer has notes, the first says why there is no memory. */
export function withMemoryOrNote<A extends object>(
  project: Project,
  use: (memory: Memory | null) => A | Promise<A>,
): Promise<A> {
  return withMemoryIfAny(project, async (memory, why) => {
    const answer: A & { notes?: string[] } = await use(memory);
    const { notes } = answer;
    return why === null || notes === undefined ? answer : { ...answer, notes: [why, ...notes] };
  });
}

function readMemory(file: string): Memory {
  rollBackJournal(file);
  const memory = Memory.open(file, { readonly: true });
  try {
    memory.readVersion();
    return memory;
  } catch (error) {
    memory.close();
    throw error;
  }
}

/**
 * Uses the index that this process has open, or opens it to read and closes it after use.
 * @throws PommelError `not_indexed`, `index_corrupt`, `index_too_new`, `unreadable`
 */
export async function withIndex<T>(
  project: Project,
  config: Config,
  use: (index: CodeIndex) => Promise<T>,
): Promise<T> {
  const owner = openIndex(project);
  if (owner === null) {
    const { indexDriver } = await import("../engines/drivers.ts");
    return (await indexDriver(config)).read(project.indexDb, use);
  }
  try {
    return await use(owner.index);
  } catch (error) {
    owner.suspect(error);
    throw error;
  }
}
