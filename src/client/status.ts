import { createEmbedders } from "../models/embed/embedders.ts";
import { loadConfig } from "../project/config/config.ts";
import { messageOf } from "../project/errors.ts";
import type { Project } from "../project/paths.ts";
import { version } from "../project/version.ts";
import type { StatusResponse } from "../protocol/operations/status.ts";
import { withIndex } from "../queries/search/code.ts";
import { describeCodeModels } from "../queries/status/model-status.ts";
import { ageOf, describeIndex, describeUnreadable } from "../queries/status/status.ts";
import { CodeSearch } from "../search/code/engine.ts";
import { autostartStatus } from "./autostart.ts";

/** The status of a project whose daemon does not run. An index that fails is reported, not thrown. */
export async function statusInProcess(project: Project): Promise<StatusResponse> {
  const { config } = loadConfig(project);
  const model = config["embed.code"];
  const { memoryStatusInProcess } = await import("../queries/status/memory-status.ts");
  const memory = await memoryStatusInProcess(project, config);
  const base = {
    version,
    project: project.root,
    daemon: {
      running: false,
      pid: null,
      port: null,
      uptime_seconds: null,
      memory_bytes: null,
      autostart: autostartStatus(config["daemon.autostart"]),
    },
    queue: {
      pending: 0,
      done: 0,
      total: 0,
      processing: null,
      rate_chunks_per_sec: 0,
      eta_seconds: null,
      is_idle: memory.jobs.is_idle,
      code_is_idle: true,
      last_error: null,
      recent: [],
    },
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

const neverFinished = "The first indexing is incomplete.";

function notesOn(error: unknown): string[] {
  return error === undefined ? [] : [messageOf(error)];
}
