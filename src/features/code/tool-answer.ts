import { join, relative } from "node:path";
import { parsePlace } from "../../answers/file-place.ts";
import { getErrorCode, getErrorMessage, PommelError } from "../../base/errors.ts";
import { placeInProject } from "../../base/paths.ts";
import { toProjectPaths } from "../../tools/places.ts";
import {
  ask,
  askEverywhere,
  type CallContext,
  describeSkipped,
  findOtherRoot,
  resolveSearchScope,
} from "../../tools/tool.ts";
import { searchEverywhere } from "../search/operation.ts";
import { type CodeRequest, readCode } from "./operation.ts";
import { wordCode } from "./words.ts";

interface CodeToolArgs extends Omit<CodeRequest, "match" | "near"> {
  regex?: boolean | undefined;
  all_projects?: boolean | undefined;
  max_tokens: number;
}

export const answerCode = async (args: CodeToolArgs, context: CallContext): Promise<string> => {
  const {
    query,
    place = parsePlaceQuery(query),
    calls,
    path,
    regex,
    all_projects: _,
    max_tokens,
    ...filters
  } = args;
  const wanted = {
    maxTokens: max_tokens,
    calls,
    query,
    isFiltered: path !== undefined || regex === true || Object.keys(filters).length > 0,
  };
  const request: CodeRequest = {
    ...filters,
    ...(place === undefined ? { query } : { place: toRootPlace(place, context) }),
    calls,
    ...(path && { path: toProjectPaths(context, path) }),
    ...(regex && { match: "regex" as const }),
    near: placeInProject(context.project, context.cwd) || undefined,
  };
  const here = resolveSearchScope(args, context);
  if (here !== null && query !== undefined && place === undefined)
    return searchCodeEverywhere(here, query, request, wanted, context);
  try {
    return wordCode(await ask(context, readCode, request), wanted);
  } catch (error) {
    if (request.match !== "regex" || getErrorCode(error) !== "usage") throw error;
    // A pattern that is none is a text.
    const answer = await ask(context, readCode, { ...request, match: undefined });
    return `${wordCode(answer, wanted)}\n${getErrorMessage(error).replace(/\.$/, "")}: it was searched for as a text.`;
  }
};

/** A question that is a place and nothing else. */
const parsePlaceQuery = (query: string | undefined): string | undefined =>
  query !== undefined && /^\S+\.\w+[:#]L?\d+(?:-L?\d+)?$/.test(query.trim()) ? query.trim() : undefined;

/** A place from the project's root, as somebody in `cwd` names it. */
function toRootPlace(place: string, context: CallContext): string {
  const { file } = parsePlace(place);
  const [path = file] = toProjectPaths(context, [file]);
  return `${path}${place.slice(file.length)}`;
}

/** Files of other projects are named so that they can be opened from where the server runs. */
async function searchCodeEverywhere(
  here: NonNullable<CallContext["across"]>,
  query: string,
  { calls: _, query: __, place: ___, ...filters }: CodeRequest,
  wanted: Parameters<typeof wordCode>[1],
  context: CallContext,
): Promise<string> {
  const asked = { ...filters, q: query, limit: filters.limit ?? 10, asks: ["code" as const] };
  const { code: found, left_out } = await askEverywhere(here, searchEverywhere, asked, context);
  if (found === null) throw new PommelError("not_found", "There is no project to search.");
  const hits = found.results.map((result, i) => {
    const project = findOtherRoot(result.project, here, context);
    const path = project === null ? result.file : join(project, result.file);
    const fromHere = relative(context.cwd, path);
    const lines = result.content.split("\n");
    return {
      file: project === null || fromHere.startsWith("..") ? path : fromHere,
      first_line: result.start_line,
      last_line: result.end_line,
      kind: result.kind || result.level,
      name: result.name,
      parent: result.parent_name,
      summary: lines.find((line) => line.trim() !== "")?.trim() ?? "",
      is_stale: result.freshness === "drifted",
      lines: i < 2 ? lines : [],
      matches: result.match_lines ?? [],
      call_sites: null,
      more_call_sites: 0,
      uses: null,
      also: [],
      around: [],
      also_in: result.also_in,
    };
  });
  return wordCode(
    {
      verdict: found.verdict,
      coverage: found.coverage,
      hits,
      total: found.total_results,
      place: null,
      line_notes: [],
      behind: { notes: 0, sessions: 0 },
      notes: [...found.notes, ...describeSkipped(left_out)],
    },
    wanted,
  );
}
