import { join, relative } from "node:path";
import { parsePlace } from "../../../answers/file-place.ts";
import { PommelError } from "../../../base/errors.ts";
import { maxResults } from "../../../base/max-results.ts";
import { placeInProject } from "../../../base/paths.ts";
import { visible } from "../../../base/text/quotation.ts";
import type { ChunkOutline, SearchRequest } from "../../../features/search/operation.ts";
import {
  showChunk as chunkOperation,
  searchEverywhere,
  searchCode as searchOperation,
} from "../../../features/search/operation.ts";
import type { GraphEdge } from "../../../protocol/graph.ts";
import { adviseOn, describeNothingYet } from "../../../protocol/reading/evidence.ts";
import type { SearchResponse } from "../../../protocol/results.ts";
import type { SearchCodeOutput, searchCodeInput } from "../shapes/shapes-search.ts";
import { cursorAt, fitIn, offsetOf, roomOf } from "../text/budget.ts";
import { beginning, codeLabel, edgeNamed, joined, lineOrNull, oneLine, withMore } from "../text/text.ts";
import {
  acrossOf,
  ask,
  askEverywhere,
  type CallContext,
  type Handler,
  otherProject,
  skippedNotes,
  type ToolAnswer,
} from "../tool.ts";
import { pathsInside } from "./places.ts";

type Found = SearchResponse["results"][number] & {
  /** The root of another project. */
  project?: string | undefined;
};

/** Changes that wait for the index: more mean more than a save that was just made. */
const manyChanges = 20;
/** So many results on top are given at length, with reasons; of the others, to choose from by name, so many characters. */
const toRead = 3;
const brief = 120;
const currentNote = "The code is as on disk now: what is shown need not be read again.";
/** Uses in one direction that are named. */
const edgesShown = 5;
/** Files with the same that are named. */
const copiesShown = 5;

export const searchCode: Handler<typeof searchCodeInput, SearchCodeOutput> = async (args, context) => {
  const { query = "", chunk, path, regex, limit, cursor, max_tokens, all_projects: _, ...filters } = args;
  if (chunk !== undefined) return showChunk(chunk, max_tokens, context);
  const offset = offsetOf("search_code", args, cursor);
  const request: SearchRequest = {
    q: query,
    limit: Math.min(offset + limit, maxResults),
    ...filters,
    ...(path && { path: pathsInside(context, path) }),
    ...(regex && { match: "regex" as const }),
    near: placeInProject(context.project, context.cwd) || undefined,
    graph_of_first: Math.min(offset + toRead, maxResults),
  };
  const found = await foundIn(acrossOf(args, context), request, context);
  const page = found.results.slice(offset, offset + limit);
  const room = roomOf(max_tokens);
  const each = Math.max(Math.floor(room / Math.min(Math.max(page.length, 1), 5)) - 200, brief);
  // What is probably not here is only worth a glance.
  const skipped = found.verdict === "probably_not_here" ? toRead : 0;
  const placed = page.map((one, at): [number, Found] => [at + skipped, one]);
  const make = (one: (typeof placed)[number], longest: number) =>
    itemOf(one, longest, filters.graph ?? false);
  const { items } = fitIn(placed, room, each, make, render);
  const end = offset + items.length;
  const next = end < Math.min(found.total_results, maxResults) ? cursorAt("search_code", args, end) : null;
  const isCurrent =
    items.length > 0 && skipped === 0 && items.slice(0, toRead).every((item) => !item.is_stale);
  const notes = [...(isCurrent ? [currentNote] : []), ...notesOn(found)];
  const left = found.total_results - end;
  return {
    structured: {
      label: codeLabel,
      verdict: found.verdict,
      coverage: found.coverage ?? null,
      results: items,
      total: found.total_results,
      next_cursor: next,
      notes,
    },
    text: joined(
      [
        items.length > 0
          ? adviseOn(found)
          : found.coverage
            ? describeNothingYet(found.coverage)
            : nothingFound(query, Boolean(path ?? regex) || Object.keys(filters).length > 0),
        items.length > 0 && `${codeLabel}\n${items.map(render).join("\n")}`,
        next && `${left} more: cursor ${next}`,
        ...notes,
      ],
      "\n",
    ),
  };
};

