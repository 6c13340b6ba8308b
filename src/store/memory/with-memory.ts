import { explanationOf, PommelError } from "../../project/errors.ts";
import type { Project } from "../../project/paths.ts";
import { isDamaged } from "../sqlite/database.ts";
import { openToRead, rollBack } from "../sqlite/open-to-read.ts";
import { Memory } from "./memory.ts";

/** Who has a memory open in this process: a daemon. */
interface MemoryOwner {
  memoryIfAny: Memory | null;
  /** Called with every error of a reader. */
  suspect(error: unknown): void;
}

/** By the memory's file. */
const owners = new Map<string, MemoryOwner>();

/** Lets what reads the memory use the one that is open, if one is. @returns undoes it */
export function shareOpenMemory(file: string, owner: MemoryOwner): () => void {
  owners.set(file, owner);
  // It may have been opened again meanwhile.
  return () => void (owners.get(file) === owner && owners.delete(file));
}

/**
 * Opens the memory to read, or a copy of it where SQLite may not write beside it, and closes it after use.
 * @throws PommelError `no_memory`, `schema_outdated`, `memory_corrupt`, `index_too_new`, `unreadable`
 */
export function withMemory<T>(project: Project, use: (memory: Memory) => T | Promise<T>): Promise<T> {
  const owner = owners.get(project.memoryDb);
  const useIt = async (memory: Memory): Promise<T> => {
    try {
      return await use(memory);
    } catch (error) {
      owner?.suspect(error);
      throw isDamaged(error) ? memory.explain(error) : error;
    }
  };
  const open = owner?.memoryIfAny;
  return open ? useIt(open) : openToRead(project.memoryDb, openMemory, useIt);
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
    return use(null, explanationOf(error));
  }
}

/** As `withMemoryIfAny`, for an answer with notes: where there is no memory, the first one says why. */
export function withMemoryOrNote<A extends { notes: string[] }>(
  project: Project,
  use: (memory: Memory | null) => Promise<A>,
): Promise<A> {
  return withMemoryIfAny(project, async (memory, why) => {
    const answer = await use(memory);
    return why === null ? answer : { ...answer, notes: [why, ...answer.notes] };
  });
}

function openMemory(file: string): Memory {
  rollBack(file);
  const memory = Memory.open(file, { readonly: true });
  try {
    memory.version();
    return memory;
  } catch (error) {
    memory.close();
    throw error;
  }
}
