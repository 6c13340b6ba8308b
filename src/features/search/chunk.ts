import { existsSync } from "node:fs";
import { join } from "node:path";
import { locate, parsePlace } from "../../answers/file-place.ts";
import { withIndex } from "../../answers/open.ts";
import { loadConfig } from "../../base/config/config.ts";
import type { Config } from "../../base/config/settings.ts";
import { getErrorCode, PommelError } from "../../base/errors.ts";
import type { Project } from "../../base/paths.ts";
import { readIndexAge } from "../../code/index/index-age.ts";
import { readLinesOfChunks } from "../../code/search/source.ts";
import type { SearchableIndex, StoredChunk } from "../../store/index/port.ts";
import type { ChunkAnswer, ChunkOutline, ChunkRequest } from "./operation.ts";

/** Files whose chunks are read at a time to find one by its id. */
const filesAtATime = 256;

/**
 * A chunk in full, with what it lies in and what lies in it. Where the project is not indexed yet, one named by its place is read
 * from its file.
 * @throws PommelError `not_found`, `usage`, and as `withIndex`
 */
export async function showChunk(project: Project, { id }: ChunkRequest): Promise<ChunkAnswer> {
  const { config } = loadConfig(project);
  const shown = await showIndexed(project, config, id);
  if (shown !== null) return shown;
  const { SourceTree } = await import("../../code/search/tree/tree.ts");
  const request = { query: id, limit: 1, levels: [], paths: [], languages: [], explain: false };
  return SourceTree.openForProject(project, config).ask(request, (tree) => showIn(tree, project, id));
}

const isId = (text: string): boolean => /^[0-9a-f]{16}$/.test(text);

/** null: one that is named by its place, where the index is not complete. */
async function showIndexed(project: Project, config: Config, id: string): Promise<ChunkAnswer | null> {
  try {
    return await withIndex(project, config, async (index) =>
      isId(id) || (await readIndexAge(index, null)).is_complete ? showIn(index, project, id) : null,
    );
  } catch (error) {
    if (isId(id) || getErrorCode(error) !== "not_indexed") throw error;
    return null;
  }
}

async function showIn(index: SearchableIndex, project: Project, id: string): Promise<ChunkAnswer> {
  const { chunk, file } = isId(id) ? await chunkWithId(index, id) : await chunkAt(index, project, id);
  const [content] = readLinesOfChunks(project.root, [chunk]);
  if (!content) throw new PommelError("not_found", `${chunk.path} is gone or unreadable.`);
  return {
    file: chunk.path,
    language: chunk.language,
    chunk: {
      ...toChunkOutline(chunk),
      start_line: content.startLine,
      end_line: content.endLine,
      parent_id: chunk.parentUid,
      content: content.text,
    },
    parents: listParents(chunk, file).map(toChunkOutline),
    children: file
      .filter(({ parentUid }) => parentUid === chunk.uid)
      .sort((a, b) => a.startLine - b.startLine || b.endLine - a.endLine)
      .map(toChunkOutline),
    freshness: content.drifted ? "drifted" : "fresh",
  };
}

interface InFile {
  chunk: StoredChunk;
  /** All chunks of its file. */
  file: readonly StoredChunk[];
}

/** Ids are in no order, and keeping one would cost every save more than this rare question: docs/decisions/0014. */
async function chunkWithId(index: SearchableIndex, id: string): Promise<InFile> {
  const files = (await index.files()).map((file) => file.id);
  for (let start = 0; start < files.length; start += filesAtATime) {
    const chunks = await index.readChunksOfFiles(files.slice(start, start + filesAtATime));
    const chunk = chunks.find(({ uid }) => uid === id);
    if (chunk) return { chunk, file: chunks.filter(({ file }) => file === chunk.file) };
  }
  throw new PommelError(
    "not_found",
    `No chunk ${id} is indexed.`,
    "Ids change with a chunk's name or place; search again, or name it as FILE:LINE.",
  );
}

async function chunkAt(index: SearchableIndex, project: Project, text: string): Promise<InFile> {
  const named = parsePlace(text, (name) => existsSync(join(project.root, name)));
  const path = locate(project, project.root, named.file);
  if (!existsSync(join(project.root, path))) {
    throw new PommelError(
      "not_found",
      `There is no file ${path}.`,
      "Name a place as FILE:LINE; `pm search code` finds it.",
    );
  }
  const entry = (await index.files()).find((file) => file.path === path);
  if (!entry) {
    throw new PommelError("not_found", `${path} is not indexed.`, "`pm status --skipped` says why.");
  }
  const file = await index.readChunksOfFiles([entry.id]);
  const { first, last } = named.lines ?? { first: 1, last: Number.POSITIVE_INFINITY };
  const measureSpan = ({ startLine, endLine }: StoredChunk) => endLine - startLine;
  const around = file.filter(({ startLine, endLine }) => startLine <= first && endLine >= last);
  // A whole file may be indexed in parts alone.
  const chunk =
    named.lines === null
      ? file.toSorted(
          (a, b) => measureSpan(b) - measureSpan(a) || computeDepth(a, file) - computeDepth(b, file),
        )[0]
      : around.toSorted(
          (a, b) => measureSpan(a) - measureSpan(b) || computeDepth(b, file) - computeDepth(a, file),
        )[0];
  if (chunk) return { chunk, file };
  throw new PommelError("not_found", `No chunk of ${path} contains ${text.slice(named.file.length + 1)}.`);
}

/** The nearest first. */
function listParents(chunk: StoredChunk, file: readonly StoredChunk[]): StoredChunk[] {
  const byId = new Map(file.map((one) => [one.uid, one]));
  const parents: StoredChunk[] = [];
  for (let next = chunk.parentUid; next !== null; ) {
    const parent = byId.get(next);
    if (!parent || parents.includes(parent)) break;
    parents.push(parent);
    next = parent.parentUid;
  }
  return parents;
}

const computeDepth = (chunk: StoredChunk, file: readonly StoredChunk[]) => listParents(chunk, file).length;

function toChunkOutline({
  uid,
  startLine,
  endLine,
  level,
  kind,
  name,
  signature,
}: StoredChunk): ChunkOutline {
  return { id: uid, start_line: startLine, end_line: endLine, level, kind, name, signature };
}
