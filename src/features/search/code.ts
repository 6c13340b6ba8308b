import { configOf, openIndex, withIndex } from "../../answers/open.ts";
import { languageIdsOf } from "../../code/languages/index.ts";
import type { Config } from "../../project/config/settings.ts";
import { codeOf, explanationOf } from "../../project/errors.ts";
import { levelOf } from "../../project/levels.ts";
import type { Project } from "../../project/paths.ts";
import type { SearchResponse } from "../../protocol/results.ts";
import type { DiskIndex } from "../../search/code/disk-index.ts";
import type { CodeQuery } from "../../search/code/types.ts";
import { parsePlace } from "../blame/file-place.ts";
import { ageOf } from "../status/describe-index.ts";
import { bundledQueryEmbedder } from "./embedder.ts";
import type { SearchRequest } from "./operation.ts";

/**
 * The query of a request, with defaults from the configuration.
 * @throws PommelError `usage` for an unknown language
 */
export function toCodeQuery(request: SearchRequest, config: Config): CodeQuery {
  return {
    query: request.q,
    limit: request.limit ?? config["search.limit"],
    levels: [...new Set((request.level ?? []).map(levelOf))],
    paths: (request.path ?? []).flatMap(globsOf),
    languages: languageIdsOf(request.language ?? []),
    package: request.package,
    near: request.near,
    place: placeIn(request.q),
    ...(request.match && { match: request.match }),
    by: request.by === "chunk" ? "chunk" : "file",
    graph: request.graph,
    graphOfFirst: request.graph_of_first,
    explain: request.explain ?? false,
  };
}

/** The lines that a query is, and nothing else: "src/retry.ts:12", as compilers and web pages write it. */
function placeIn(query: string): CodeQuery["place"] {
  const text = query.trim();
  if (/\s/.test(text) || !/\w[:#]L?[1-9]/.test(text)) return undefined;
  const { file, lines } = parsePlace(text);
  return lines === null ? undefined : { file: file.replace(/^(?:\.\/)+/, ""), ...lines };
}

/** A path matches itself and, if it is a directory, everything below. */
function globsOf(path: string): string[] {
  const plain = path.replace(/^(\.\/)+/, "").replace(/\/+$/, "");
  return plain === "" || plain === "." ? ["**"] : [plain, `${plain}/**`];
}

/**
 * Answers a search from what the index holds; where it cannot be reached, by the words of the files on disk.
 * @throws PommelError `not_indexed`, `index_corrupt`, `index_too_new`, `unreadable`, `usage`
 */
export async function searchCode(project: Project, request: SearchRequest): Promise<SearchResponse> {
  const config = configOf(project);
  try {
    return await searchIndex(project, config, request);
  } catch (error) {
    if (codeOf(error) !== "index_unavailable") throw error;
    return searchDisk(project, config, request, explanationOf(error));
  }
}

async function searchIndex(
  project: Project,
  config: Config,
  request: SearchRequest,
): Promise<SearchResponse> {
  const query = toCodeQuery(request, config);
  const open = openIndex(project);
  if (open) {
    const answer = await open.ask(query);
    const { pending, is_idle } = open.queue();
    // An empty queue between two files does not mean that the pass is over.
    return { ...answer, index: await ageOf(open.index, is_idle ? 0 : Math.max(pending, 1)) };
  }
  return withIndex(project, config, async (index) => {
    const { CodeSearch } = await import("../../search/code/engine.ts");
    const embedder = config["embed.code"] !== "none" ? await bundledQueryEmbedder() : null;
    const answer = await new CodeSearch({ project, index, embedder }).search(query);
    return { ...answer, index: await ageOf(index, null) };
  });
}

/** Files on disk are read again for a question that comes later. Milliseconds. */
const diskAgeMs = 15_000;
const onDisk = new Map<string, { at: number; index: Promise<DiskIndex> }>();

async function searchDisk(
  project: Project,
  config: Config,
  request: SearchRequest,
  why: string,
): Promise<SearchResponse> {
  const [{ createIgnoreRules }, { DiskIndex }, { CodeSearch }] = await Promise.all([
    import("../../code/files/ignore.ts"),
    import("../../search/code/disk-index.ts"),
    import("../../search/code/engine.ts"),
  ]);
  const now = Date.now();
  let known = onDisk.get(project.root);
  if (known === undefined || now - known.at > diskAgeMs) {
    const rules = createIgnoreRules(project.root, config);
    known = { at: now, index: DiskIndex.of(project.root, rules, config["index.max_file_size"]) };
    onDisk.set(project.root, known);
    setTimeout(() => onDisk.delete(project.root), diskAgeMs).unref();
  }
  const index = await known.index;
  // There are no other levels.
  const query = { ...toCodeQuery(request, config), levels: [] };
  const answer = await new CodeSearch({ project, index, embedder: null }).search(query);
  const part = index.isCut ? "a part of the files" : "the files";
  const note = `${why} Until then the words of ${part} on disk are searched, without meaning and definitions.`;
  const as_of = new Date(known.at).toISOString();
  return {
    ...answer,
    notes: [note, ...answer.notes],
    index: { pending: null, is_complete: !index.isCut, as_of },
  };
}

/** The files that are left out, and why, whether a daemon runs or not. */
export function skippedFiles(project: Project): Promise<{ path: string; reason: string }[]> {
  return withIndex(project, configOf(project), async (index) =>
    (await index.skipped()).map(({ path, reason }) => ({ path, reason })),
  );
}
