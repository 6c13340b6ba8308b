import * as z from "zod/mini";
import { levelNames, levels } from "../../project/levels.ts";
import { speakers } from "../origin.ts";
import {
  agent,
  branch,
  count,
  described,
  field,
  lazy,
  limit,
  name,
  numberOrNull,
  place,
  places,
  revision,
  sessionField,
  since,
  strings,
  text,
  textOrNull,
  timeOrNull,
  until,
} from "../shape-parts.ts";
import {
  chunkKinds,
  chunkTypes,
  contentRoles,
  eventStatuses,
  eventTypes,
  historyKinds,
  matchModes,
  resultUnits,
  searchedKinds,
  searchModes,
  searchPlaces,
  verdicts,
} from "../values.ts";
import { neighbours } from "./graph.ts";

/** The shapes of searching code, sessions, or everything. */

const inPackage = field("only this package, by its name or directory (`pm code packages`)", text);

const graph = field("name what calls or uses each result, and what it uses", z.boolean());

const explain = field("show each ranking signal's contribution", z.boolean());

const by = field(
  "a result for each file and session (default), or for each chunk and turn",
  z.enum(resultUnits),
);

/** What every answer says of itself. */
const judgement = {
  verdict: z.enum(verdicts),
  /** That one of the first results is what was asked for: 0 to 1, comparable between answers. */
  probability: z.number(),
  /** The first result is the very thing that the query names: by its hash, id, branch, place, or a text in quotes. */
  is_named: z.optional(z.boolean()),
};

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
export type SearchRequest = z.infer<ReturnType<typeof searchRequest>>;

/** Another chunk of a result's file that matches. */
const codePlace = lazy(() =>
  z.object({
    id: text,
    name: text,
    kind: text,
    level: z.enum(levels),
    start_line: z.number(),
    end_line: z.number(),
  }),
);

export const codeResult = lazy(() =>
  z.object({
    id: text,
    file: text,
    /** 1-based, inclusive. */
    start_line: z.number(),
    end_line: z.number(),
    level: z.enum(levels),
    /** What the language calls it: "function", "class", "interface"; "" for what has no name. */
    kind: text,
    language: text,
    name: text,
    /** 0 to 1, comparable within one answer only. */
    score: z.number(),
    /** The lines as they are on disk now. */
    content: text,
    parent_id: textOrNull,
    parent_name: textOrNull,
    /** Why it is here, for a reader: "name matches retry", "path matches http". */
    match_reasons: strings,
    /** With `match` or quotes: the lines on which matches begin. */
    match_lines: z.optional(z.array(z.int())),
    /** drifted: the file has changed since it was indexed, the lines may be off. */
    freshness: z.enum(["fresh", "drifted"]),
    /** By file: at most three other places in it, best first. */
    places: z._default(z.array(codePlace()), []),
    /** Paths of files that hold the same, or nearly: they are no results of their own. */
    also_in: z._default(strings, []),
    /** With `graph`. */
    graph: z.optional(neighbours()),
    /** With `explain`: each ranking signal's contribution to the score. */
    signals: z.optional(z.record(text, z.number())),
  }),
);
export type CodeResult = z.infer<ReturnType<typeof codeResult>>;

/** How far what was searched may be behind the files. */
const indexAge = lazy(() =>
  z.object({
    /** Changes not yet indexed; null if unknown, because no daemon watches. */
    pending: z.nullable(count),
    /** False until the whole project was indexed once. */
    is_complete: z.boolean(),
    /** When the index was last known to match the files: ISO 8601, null for never. */
    as_of: textOrNull,
  }),
);
export type IndexAge = z.infer<ReturnType<typeof indexAge>>;

export const searchResponse = lazy(() =>
  z.object({
    query: text,
    ...judgement,
    /** Best first, whatever the verdict. */
    results: z.array(codeResult()),
    /** How many files, or chunks, were candidates before `limit`. */
    total_results: count,
    /** Time in the engine. Milliseconds. */
    search_time_ms: z.number(),
    /** "words", and the id of each model that understood the query. */
    searched_by: strings,
    /** What a person should know: a model that could not be asked, and why. */
    notes: strings,
    index: indexAge(),
  }),
);
export type SearchResponse = z.infer<ReturnType<typeof searchResponse>>;

const type = z.enum(chunkTypes);
const kind = z.enum(chunkKinds);

