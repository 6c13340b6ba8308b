import * as z from "zod/mini";
import { defineOperation } from "../../answers/operation.ts";
import { levelNames, levels } from "../../base/levels.ts";
import { asked, inProject, where } from "../../protocol/everywhere.ts";
import {
  codeResult,
  commitFound,
  coverage,
  eventFound,
  judgement,
  searchResponse,
  transcriptResult,
  transcriptSearchResponse,
} from "../../protocol/results.ts";
import { by, explain, inPackage, transcriptSearchRequest } from "../../protocol/search-sessions.ts";
import {
  count,
  described,
  field,
  lazy,
  limit,
  name,
  place,
  places,
  type Shaped,
  sessionField,
  since,
  strings,
  text,
  textOrNull,
  until,
} from "../../protocol/shape-parts.ts";
import { historyKinds, matchModes, searchedKinds, verdicts } from "../../protocol/values.ts";

/** Reading a chunk of code, with what it lies in and what lies in it. */
export const chunkRequest = lazy(() =>
  z.object({
    id: described("a chunk's id, or FILE:LINES for the smallest chunk that contains these lines", text),
  }),
);

export type ChunkRequest = Shaped<typeof chunkRequest>;

const outline = {
  id: text,
  start_line: z.number(),
  end_line: z.number(),
  level: z.enum(levels),
  /** What the language calls it: "function", "class"; "" for what has no name. */
  kind: text,
  name: text,
  /** One line, "" where there is none. */
  signature: text,
};

const chunkOutline = lazy(() => z.object(outline));

export type ChunkOutline = Shaped<typeof chunkOutline>;

export const chunkAnswer = lazy(() =>
  z.object({
    file: text,
    language: text,
    chunk: z.object({ ...outline, parent_id: textOrNull, content: text }),
    /** What it lies in, the nearest first. */
    parents: z.array(chunkOutline()),
    /** What lies directly in it, in the order of lines. */
    children: z.array(chunkOutline()),
    freshness: z.enum(["fresh", "drifted"]),
  }),
);

export type ChunkAnswer = Shaped<typeof chunkAnswer>;

export const graph = field("list what uses each result, and what each result uses", z.boolean());

/** Left out: the project's configuration decides. */
export const searchRequest = lazy(() =>
  z.object({
    q: described(
      'what the code does, a name, an error message or a whole report; text in "quotes" counts more',
      text,
    ),
    path: field("only these paths or globs", places),
    language: field('only these languages: "typescript", "go"', z.array(name)),
    level: field("only these levels", z.array(z.enum(levelNames))),
    package: inPackage,
    near: field("the path where one works: results of its package come first", place),
    match: field(
      "exact: only code that contains the query as it is; regex: only code that matches it as a pattern (RE2)",
      z.enum(matchModes),
    ),
    by,
    limit,
    graph,
    graph_of_first: field("the same, for at least this many of the first results", count),
    explain,
  }),
);

export type SearchRequest = Shaped<typeof searchRequest>;

export const historySearchRequest = lazy(() =>
  z.object({
    q: described("what a commit or an event is about, a ticket, or the beginning of a commit's hash", text),
    of: field("only these kinds (checkpoints: commits that sessions led to)", z.array(z.enum(historyKinds))),
    since,
    until,
    file: field("only commits that touched these paths or globs", places),
    package: inPackage,
    author: field("only commits whose author's name contains this", text),
    session: sessionField,
    event: field("only this event (id or title)", text),
    limit,
    explain,
  }),
);

export type HistorySearchRequest = Shaped<typeof historySearchRequest>;

const historyResult = lazy(() => z.discriminatedUnion("kind", [commitFound(), eventFound()]));

export type HistoryResult = Shaped<typeof historyResult>;

export const historySearchResponse = lazy(() =>
  z.object({
    scope: z.literal("history"),
    query: text,
    ...judgement,
    coverage: z.optional(coverage()),
    total_results: count,
    /** Best first, whatever the verdict. */
    results: z.array(historyResult()),
    searched_by: strings,
    notes: strings,
    search_time_ms: z.number(),
    commits: z.object({
      indexed: count,
      /** False until all of HEAD's history was indexed once. */
      is_complete: z.boolean(),
    }),
  }),
);

