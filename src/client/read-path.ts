import { createCodeEmbedders } from "../code/code-embedders.ts";
import { languageIdsOf } from "../code/languages/by-name.ts";
import { loadConfig } from "../project/config.ts";
import { messageOf } from "../project/errors.ts";
import type { Project } from "../project/paths.ts";
import type { Config } from "../project/settings.ts";
import { version } from "../project/version.ts";
import { CodeSearch } from "../search/engine.ts";
import type { CodeQuery } from "../search/types.ts";
import type { VectorSearch } from "../search/vector-search.ts";
import { CodeIndex, reconciledAt } from "../store/code-index.ts";
import { autostartStatus } from "./autostart.ts";
import { describeModels } from "./model-status.ts";
import { openToRead } from "./open-to-read.ts";
import type { SearchRequest, SearchResponse, StatusResponse } from "./protocol.ts";
import { ageOf, describeIndex, describeUnreadable } from "./status.ts";

/**
 * The question that a request asks, with the configuration's answers where it says nothing.
 * @throws PommelError `usage` for a language that is not known
 */
export function toCodeQuery(request: SearchRequest, config: Config): CodeQuery {
  return {
    query: request.q,
    limit: request.limit ?? config["search.limit"],
    levels: request.level ?? config["search.levels"],
    paths: (request.path ?? []).flatMap(globsOf),
    languages: languageIdsOf(request.language ?? []),
    explain: request.explain ?? false,
  };
}

/** A path stands for itself and, if it is a directory, for everything below. */
function globsOf(path: string): string[] {
  const plain = path.replace(/^(\.\/)+/, "").replace(/\/+$/, "");
  return plain === "" || plain === "." ? ["**"] : [plain, `${plain}/**`];
}

/**
 * Answers a search in this process from what the index holds, without a daemon.
 * @throws PommelError `not_indexed`, `index_corrupt`, `index_too_new`, `unreadable`, `usage`
 */
export async function searchInProcess(project: Project, request: SearchRequest): Promise<SearchResponse> {
  const { config } = loadConfig(project);
  return withIndex(project, async (index) => {
    const vectors = await vectorSearchIn(index, config);
    const answer = await new CodeSearch({ project, index, vectors }).search(toCodeQuery(request, config));
    return { ...answer, index: ageOf(index, null) };
  });
}

/** Only the bundled model: any other takes longer to load than the answer may take. */
async function vectorSearchIn(index: CodeIndex, config: Config): Promise<VectorSearch | null> {
  if (config["embed.code"] === "none") return null;
  const { VectorSearch } = await import("../search/vector-search.ts");
  const { bundledEmbedder } = await import("./bundled-embedder.ts");
  return new VectorSearch({ index, first: bundledEmbedder() });
}

/** The status of a project whose daemon does not run. Never fails because of the index: it says what is wrong. */
export async function statusInProcess(project: Project): Promise<StatusResponse> {
  const { config } = loadConfig(project);
  const model = config["embed.code"];
  const { memoryStatusInProcess } = await import("./memory-status.ts");
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
      autostart: autostartStatus(project, config["daemon.autostart"]),
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
    return await withIndex(project, async (index) => {
      const search = new CodeSearch({ project, index, vectors: null });
      const { error, ...described } = await describeIndex(project, { index, search }, null, model);
      const code = error === undefined ? await describeModels(index, createCodeEmbedders(config)) : [];
      const isComplete = error !== undefined || ageOf(index, null).is_complete;
      const models = { ...base.models, code };
      return { ...base, ...described, models, notes: isComplete ? notesOn(error) : [neverFinished] };
    });
  } catch (error) {
    const { error: _, ...described } = describeUnreadable(project, error, model);
    return { ...base, ...described, notes: notesOn(error) };
  }
}

const neverFinished = "The first indexing was not finished.";

function notesOn(error: unknown): string[] {
  return error === undefined ? [] : [messageOf(error)];
}

/** The files that are left out, and why, whether a daemon runs or not. */
export function skippedFiles(project: Project): Promise<{ path: string; reason: string }[]> {
  return withIndex(project, (index) => index.skippedFiles().map(({ path, reason }) => ({ path, reason })));
}

/**
 * Opens the index to read, or a copy of it where SQLite may not write beside it, and closes it after use.
 * @throws PommelError `not_indexed`, `index_corrupt`, `index_too_new`, `unreadable`
 */
export function withIndex<T>(project: Project, use: (index: CodeIndex) => T | Promise<T>): Promise<T> {
  return openToRead(project.indexDb, openIndex, use);
}

function openIndex(file: string): CodeIndex {
  const index = CodeIndex.open(file, { readonly: true });
  try {
    index.meta(reconciledAt);
    return index;
  } catch (error) {
    index.close();
    throw error;
  }
}
