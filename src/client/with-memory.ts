import { explanationOf, PommelError } from "../project/errors.ts";
import type { Project } from "../project/paths.ts";
import { isDamaged } from "../store/database.ts";
import { Memory } from "../store/memory/memory.ts";
import { openToRead } from "./open-to-read.ts";

/** Memories that this process has open, by their file: where it is a daemon. */
const openHere = new Map<string, () => Memory | null>();

/** Lets what reads the memory use the one that is open, if one is. @returns undoes it */
export function shareOpenMemory(file: string, memory: () => Memory | null): () => void {
  openHere.set(file, memory);
  return () => openHere.delete(file);
}

/**
 * Opens the memory to read, or a copy of it where SQLite may not write beside it, and closes it after use.
 * @throws PommelError `not_indexed`, `memory_corrupt`, `index_too_new`, `unreadable`
 */
export function withMemory<T>(project: Project, use: (memory: Memory) => T | Promise<T>): Promise<T> {
  const useIt = async (memory: Memory): Promise<T> => {
    try {
      return await use(memory);
    } catch (error) {
      throw isDamaged(error) ? memory.explain(error) : error;
    }
  };
  const open = openHere.get(project.memoryDb)?.();
  return open ? useIt(open) : openToRead(project.memoryDb, openMemory, useIt);
}

/**
 * As `withMemory`, for what can do without: where the memory is not there, or cannot be read, `use` gets null.
 * @param use is told why there is no memory: whole sentences
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

function openMemory(file: string): Memory {
  const memory = Memory.open(file, { readonly: true });
  try {
    memory.version();
    return memory;
  } catch (error) {
    memory.close();
    throw error;
  }
}
