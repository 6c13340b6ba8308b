import type { Config } from "../../project/config/settings.ts";
import { codeOf, messageOf } from "../../project/errors.ts";
import type { Project } from "../../project/paths.ts";
import type { MemoryStatus } from "../../protocol/operations/status.ts";
import { withMemory } from "../../store/memory/with-memory.ts";
import { describeMemory } from "../sessions/conversations.ts";

/** The status of the memory, read without a daemon. Never fails: an unreadable memory is a status, too. */
export async function memoryStatusInProcess(project: Project, config: Config): Promise<MemoryStatus> {
  const circumstances = { config, file: project.memoryDb, problem: null };
  try {
    return await withMemory(project, (memory) => describeMemory(memory, circumstances));
  } catch (error) {
    const problem = codeOf(error) === "no_memory" ? null : messageOf(error);
    return describeMemory(null, { ...circumstances, problem });
  }
}
