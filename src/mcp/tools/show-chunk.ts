import type { ChunkOutline } from "../../protocol/operations/files.ts";
import { parsePlace } from "../../queries/blame/file-place.ts";
import { visible } from "../../text/quotation.ts";
import type { SearchCodeOutput } from "../shapes/shapes-search.ts";
import { roomOf } from "../text/budget.ts";
import { beginning, codeLabel, joined, oneLine } from "../text/text.ts";
import { ask, type CallContext, type ToolAnswer } from "../tool.ts";
import { pathsInside } from "./places.ts";

/** So many of what lies in a chunk are named, and so many characters of each. */
const named = 40;
const signatureLength = 120;

/** search_code with `chunk`: that code in full, then what it lies in and what lies in it. Errors as `showChunk`. */
export async function showChunk(
  id: string,
  maxTokens: number,
  context: CallContext,
): Promise<ToolAnswer<SearchCodeOutput>> {
  const found = await ask(context, "chunk", { id: fromRoot(id, context) });
  const { file, chunk, parents, children, freshness } = found;
  const around = parents.map((parent) => itemOf(file, parent, "around it"));
  const within = children.slice(0, named).map((child) => itemOf(file, child, "in it"));
  const room = roomOf(maxTokens) - JSON.stringify([around, within]).length - 300;
  const longest = Math.max(room, 500);
  const content = beginning(chunk.content, longest);
  const is_stale = freshness === "drifted";
  const whole = { ...itemOf(file, chunk, "asked for"), is_stale, content };
  const isCut = visible(chunk.content).trimEnd().length > longest;
  const notes = [
    ...(isCut ? ["Cut: raise max_tokens, or ask for one of the chunks in it."] : []),
    ...(children.length > named ? [`${children.length - named} more chunks in it.`] : []),
  ];
  const results = [whole, ...around, ...within];
  return {
    structured: {
      ...{ label: codeLabel, verdict: "found", results },
      ...{ total: results.length, next_cursor: null, notes },
    },
    text: joined(
      [
        codeLabel,
        `${lineOf({ ...whole, content: "" })}${is_stale ? " (changed since it was indexed)" : ""}`,
        content.replace(/^/gm, "    "),
        around.length > 0 && `Around it:\n${around.map(lineOf).join("\n")}`,
        within.length > 0 && `In it:\n${within.map(lineOf).join("\n")}`,
        ...notes,
      ],
      "\n",
    ),
  };
}

/** A place from the project's root; an id as it is. */
function fromRoot(id: string, context: CallContext): string {
  const { file, lines } = parsePlace(id);
  if (lines === null) return id;
  const [path = file] = pathsInside(context, [file]);
  return `${path}${id.slice(file.length)}`;
}

function itemOf(file: string, chunk: ChunkOutline, reason: string): SearchCodeOutput["results"][number] {
  return {
    ...{ project: null, file: visible(file), start_line: chunk.start_line, end_line: chunk.end_line },
    ...{ level: chunk.level, kind: chunk.kind, name: oneLine(chunk.name, 120), parent: null },
    ...{ reasons: [reason], is_stale: false, callers: "", also: [], also_in: [] },
    content: oneLine(chunk.signature, signatureLength),
  };
}

function lineOf({
  file,
  start_line,
  end_line,
  kind,
  level,
  name,
  content,
}: ReturnType<typeof itemOf>): string {
  const signature = content.includes("\n") || content === name ? "" : content;
  return joined([`${file}:${start_line}-${end_line}`, joined([kind || level, name], " "), signature], "  ");
}