export const transcriptSearchRequest = lazy(() =>
  z.object({
    q: described('what it was about: "why do we retry"', text),
    since,
    until,
    type: field("only these (annotated: notes by people)", z.array(type)),
    kind: field("only these kinds", z.array(kind)),
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
export type TranscriptSearchRequest = z.infer<ReturnType<typeof transcriptSearchRequest>>;

/** The unit of a search of sessions, by default turns within one session, else sessions. */
export function resultUnitOf({
  by,
  session,
}: Pick<TranscriptSearchRequest, "by" | "session">): "session" | "turn" {
  return by === "session" || by === "turn" ? by : session === undefined ? "session" : "turn";
}

export const transcriptResult = lazy(() =>
  z.object({
    id: text,
    source: z.literal("transcript"),
    session_id: text,
    session_title: textOrNull,
    agent: text,
    /** The colleague who shared it; null or left out: recorded here. */
    author: z.optional(textOrNull),
    branch: textOrNull,
    /** First and last turn that it spans. */
    turn: z.number(),
    last_turn: z.number(),
    chunk_type: type,
    kind,
    event_type: z.enum(["user_prompt", "tool_use", "assistant", "mixed"]),
    timestamp: timeOrNull,
    score: z.number(),
    /** The note, of an annotated chunk. */
    annotation: textOrNull,
    /** Who noted it: `origin` of notes and decisions, before it was shared. */
    note_by: z.optional(z.enum(speakers)),
    /** About 200 characters around what matches. */
    snippet: text,
    /** What a language model wrote of it (llm.chunk_summaries), where that holds no less of the query than the snippet. */
    summary: z.optional(text),
    content: text,
    files: strings,
    /** Of the files that it touched: all as they were left, some changed since, all gone; null: it touched none. */
    freshness: z.nullable(z.enum(["fresh", "drifted", "orphaned"])),
    /** The user went back and took another way. */
    abandoned: z.boolean(),
    /** Why its session was tried and rejected; null: it was not. */
    rejected: z._default(textOrNull, null),
    /** That its turns led to, at most three; in HEAD's history first. */
    commits: z.array(
      z.object({
        commit: text,
        checkpoint: text,
        subject: text,
        /** head: in HEAD's history; elsewhere: not in that; gone: git does not know it; null: git did not answer in time. */
        reach: z.nullable(z.enum(["head", "elsewhere", "gone"])),
        /** The commit in HEAD's history that replaced it, after a rebase, an amend or a cherry-pick. */
        successor: textOrNull,
        /** The commit in HEAD's history that took it back. */
        reverted_by: textOrNull,
        /** Up to three that hold it, of one elsewhere. */
        branches: strings,
        /** Lines that it added and, of those, lines that its files still hold; blank and trivial ones aside; null: too many. */
        lines_added: numberOrNull,
        lines_surviving: numberOrNull,
      }),
    ),
    /** How many other turns of the session match, and the best ten of them; by turn none. */
    more_turns: z._default(count, 0),
    other_turns: z._default(
      z.array(
        z.object({
          id: text,
          turn: z.number(),
          last_turn: z.number(),
          chunk_type: type,
          kind,
          timestamp: timeOrNull,
          score: z.number(),
        }),
      ),
      [],
    ),
    match_reasons: strings,
    /** In the content: whose text matches, and the tool of a call or its result. */
    found_in: z.optional(z.object({ role: z.enum(contentRoles), tool: textOrNull })),
    signals: z.optional(z.record(text, z.number())),
  }),
);
export type SessionResult = z.infer<ReturnType<typeof transcriptResult>>;

export const transcriptSearchResponse = lazy(() =>
  z.object({
    scope: z.literal("transcripts"),
    query: text,
    ...judgement,
    /** How many there were before `limit`: sessions, or chunks by turn. */
    total_results: count,
    /** Best first, whatever the verdict. */
    results: z.array(transcriptResult()),
    searched_by: strings,
    notes: strings,
    search_time_ms: z.number(),
    memory: z.object({
      /** Transcripts not fully imported; null if unknown, because no daemon runs. */
      pending: z.nullable(count),
      /** Newest line that is remembered. */
      as_of: timeOrNull,
    }),
  }),
);
export type TranscriptSearchResponse = z.infer<ReturnType<typeof transcriptSearchResponse>>;

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
export type HistorySearchRequest = z.infer<ReturnType<typeof historySearchRequest>>;

/** What all results have. */
const foundInHistory = {
  /** A commit's full hash, an event's id. */
  id: text,
  title: text,
  /** When the commit was authored, when the event changed last. */
  timestamp: timeOrNull,
  snippet: text,
  score: z.number(),
  match_reasons: strings,
  signals: z.optional(z.record(text, z.number())),
};

export const commitFound = lazy(() =>
  z.object({
    kind: z.literal("commit"),
    ...foundInHistory,
    author: text,
    /** The first it touched. */
    files: strings,
    /** Of the commit, where sessions led to it. */
    checkpoint: textOrNull,
    /** The sessions that led to it. */
    sessions: z.array(z.object({ session_id: text, title: textOrNull, turns: z.array(z.number()) })),
    /** null: git did not answer in time. */
    reach: z.nullable(z.enum(["head", "elsewhere", "gone"])),
    /** The commit that took it back. */
    reverted_by: textOrNull,
  }),
);
export type CommitFound = z.infer<ReturnType<typeof commitFound>>;

export const eventFound = lazy(() =>
  z.object({
    kind: z.literal("event"),
    ...foundInHistory,
    type: z.enum(eventTypes),
    status: z.enum(eventStatuses),
    branch: textOrNull,
    /** How many belong to it. */
    sessions: count,
    checkpoints: count,
  }),
);
export type EventFound = z.infer<ReturnType<typeof eventFound>>;

const historyResult = lazy(() => z.discriminatedUnion("kind", [commitFound(), eventFound()]));
export type HistoryResult = z.infer<ReturnType<typeof historyResult>>;

export const historySearchResponse = lazy(() =>
  z.object({
    scope: z.literal("history"),
    query: text,
    ...judgement,
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
export type HistorySearchResponse = z.infer<ReturnType<typeof historySearchResponse>>;

/** The parameters of all searches; each uses its own. */
export const searchAllRequest = lazy(() =>
  z.object({
    ...z.omit(historySearchRequest(), { of: true }).shape,
    ...searchRequest().shape,
    ...transcriptSearchRequest().shape,
    only: field("only these kinds of results", z.array(z.enum(searchedKinds))),
  }),
);
export type SearchAllRequest = z.infer<ReturnType<typeof searchAllRequest>>;

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
export type SearchAllResponse = z.infer<ReturnType<typeof searchAllResponse>>;
