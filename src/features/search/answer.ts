import type { Running, Subjects } from "../../answers/operation.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import type {
  chunkRequest,
  historySearchRequest,
  searchAllRequest,
  searchEverywhereRequest,
  searchRequest,
  transcriptSearchRequest,
} from "./operation.ts";

// Each loads what it needs alone: a process that answers one question spends most of its time on loading.

export const searchCode = async (
  { project }: Subjects["project"],
  request: Shaped<typeof searchRequest>,
  { signal }: Running,
) => (await import("./code.ts")).searchCode(project, request, signal);

export const searchTranscripts = async (
  { project }: Subjects["project"],
  request: Shaped<typeof transcriptSearchRequest>,
  { signal }: Running,
) => (await import("./all.ts")).searchTranscripts(project, request, signal);

export const searchHistory = async (
  { project }: Subjects["project"],
  request: Shaped<typeof historySearchRequest>,
  { signal }: Running,
) => (await import("./history.ts")).searchHistory(project, request, signal);

export const searchAll = async (
  { project }: Subjects["project"],
  request: Shaped<typeof searchAllRequest>,
  { signal }: Running,
) => (await import("./all.ts")).searchAll(project, request, signal);

export const showChunk = async ({ project }: Subjects["project"], request: Shaped<typeof chunkRequest>) =>
  (await import("./chunk.ts")).showChunk(project, request);

export const searchEverywhere = async (_: object, request: Shaped<typeof searchEverywhereRequest>) =>
  (await import("./everywhere.ts")).searchEverywhere(request);
