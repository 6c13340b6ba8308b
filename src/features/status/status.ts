import { noCode, queueWith } from "../../answers/jobs-status.ts";
import { withIndex, withMemory } from "../../answers/open.ts";
import type { Config } from "../../base/config/settings.ts";
import { explainError, getErrorCode, getErrorMessage } from "../../base/errors.ts";
import type { Project } from "../../base/paths.ts";
import { version } from "../../base/version.ts";
import { readIndexAge } from "../../code/index/index-age.ts";
import { CodeSearch } from "../../code/search/engine.ts";
import { findKnownProject, isRemembered } from "../../git/projects/find-project.ts";
import { findIndexObstacle } from "../../git/projects/indexed.ts";
import { loadRecordingConfig } from "../../git/projects/recorded.ts";
import type { EmbedProgress } from "../../models/embed/embed-pass.ts";
import type { Embedder } from "../../models/embed/embedder.ts";
import { createEmbedders, type Embedders, listEmbedders } from "../../models/embed/embedders.ts";
import type { CodeIndex, VectorCounts } from "../../store/index/port.ts";
import { describeIndex, describeUnreadable, type IndexDescription } from "./describe-index.ts";
import { describeMemory } from "./describe-memory.ts";
import type { MemoryStatus, ModelStatus, StatusResponse } from "./operation.ts";

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
export function buildStatus(
  project: Project,
  config: Config,
  { index, health, storage, models: code }: CodeDescription,
  text: ModelStatus[],
) {
  const [embedding_code, embedding_text] = [config["embed.code"], config["embed.text"]];
  const models = { embedding_code, code, embedding_text, text };
  return { version, project: project.root, index, health, storage, models };
}

const notRunning = { pid: null, port: null, uptime_seconds: null, memory_bytes: null };

/**
 * The status of a project that no daemon has open. What cannot be read is reported, not thrown.
 * @param daemon the one that this process is; null: none
 */
export async function readClosedStatus(
  project: Project,
  daemon: Omit<StatusResponse["daemon"], "running" | "has_open"> | null,
): Promise<StatusResponse> {
  const { config } = loadRecordingConfig(project);
  const memory = await readMemoryStatus(project, config);
  const around = {
    daemon: { running: daemon !== null, has_open: false, ...(daemon ?? notRunning) },
    queue: queueWith(noCode, memory.jobs),
    memory,
  };
  const place = noteOnPlace(project);
  try {
    return await withIndex(project, config, async (index) => {
      const search = new CodeSearch({ project, index, embedder: null });
      const embedders = () => createEmbedders(config, "code");
      const described = await describeCode(project, config, { index, search }, { embedders });
      const { error } = described;
      const isComplete = error !== undefined || (await readIndexAge(index, null)).is_complete;
      const notes = isComplete ? toNotes(error) : [neverFinished];
      return { ...buildStatus(project, config, described, []), ...around, notes: [...place, ...notes] };
    });
  } catch (error) {
    const described = { ...(await describeUnreadable(project, config, error)), models: [] };
    const notes =
      place.length > 0 && getErrorCode(error) === "not_indexed" ? place : [...place, ...toNotes(error)];
    return { ...buildStatus(project, config, described, []), ...around, notes };
  }
}

/** What a directory is that is not used yet. */
function noteOnPlace(project: Project): string[] {
  const plain = findIndexObstacle(project);
  if (plain !== null) return [explainError(plain.refusal)];
  if (isRemembered(project) || findKnownProject(project.root) !== null) return [];
  return [
    `${project.root} is not a project yet: its first search, or an agent's session in it, makes it one.`,
  ];
}

const neverFinished = "The first indexing is incomplete.";

function toNotes(error: unknown): string[] {
  return error === undefined ? [] : [getErrorMessage(error)];
}

/** Never fails: an unreadable memory is a status, too. */
async function readMemoryStatus(project: Project, config: Config): Promise<MemoryStatus> {
  const circumstances = { config, file: project.memoryDb, problem: null };
  try {
    return await withMemory(project, (memory) => describeMemory(memory, circumstances));
  } catch (error) {
    const problem = getErrorCode(error) === "no_memory" ? null : getErrorMessage(error);
    return describeMemory(null, { ...circumstances, problem });
  }
}

/** What is stored about the models. */
interface StoredVectors {
  /** Chunks there are. */
  total: number;
  /** `dimensions` left out: a model has vectors of one length. */
  counts: readonly (Omit<VectorCounts, "dimensions"> & { dimensions?: number })[];
}

/** What a running daemon knows about a model beyond what is stored. */
interface ModelLife {
  progressOf: (model: string) => EmbedProgress | null;
  /** Why it could not be used the last time. */
  problemWith: (model: string) => string | null;
}

/** How many chunks of a code index each model in use has embedded, and what stops it. */
export async function describeCodeModels(
  index: CodeIndex,
  embedders: Embedders,
  life: ModelLife = { progressOf: () => null, problemWith: () => null },
): Promise<ModelStatus[]> {
  const [{ chunks: total }, counts] = await Promise.all([index.readIndexCounts(), index.readVectorCounts()]);
  // Asks no server: only the first model, which is at hand, is made ready to see whether that works.
  const broken = embedders.first && (await findPrepareProblem(embedders.first));
  return describeModels(
    listEmbedders(embedders),
    { total, counts },
    {
      progressOf: (model) => life.progressOf(model),
      problemWith: (model) => life.problemWith(model) ?? (model === embedders.first?.id ? broken : null),
    },
  );
}

async function findPrepareProblem(model: Embedder): Promise<string | null> {
  try {
    await model.prepare();
    return null;
  } catch (error) {
    return explainError(error);
  }
}

/** How many stored texts each model has embedded, and what stops it. */
export function describeModels(
  models: readonly Embedder[],
  { total, counts }: StoredVectors,
  life: ModelLife,
): ModelStatus[] {
  return models.map((model) => {
    const { id, dimensions } = model;
    const stored = counts.find(
      (counted) =>
        counted.model === id &&
        (dimensions === 0 || counted.dimensions === undefined || counted.dimensions === dimensions),
    );
    const { chunks, missing } = stored ?? { chunks: 0, missing: 0 };
    const pending = Math.max(total - chunks, 0);
    const progress = life.progressOf(id);
    const message = progress?.problem ?? life.problemWith(id);
    const isWorking = progress?.state === "embedding";
    const rate = progress?.chunksPerSecond ?? 0;
    return {
      id,
      dimensions: dimensions || (stored?.dimensions ?? 0),
      state: message !== null ? "unavailable" : pending === 0 ? "ready" : isWorking ? "embedding" : "waiting",
      message,
      chunks_total: total,
      chunks_embedded: chunks - missing,
      chunks_missing: missing,
      chunks_pending: pending,
      eta_seconds: isWorking && message === null && rate > 0 ? Math.ceil(pending / rate) : null,
      usage: model.usage?.() ?? null,
    };
  });
}