type Answer = Omit<SearchResponse, "results"> & { results: Found[] };

/** Files of other projects are named so that they can be opened from where the server runs. */
async function foundIn(
  here: CallContext["across"],
  request: SearchRequest,
  context: CallContext,
): Promise<Answer> {
  if (here === null) return ask(context, searchOperation, request);
  const asked = { ...request, asks: ["code" as const] };
  const { code, left_out } = await askEverywhere(here, searchEverywhere, asked, context);
  if (code === null) throw new PommelError("not_found", "There is no project to search.");
  const placed = (result: Found & { project: string }): Found => {
    const project = otherProject(result.project, here, context);
    if (project === null) return { ...result, project: undefined };
    const file = join(project, result.file);
    const fromHere = relative(context.cwd, file);
    return { ...result, project, file: fromHere.startsWith("..") ? file : fromHere };
  };
  return {
    ...code,
    results: code.results.map(placed),
    notes: [...code.notes, ...skippedNotes(left_out)],
  };
}

function nothingFound(query: string, isFiltered: boolean): string {
  return `Nothing found about "${oneLine(query, 100)}". Try other words${isFiltered ? ", or fewer filters" : ""}.`;
}

/** "7 callers, 2 in tests". */
function callersText({ used_by_total: total, used_by_tests: tests }: NonNullable<Found["graph"]>): string {
  if (total === 0) return "no callers found";
  return `${total} caller${total === 1 ? "" : "s"}${tests > 0 ? `, ${tests} in tests` : ""}`;
}

function itemOf([at, found]: [number, Found], longest: number, isGraphAsked: boolean) {
  const isToRead = at < toRead;
  return {
    project: found.project ?? null,
    file: visible(found.file),
    start_line: found.start_line,
    end_line: found.end_line,
    level: found.level,
    kind: found.kind,
    name: oneLine(found.name, 120),
    // The path says the file's own name already.
    parent: found.file.includes(`${found.parent_name}.`) ? null : lineOrNull(found.parent_name, 120),
    reasons: isToRead ? found.match_reasons.slice(0, 3).map((reason) => oneLine(reason, 80)) : [],
    is_stale: found.freshness === "drifted",
    content: beginning(fromMatch(found), isToRead ? longest : Math.min(longest, brief)),
    callers: isToRead && found.graph?.is_known ? callersText(found.graph) : "",
    ...(isGraphAsked &&
      found.graph && {
        used_by: edgesNamed(found.graph.used_by, found.graph.used_by_total),
        uses: edgesNamed(found.graph.uses, found.graph.uses_total),
      }),
    also: found.places.map(({ name, start_line, end_line }) =>
      oneLine(`${name}:${start_line}-${end_line}`, 120),
    ),
    also_in: withMore(found.also_in.slice(0, copiesShown).map(visible), found.also_in.length),
  };
}

const edgesNamed = (edges: readonly GraphEdge[], total: number) =>
  withMore(edges.slice(0, edgesShown).map(edgeNamed), total);

/**
 * The content with the numbers of its lines, from the first match on where there is one: what follows says more than how a long
 * function begins.
 */
function fromMatch({ content, start_line, match_lines: [first = start_line] = [] }: Found): string {
  return content
    .split("\n")
    .slice(first - start_line)
    .map((line, i) => `${first + i}\t${line}`)
    .join("\n");
}

