import { findCodeAround } from "../../answers/ask-graph.ts";
import { escapeGlob } from "../../answers/file-place.ts";
import { withMemory } from "../../answers/open.ts";
import type { Subjects } from "../../answers/operation.ts";
import { loadConfig } from "../../base/config/config.ts";
import { listChangedFiles } from "../../git/changed-files.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import type { relatedRequest } from "./operation.ts";
import { findRelatedSessions } from "./related.ts";

/** Sessions in a list, by default. */
const listedSessions = 10;

export async function findRelated(
  { project }: Subjects["project"],
  { q = "", file, limit = listedSessions }: Shaped<typeof relatedRequest>,
) {
  const { config } = loadConfig(project);
  const query = q.trim();
  const files = file ?? (query === "" ? (await listChangedFiles(project)).map(escapeGlob) : null);
  const request = { files, query, limit };
  const found = await withMemory(project, (memory) => findRelatedSessions(project, memory, request, config));
  return { ...found, code: await findCodeAround(project, files ?? []) };
}
