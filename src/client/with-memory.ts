import type { Project } from "../project/paths.ts";
import { Memory } from "../store/memory/memory.ts";
import { openToRead } from "./open-to-read.ts";

/**
 * Opens the memory to read, or a copy of it where SQLite may not write beside it, and closes it after use.
 * @throws PommelError `not_indexed`, `memory_corrupt`, `index_too_new`, `unreadable`
 */
export function withMemory<T>(project: Project, use: (memory: Memory) => T | Promise<T>): Promise<T> {
  return openToRead(project.memoryDb, openMemory, use);
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