function render(item: ReturnType<typeof itemOf>): string {
  const { project, file, start_line, end_line, level, kind, name, parent, is_stale, content } = item;
  const { used_by, uses, also, also_in, callers } = item;
  const what = joined(
    [kind || level, name, parent !== null && `in ${parent}`, project !== null && `of ${project}`],
    " ",
  );
  const stale = is_stale ? " (changed since it was indexed)" : "";
  const used = callers === "" ? "" : `  ${callers}`;
  return `${file}:${start_line}-${end_line}  ${what}${used}${stale}\n${content.replace(/^/gm, "    ")}${edgesText("used by", used_by)}${edgesText("uses", uses)}${listed("also", also)}${listed("the same in", also_in)}`;
}

const listed = (what: string, items: readonly string[]) =>
  items.length > 0 ? `\n    ${what}: ${items.join(", ")}` : "";

const edgesText = (how: string, edges: readonly string[] | undefined) =>
  edges === undefined ? "" : `\n    ${how}: ${edges.join(", ") || "nothing known"}`;

function notesOn({ notes, index }: Pick<SearchResponse, "notes" | "index">): string[] {
  const behind =
    index.is_complete && (index.pending ?? 0) > manyChanges && "Changed files are still being indexed.";
  const alone =
    index.pending === null &&
    index.as_of !== null &&
    `No daemon is running; the index is from ${index.as_of}.`;
  return [...notes, behind, alone]
    .filter((note) => typeof note === "string")
    .map((note) => oneLine(note, 200));
}

/** So many of what lies in a chunk are named, and so many characters of each. */
const named = 40;
const signatureLength = 120;

/** search_code with `chunk`: that code in full, then what it lies in and what lies in it. Errors as `showChunk`. */
export async function showChunk(
  id: string,
  maxTokens: number,
  context: CallContext,
): Promise<ToolAnswer<SearchCodeOutput>> {
  const found = await ask(context, chunkOperation, { id: fromRoot(id, context) });
  const { file, chunk, parents, children, freshness } = found;
  const around = parents.map((parent) => outlineOf(file, parent, "around it"));
  const within = children.slice(0, named).map((child) => outlineOf(file, child, "in it"));
  const room = roomOf(maxTokens) - JSON.stringify([around, within]).length - 300;
  const longest = Math.max(room, 500);
  const content = beginning(chunk.content, longest);
  const is_stale = freshness === "drifted";
  const whole = { ...outlineOf(file, chunk, "asked for"), is_stale, content };
  const isCut = visible(chunk.content).trimEnd().length > longest;
  const notes = [
    ...(isCut ? ["Cut: raise max_tokens, or ask for one of the chunks in it."] : []),
    ...(children.length > named ? [`${children.length - named} more chunks in it.`] : []),
  ];
  const results = [whole, ...around, ...within];
  return {
    structured: {
      label: codeLabel,
      verdict: "found",
      coverage: null,
      results,
      total: results.length,
      next_cursor: null,
      notes,
    },
    text: joined(
      [
        codeLabel,
        `${outlineLine({ ...whole, content: "" })}${is_stale ? " (changed since it was indexed)" : ""}`,
        content.replace(/^/gm, "    "),
        around.length > 0 && `Around it:\n${around.map(outlineLine).join("\n")}`,
        within.length > 0 && `In it:\n${within.map(outlineLine).join("\n")}`,
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

function outlineOf(file: string, chunk: ChunkOutline, reason: string): SearchCodeOutput["results"][number] {
  return {
    project: null,
    file: visible(file),
    start_line: chunk.start_line,
    end_line: chunk.end_line,
    level: chunk.level,
    kind: chunk.kind,
    name: oneLine(chunk.name, 120),
    parent: null,
    reasons: [reason],
    is_stale: false,
    callers: "",
    also: [],
    also_in: [],
    content: oneLine(chunk.signature, signatureLength),
  };
}

function outlineLine({
  file,
  start_line,
  end_line,
  kind,
  level,
  name,
  content,
}: ReturnType<typeof outlineOf>): string {
  const signature = content.includes("\n") || content === name ? "" : content;
  return joined([`${file}:${start_line}-${end_line}`, joined([kind || level, name], " "), signature], "  ");
}