export type HistorySearchResponse = Shaped<typeof historySearchResponse>;

/** The parameters of all searches; each uses its own. */
export const searchAllRequest = lazy(() =>
  z.object({
    ...z.omit(historySearchRequest(), { of: true }).shape,
    ...searchRequest().shape,
    ...transcriptSearchRequest().shape,
    only: field("only these kinds of results", z.array(z.enum(searchedKinds))),
  }),
);

export type SearchAllRequest = Shaped<typeof searchAllRequest>;

export const searchAllResponse = lazy(() =>
  z.object({
    scope: z.literal("all"),
    query: text,
    /** The best of the sides'. */
    verdict: z.enum(verdicts),
    /** null for a side that could not be searched; `notes` has the reason. */
    code: z.nullable(searchResponse()),
    transcripts: z.nullable(transcriptSearchResponse()),
    /** Commits and events. */
    history: z.nullable(historySearchResponse()),
    notes: strings,
  }),
);

export type SearchAllResponse = Shaped<typeof searchAllResponse>;

export const searchCode = defineOperation({
  name: "search",
  path: "GET or POST /search/code",
  summary: "Find code by meaning, words and names",
  of: "project",
  readsTree: true,
  editors: true,
  request: searchRequest,
  response: searchResponse,
  answer:
    async () =>
    async ({ project }, request, { signal }) =>
      (await import("./code.ts")).searchCode(project, request, signal),
});

export const searchTranscripts = defineOperation({
  name: "searchTranscripts",
  path: "GET or POST /search/transcripts",
  summary: "Find what was said in past sessions",
  of: "project",
  editors: true,
  request: transcriptSearchRequest,
  response: transcriptSearchResponse,
  answer:
    async () =>
    async ({ project }, request, { signal }) =>
      (await import("./all.ts")).searchTranscripts(project, request, signal),
});

export const searchHistory = defineOperation({
  name: "searchHistory",
  path: "GET or POST /search/history",
  summary: "Find commits and events",
  of: "project",
  request: historySearchRequest,
  response: historySearchResponse,
  answer:
    async () =>
    async ({ project }, request, { signal }) =>
      (await import("./history.ts")).searchHistory(project, request, signal),
});

export const searchAll = defineOperation({
  name: "searchAll",
  path: "GET or POST /search/all",
  summary: "Find code, sessions, commits and events",
  of: "project",
  readsTree: true,
  editors: true,
  request: searchAllRequest,
  response: searchAllResponse,
  answer:
    async () =>
    async ({ project }, request, { signal }) =>
      (await import("./all.ts")).searchAll(project, request, signal),
});

export const showChunk = defineOperation({
  name: "chunk",
  path: "GET /chunks/:id",
  summary: "Show a chunk of code, with the chunks that contain it and those that it contains",
  of: "project",
  readsTree: true,
  request: chunkRequest,
  response: chunkAnswer,
  answer:
    async () =>
    async ({ project }, request) =>
      (await import("./chunk.ts")).showChunk(project, request),
});

export const searchEverywhereRequest = lazy(() =>
  z.extend(searchAllRequest(), {
    ...where,
    of: historySearchRequest().shape.of,
    asks: described("what to search", z.array(z.enum(["code", "transcripts", "history"]))),
  }),
);

/** null: not asked. */
export const searchEverywhereResponse = lazy(() =>
  z.object({
    code: z.nullable(z.extend(searchResponse(), { results: z.array(z.extend(codeResult(), inProject)) })),
    transcripts: z.nullable(
      z.extend(transcriptSearchResponse(), { results: z.array(z.extend(transcriptResult(), inProject)) }),
    ),
    history: z.nullable(
      z.extend(historySearchResponse(), {
        results: z.array(
          z.discriminatedUnion("kind", [
            z.extend(commitFound(), inProject),
            z.extend(eventFound(), inProject),
          ]),
        ),
      }),
    ),
    ...asked,
  }),
);

export const searchEverywhere = defineOperation({
  name: "searchEverywhere",
  path: "POST /everywhere/search",
  summary: "Search all projects",
  of: "machine",
  request: searchEverywhereRequest,
  response: searchEverywhereResponse,
  answer: async () => async (_, request) => (await import("./everywhere.ts")).searchEverywhere(request),
});
