import { createEmbedders, type Embedders } from "../../models/embed/embedders.ts";
import { loadConfig } from "../../project/config/config.ts";
import type { Config } from "../../project/config/settings.ts";
import { codeOf, messageOf } from "../../project/errors.ts";
import type { Project } from "../../project/paths.ts";
import { version } from "../../project/version.ts";
import type {
  MemoryStatus,
  ModelStatus,
  QueueResponse,
  QueueStatus,
  StatusResponse,
} from "../../protocol/operations/status.ts";
import { CodeSearch } from "../../search/code/engine.ts";
import type { CodeIndex } from "../../store/index/port.ts";
import { withIndex, withMemory } from "../open.ts";
import { describeMemory } from "./conversations-status.ts";
import { describeCodeModels, type ModelLife } from "./model-status.ts";
import { ageOf, describeIndex, describeUnreadable, type IndexDescription } from "./status.ts";

/** What is to do about code where no daemon does it. */
const noCode = {
  pending: 0,
  done: 0,
  total: 0,
  processing: null,
  rate_chunks_per_sec: 0,
  eta_seconds: null,
  is_idle: true,
  last_error: null,
  recent: [],
};

interface CodeDescription extends IndexDescription {
  models: ModelStatus[];
}

/** What an index holds, and how far its models are with it: none of an index that cannot be read. */
export async function describeCode(
  project: Project,
  config: Config,
  code: { index: CodeIndex; search: CodeSearch },
  {
    embedders,
    pending = null,
    life,
  }: { embedders: () => Embedders; pending?: number | null; life?: ModelLife },
): Promise<CodeDescription> {
  const described = await describeIndex(project, config, code, pending);
  const isRead = described.error === undefined;
  return { ...described, models: isRead ? await describeCodeModels(code.index, embedders(), life) : [] };
}

/** The part of a status that does not depend on who answers. */
export function statusWith(
  project: Project,
  config: Config,
  { index, health, storage, models: code }: CodeDescription,
  text: ModelStatus[],
) {
  const [embedding_code, embedding_text] = [config["embed.code"], config["embed.text"]];
  const models = { embedding_code, code, embedding_text, text };
  return { version, project: project.root, index, health, storage, models };
}

/** What is to do in all. */
export const queueWith = (
  code: Omit<QueueStatus, "code_is_idle">,
  sessions: { is_idle: boolean },
): QueueStatus => ({
  ...code,
  is_idle: code.is_idle && sessions.is_idle,
  code_is_idle: code.is_idle,
});

/** The status of a project that no daemon has open. What cannot be read is reported, not thrown. */
export async function statusOf(project: Project): Promise<StatusResponse> {
  const { config } = loadConfig(project);
  const memory = await memoryStatus(project, config);
  const around = {
    daemon: { running: false, pid: null, port: null, uptime_seconds: null, memory_bytes: null },
    queue: queueWith(noCode, memory.jobs),
    memory,
  };
  try {
    return await withIndex(project, config, async (index) => {
      const search = new CodeSearch({ project, index, embedder: null });
      const embedders = () => createEmbedders(config, "code");
      const described = await describeCode(project, config, { index, search }, { embedders });
      const { error } = described;
      const isComplete = error !== undefined || (await ageOf(index, null)).is_complete;
      const notes = isComplete ? notesOn(error) : [neverFinished];
      return { ...statusWith(project, config, described, []), ...around, notes };
    });
  } catch (error) {
    const described = { ...(await describeUnreadable(project, config, error)), models: [] };
    return { ...statusWith(project, config, described, []), ...around, notes: notesOn(error) };
  }
}

/** The queue of a project that no daemon has open. */
export async function queueOf(project: Project): Promise<QueueResponse> {
  const { jobs } = await memoryStatus(project, loadConfig(project).config);
  return { ...queueWith(noCode, jobs), sessions: jobs, past: null };
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
