import type { Running, Subjects } from "../../answers/operation.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import { searchAll as findAll, searchTranscripts as findTranscripts } from "./all.ts";
import { showChunk as show } from "./chunk.ts";
import { searchCode as findCode } from "./code.ts";
import { searchHistory as findHistory } from "./history.ts";
import type {
  chunkRequest,
  historySearchRequest,
  searchAllRequest,
  searchRequest,
  transcriptSearchRequest,
} from "./operation.ts";

export const searchCode = (
  { project }: Subjects["project"],
  request: Shaped<typeof searchRequest>,
  { signal }: Running,
) => findCode(project, request, signal);

export const searchTranscripts = (
  { project }: Subjects["project"],
  request: Shaped<typeof transcriptSearchRequest>,
  { signal }: Running,
) => findTranscripts(project, request, signal);

export const searchHistory = (
  { project }: Subjects["project"],
  request: Shaped<typeof historySearchRequest>,
  { signal }: Running,
) => findHistory(project, request, signal);

export const searchAll = (
  { project }: Subjects["project"],
  request: Shaped<typeof searchAllRequest>,
  { signal }: Running,
) => findAll(project, request, signal);

export const showChunk = ({ project }: Subjects["code"], request: Shaped<typeof chunkRequest>) =>
  show(project, request);
