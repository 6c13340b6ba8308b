import { loadConfig } from "../base/config/config.ts";
import type { Config } from "../base/config/settings.ts";
import { explainError, PommelError } from "../base/errors.ts";
import { locateHome } from "../base/home.ts";
import type { Project } from "../base/paths.ts";
import type { CodeAnswer, CodeQuery } from "../code/search/types.ts";
import type { SessionSearch } from "../sessions/search/engine.ts";
import type { ScrubbingWork } from "../sessions/work.ts";
import type { CodeIndex } from "../store/index/port.ts";
import { Memory } from "../store/memory/memory.ts";
import { openToRead, rollBackJournal } from "../store/sqlite/open-to-read.ts";
import { isForAgent } from "./door.ts";
import { Kept } from "./kept.ts";

/**
 * What operations run on: the memory and the index that this process has open, which is a daemon's, else what is opened for
 * one answer.
 */

/** How a transcript is read on. */
interface ReadingAsked {
  /** The agent's name. */
  agent?: string;
  is_import?: boolean;
  /** Of a past session, as of `sortForReading`. */
  urgency?: number;
  generate_summary?: boolean;
  all_projects?: boolean;
}

/** A memory that a daemon keeps. */
export interface OpenMemory {
  /** @throws PommelError why it is not open */
  readonly memory: Memory;
  /** null while it cannot be opened, and where nothing is recorded. */
  readonly memoryIfAny: Memory | null;
  /** Why it is not open though it should be, else null. */
  readonly failure: unknown;
  readonly search: SessionSearch;
  /** The project's checkouts and worktrees. */
  readonly roots: readonly string[];
  /** Transcripts that are not fully imported. */
  pending(): number;
  /** What changes it. @throws PommelError why it is not open */
  getScrubbingWork(): ScrubbingWork;
  /** Runs exclusive work. */
  runExclusive<T>(work: () => Promise<T>): Promise<T>;
  /** Whether sessions are recorded. */
  readonly captures: boolean;
  /** Queues the import of a transcript's new lines. */
  readOn(path: string, asked: ReadingAsked): void;
  /** Has sessions read before all else that wait to be, whose ids begin so. Resolves when they are, or when the signal aborts. */
  readNow(id: string, signal: AbortSignal): Promise<void>;
  /** Has commits analysed before all else. Resolves when they are, or when the signal aborts. */
  analyse(hashes: readonly string[], signal: AbortSignal): Promise<void>;
  /** Queues another scrub of everything by today's patterns. */
  scrub(): void;
  /** Queues that a language model reads what was stored before. @returns how many sessions */
  scrubOldLines(): number;
  /** Called with every error of a reader. */
  suspect(error: unknown): void;
}

/** An index that a daemon keeps up to date. */
interface OpenIndex {
  readonly index: CodeIndex;
  ask(query: CodeQuery): Promise<CodeAnswer>;
  queue(): { pending: number; is_idle: boolean };
  /** Queues files by paths and globs, or all of them. */
  reindex(which: readonly string[] | "all"): void;
  /** Indexes these files before others that wait. */
  prefer(paths: readonly string[]): void;
  /** Looks for files that changed. */
  reconcile(): void;
  suspect(error: unknown): void;
}

const memories = new Kept<OpenMemory>();
const indexes = new Kept<{ open: OpenIndex; config: Config }>();

/** Lets operations use the memory that is open. @returns undoes it */
export const shareOpenMemory = (file: string, open: OpenMemory) => memories.share(file, open);
export const shareOpenIndex = (file: string, open: OpenIndex, config: Config) =>
  indexes.share(file, { open, config });

/** null: no daemon keeps it in this process. */
export const openIndex = ({ indexDb }: Project): OpenIndex | null => indexes.findKept(indexDb)?.open ?? null;
export const openMemory = ({ memoryDb }: Project): OpenMemory | null => memories.findKept(memoryDb);

/** The settings that a daemon goes by, which keeps the last valid ones; else as they are now. @throws as `loadConfig` */
export const loadCurrentConfig = (project: Project): Config =>
  indexes.findKept(project.indexDb)?.config ?? loadConfig(project).config;

/** The daemon's part of this process that keeps this very memory open; null: none, it was opened for one answer. */
export function findOpenMemory(project: Project, memory: Memory): OpenMemory | null {
  const open = openMemory(project);
  return open?.memoryIfAny === (memory.whole ?? memory) ? open : null;
}

/** What of a memory is given through the door that is asked through: agents get the words of whom the person trusts. */
async function limitToTrusted(memory: Memory): Promise<Memory> {
  if (!isForAgent()) return memory;
  const { Trust, trustFileIn } = await import("../sync/origin/trust.ts");
  return memory.limitToSigners(new Trust(trustFileIn(locateHome())).listHeardSigners());
}

/**
 * Opens the memory to read, or a copy of it where SQLite may not write beside it, and closes it after use.
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
 * As `withMemory`, for an optional memory: where it is missing or cannot be read, `use` gets null.
 * @param use gets the reason why there is no memory: whole sentences
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

/** As `withMemoryIfAny`: where there is no memory, an answer with notes begins with why. */
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
