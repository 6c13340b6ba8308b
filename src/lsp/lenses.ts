import { call } from "../client/call.ts";
import { PommelError } from "../project/errors.ts";
import type { ChunkOutline } from "../protocol/operations/files.ts";
import { relativeTime } from "../text/relative-time.ts";
import { beginningOf } from "../text/text-size.ts";
import type { AuthoredLines } from "./authors.ts";
import type { Place } from "./places.ts";

/** What stands above a definition: who wrote most of it, when, and for what. */
export interface Lens {
  /** Of the document, from 0. */
  line: number;
  text: string;
  /** Of its author's session; null for a person. */
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

/** One lens for each function and method, as far as agents wrote there. */
export async function lensesOf(place: Place, authors: readonly AuthoredLines[]): Promise<Lens[]> {
  return (await definitionsIn(place)).flatMap(({ start_line, end_line }) => {
    const line = place.lines.fromSaved(start_line);
    if (line === null) return [];
    const inside = authors.filter((range) => range.last_line >= start_line && range.first_line <= end_line);
    const main = mostOf(inside.filter(({ author }) => author === "agent"));
    if (main === undefined) return [];
    const when = main.authored_at === null ? "not committed" : relativeTime(Date.parse(main.authored_at));
    const what = main.session_title ?? main.subject;
    const title = what === null ? "" : `: ${beginningOf(what.replace(/\s+/g, " "), maxTitle)}`;
    const session = main.session_id === null ? null : { id: main.session_id, turn: main.turn };
    return [{ line: line - 1, text: `${main.agent ?? "agent"}, ${when}${title}`, session }];
  });
}

function mostOf(ranges: readonly AuthoredLines[]): AuthoredLines | undefined {
  const linesOf = ({ start, end }: AuthoredLines) => end - start + 1;
  return ranges.toSorted((a, b) => linesOf(b) - linesOf(a))[0];
}

/** Functions and methods of the saved file, in order; none where the file is not indexed. */
async function definitionsIn({ project, file, lastLine }: Place): Promise<ChunkOutline[]> {
  const outlineOf = async (id: string) => {
    const { chunk, children } = await call("chunk", { id }, project);
    // A file may hold nothing but one definition.
    return chunk.level === "file" ? children : [chunk, ...children];
  };
  try {
    const top = await outlineOf(`${file}:1-${lastLine}`);
    const inner = await Promise.all(top.map((one) => (containers.has(one.kind) ? outlineOf(one.id) : [one])));
    return inner.flat().filter(({ kind, name }) => name !== "" && !containers.has(kind));
  } catch (error) {
    if (error instanceof PommelError) return [];
    throw error;
  }
}
