import { createEmbedders } from "../../models/embed/embedders.ts";
import { loadConfig } from "../../project/config/config.ts";
import type { Config } from "../../project/config/settings.ts";
import { codeOf, messageOf } from "../../project/errors.ts";
import type { Project } from "../../project/paths.ts";
import { version } from "../../project/version.ts";
import type { MemoryStatus, QueueResponse, StatusResponse } from "../../protocol/operations/status.ts";
import { CodeSearch } from "../../search/code/engine.ts";
import { withIndex, withMemory } from "../open.ts";
import { describeMemory } from "./conversations-status.ts";
import { describeCodeModels } from "./model-status.ts";
import { ageOf, describeIndex, describeUnreadable } from "./status.ts";

/** What is to do about code where no daemon does it. */
const noCode = {
  pending: 0,
  done: 0,
  total: 0,
  processing: null,
  rate_chunks_per_sec: 0,
  eta_seconds: null,
  code_is_idle: true,
  last_error: null,
  recent: [],
};

/** The status of a project that no daemon has open. What cannot be read is reported, not thrown. */
export async function statusOf(project: Project): Promise<StatusResponse> {
  const { config } = loadConfig(project);
  const model = config["embed.code"];
  const memory = await memoryStatus(project, config);
  const base = {
    version,
    project: project.root,
    daemon: { running: false, pid: null, port: null, uptime_seconds: null, memory_bytes: null },
    queue: { ...noCode, is_idle: memory.jobs.is_idle },
    models: { embedding_code: model, code: [], embedding_text: config["embed.text"], text: [] },
    memory,
  };
  try {
    return await withIndex(project, config, async (index) => {
      const search = new CodeSearch({ project, index, embedder: null });
      const { error, ...described } = await describeIndex(project, config, { index, search }, null);
      const code =
        error === undefined ? await describeCodeModels(index, createEmbedders(config, "code")) : [];
      const isComplete = error !== undefined || (await ageOf(index, null)).is_complete;
      const models = { ...base.models, code };
      return { ...base, ...described, models, notes: isComplete ? notesOn(error) : [neverFinished] };
    });
  } catch (error) {
    const { error: _, ...described } = await describeUnreadable(project, config, error);
    return { ...base, ...described, notes: notesOn(error) };
  }
}

/** The queue of a project that no daemon has open. */
export async function queueOf(project: Project): Promise<QueueResponse> {
  const { jobs } = await memoryStatus(project, loadConfig(project).config);
  return { ...noCode, is_idle: jobs.is_idle, sessions: jobs, past: null };
}

const neverFinished = "The first indexing is incomplete.";

function notesOn(error: unknown): string[] {
  return error === undefined ? [] : [messageOf(error)];
}

/** Never fails: an unreadable memory is a status, too. */
async function memoryStatus(project: Project, config: Config): Promise<MemoryStatus> {
  const circumstances = { config, file: project.memoryDb, problem: null };
  try {
    return await withMemory(project, (memory) => describeMemory(memory, circumstances));
  } catch (error) {
    const problem = codeOf(error) === "no_memory" ? null : messageOf(error);
    return describeMemory(null, { ...circumstances, problem });
  }
}
