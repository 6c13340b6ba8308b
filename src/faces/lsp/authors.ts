import { PommelError } from "../../base/errors.ts";
import { formatRelativeTime } from "../../base/text/relative-time.ts";
import { shortenText } from "../../base/text/text-size.ts";
import { call } from "../../client/call.ts";
import type { BlameRange } from "../../features/blame/operation.ts";
import { blame } from "../../features/blame/operation.ts";
import { listDecisions } from "../../features/decisions/operation.ts";
import type { ChunkOutline } from "../../features/search/operation.ts";
import { showChunk } from "../../features/search/operation.ts";
import { type Decision, turnsToCarryOut } from "../../protocol/decision.ts";
import type { DocumentFile } from "./places.ts";

/** The author of consecutive lines of a document as it is in the editor. Lines typed since it was saved have no author. */
export interface EditorLines extends BlameRange {
  /** Lines of the document, inclusive, from 0 as the protocol counts. */
  start: number;
  end: number;
}

export async function findAuthoredLines(
  { project, file, lines }: DocumentFile,
  signal?: AbortSignal,
): Promise<EditorLines[]> {
  const { ranges } = await call(blame, { file }, project, { signal });
  return ranges.flatMap((range) => {
    const pieces: EditorLines[] = [];
    for (let saved = range.first_line; saved <= range.last_line; saved++) {
      const line = lines.fromSaved(saved);
      if (line === null) continue;
      const last = pieces.at(-1);
      if (last?.end === line - 2) last.end = line - 1;
      else pieces.push({ ...range, start: line - 1, end: line - 1 });
    }
    return pieces;
  });
}

/** The text above a definition: who wrote most of it, when, and for what. */
interface Lens {
  /** Of the document, from 0. */
  line: number;
  text: string;
  /** The author's session; null for a person. */
  session: { id: string; turn: number | null } | null;
}

const maxTitle = 60;
const containers: ReadonlySet<string> = new Set([
  "class",
  "interface",
  "struct",
  "impl",
  "module",
  "trait",
  "object",
]);

/** One lens for each function and method in which agents wrote. */
export async function buildLenses(place: DocumentFile, authors: readonly EditorLines[]): Promise<Lens[]> {
  return (await listDefinitions(place)).flatMap(({ start_line, end_line }) => {
    const line = place.lines.fromSaved(start_line);
    if (line === null) return [];
    const inside = authors.filter((range) => range.last_line >= start_line && range.first_line <= end_line);
    const main = findMainRange(inside.filter(({ author }) => author === "agent"));
    if (main === undefined) return [];
    const when =
      main.authored_at === null ? "not committed" : formatRelativeTime(Date.parse(main.authored_at));
    const what = main.session_title ?? main.subject;
    const title = what === null ? "" : `: ${shortenText(what.replace(/\s+/g, " "), maxTitle)}`;
    const session = main.session_id === null ? null : { id: main.session_id, turn: main.turn };
    return [{ line: line - 1, text: `${main.agent ?? "agent"}, ${when}${title}`, session }];
  });
}

function findMainRange(ranges: readonly EditorLines[]): EditorLines | undefined {
  const countRangeLines = ({ start, end }: EditorLines) => end - start + 1;
  return ranges.toSorted((a, b) => countRangeLines(b) - countRangeLines(a))[0];
}

/** Functions and methods of the saved file, in order; none where the file is not indexed. */
async function listDefinitions({ project, file, lastLine }: DocumentFile): Promise<ChunkOutline[]> {
  const readChunkOutline = async (id: string) => {
    const { chunk, children } = await call(showChunk, { id }, project);
    // A file with a single definition may be one chunk.
    return chunk.level === "file" ? children : [chunk, ...children];
  };
  try {
    const top = await readChunkOutline(`${file}:1-${lastLine}`);
    const inner = await Promise.all(
      top.map((one) => (containers.has(one.kind) ? readChunkOutline(one.id) : [one])),
    );
    return inner.flat().filter(({ kind, name }) => name !== "" && !containers.has(kind));
  } catch (error) {
    if (error instanceof PommelError) return [];
    throw error;
  }
}

/** Lines that were written because of a decision that a later one contradicts. */
interface Superseded {
  /** Of the document, inclusive, from 0. */
  start: number;
  end: number;
  decision: Decision;
}

const asked = 50;

export async function findSuperseded(
  place: DocumentFile,
  authors: readonly EditorLines[],
): Promise<Superseded[]> {
  if (!authors.some(({ session_id }) => session_id !== null)) return [];
  const { decisions } = await call(listDecisions, { file: [place.file], limit: asked }, place.project);
  return decisions
    .filter(({ superseded_by }) => superseded_by !== null)
    .flatMap((decision) =>
      authors
        .filter((range) => isReasonFor(decision, range))
        .map(({ start, end }) => ({ start, end, decision })),
    );
}

function isReasonFor({ session_id, turn }: Decision, range: EditorLines): boolean {
  if (session_id === null || turn === null || range.turn === null) return false;
  return range.session_id === session_id && range.turn >= turn && range.turn <= turn + turnsToCarryOut;
}
