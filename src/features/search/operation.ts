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
import {
  agent,
  branch,
  count,
  described,
  field,
  lazy,
  limit,
  name,
  place,
  places,
  revision,
  type Shaped,
  sessionField,
  since,
  strings,
  text,
  textOrNull,
  until,
} from "../../protocol/shape-parts.ts";
import {
  chunkKinds,
  chunkTypes,
  historyKinds,
  matchModes,
  resultUnits,
  searchedKinds,
  searchModes,
  searchPlaces,
  verdicts,
} from "../../protocol/values.ts";

/** Reading a chunk of code, with what it lies in and what lies in it. */
export const chunkRequest = lazy(() =>
  z.object({ id: described("a chunk's id, or FILE:LINES for the smallest chunk that holds them", text) }),
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

const inPackage = field("only this package, by its name or directory (`pm code packages`)", text);

export const graph = field("name what calls or uses each result, and what it uses", z.boolean());

const explain = field("show each ranking signal's contribution", z.boolean());

const by = field(
  "a result for each file and session (default), or for each chunk and turn",
  z.enum(resultUnits),
);

/** Left out: the project's configuration decides. */
export const searchRequest = lazy(() =>
  z.object({
    q: described(
      'what the code does, a name or an error message; what is in "quotes" is in every result',
      text,
    ),
    path: field("only these paths or globs", places),
    language: field('only these languages: "typescript", "go"', z.array(name)),
    level: field("only these levels", z.array(z.enum(levelNames))),
    package: inPackage,
    near: field("where one works: results of the package around this path come first", place),
    match: field("every result holds the query as a text, or as a pattern (RE2)", z.enum(matchModes)),
    by,
    limit,
    graph,
    graph_of_first: field("the same for so many first results at least", count),
    explain,
  }),
);

export type SearchRequest = Shaped<typeof searchRequest>;

export const transcriptSearchRequest = lazy(() =>
  z.object({
    q: described('what it was about: "why do we retry"', text),
    since,
    until,
    type: field("only these (annotated: notes by people)", z.array(z.enum(chunkTypes))),
    kind: field("only these kinds", z.array(z.enum(chunkKinds))),
    file: field("only turns that touched these paths or globs", places),
    package: inPackage,
    session: sessionField,
    commit: field("only what led to this commit or checkpoint", revision),
    event: field("only this event (id or title)", text),
    branch,
    agent,
    author: field("only commits by, or sessions shared by, people whose name contains this", text),
    team: field("only what colleagues shared", z.boolean()),
    mine: field("only your own, without what colleagues shared", z.boolean()),
    in: field("content: all that was said and tools wrote, word by word", z.enum(searchPlaces)),
    match: field("in the content: the query as a text, or as a pattern (RE2)", z.enum(matchModes)),
    mode: field(
      "fts: words; semantic: meaning; hybrid: both; regex: RE2; default: hybrid",
      z.enum(searchModes),
    ),
    by,
    limit,
    explain,
  }),
);

export type TranscriptSearchRequest = Shaped<typeof transcriptSearchRequest>;

/** The unit of a search of sessions, by default turns within one session, else sessions. */
export function chooseResultUnit({
  by,
  session,
}: Pick<TranscriptSearchRequest, "by" | "session">): "session" | "turn" {
  return by === "session" || by === "turn" ? by : session === undefined ? "session" : "turn";
}

export const historySearchRequest = lazy(() =>
  z.object({
    q: described("what a commit or an event is about, a ticket, or the beginning of a commit's hash", text),
    of: field("only these (checkpoints: commits that sessions led to)", z.array(z.enum(historyKinds))),
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
    /** Commits and events. An older daemon has none. */
    history: z._default(z.nullable(historySearchResponse()), null),
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
  answer: async () => (await import("./answer.ts")).searchCode,
});

export const searchTranscripts = defineOperation({
  name: "searchTranscripts",
  path: "GET or POST /search/transcripts",
  summary: "Find what was said in past sessions",
  of: "project",
  editors: true,
  request: transcriptSearchRequest,
  response: transcriptSearchResponse,
  answer: async () => (await import("./answer.ts")).searchTranscripts,
});

export const searchHistory = defineOperation({
  name: "searchHistory",
  path: "GET or POST /search/history",
  summary: "Find commits and events",
  of: "project",
  request: historySearchRequest,
  response: historySearchResponse,
  answer: async () => (await import("./answer.ts")).searchHistory,
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
  answer: async () => (await import("./answer.ts")).searchAll,
});

export const showChunk = defineOperation({
  name: "chunk",
  path: "GET /chunks/:id",
  summary: "Show a chunk of code with what it lies in and what lies in it",
  of: "project",
  readsTree: true,
  request: chunkRequest,
  response: chunkAnswer,
  answer: async () => (await import("./answer.ts")).showChunk,
});

export const searchEverywhereRequest = lazy(() =>
  z.extend(searchAllRequest(), {
    ...where,
    of: historySearchRequest().shape.of,
    asks: z.array(z.enum(["code", "transcripts", "history"])),
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
  answer: async () => (await import("./answer.ts")).searchEverywhere,
});
