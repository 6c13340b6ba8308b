import * as z from "zod/mini";
import { defineOperation } from "../../answers/operation.ts";
import { coverage } from "../../protocol/results.ts";
import {
  count,
  field,
  lazy,
  lineNumber,
  notes,
  place,
  type Shaped,
  text,
  textOrNull,
} from "../../protocol/shape-parts.ts";
import { edgeConfidences, edgeKinds, verdicts } from "../../protocol/values.ts";
import { lineNote } from "../notes/operation.ts";
import { searchRequest } from "../search/operation.ts";

const { q, ...ofSearch } = z.omit(searchRequest(), {
  by: true,
  explain: true,
  graph: true,
  graph_of_first: true,
}).shape;

export const codeRequest = lazy(() =>
  z.object({
    query: z.optional(q),
    place: field("FILE:LINES: exactly these lines; FILE: its outline", place),
    calls: field("list every place that calls or uses the first result", z.boolean()),
    ...ofSearch,
  }),
);

export type CodeRequest = Shaped<typeof codeRequest>;

const codeLines = z.object({
  /** The number of the first one. */
  first: lineNumber,
  lines: z.array(text),
});

const callSite = z.object({
  file: text,
  line: lineNumber,
  /** The line itself. */
  text,
  /** The definition that it is in; "" for none. */
  within: text,
  how: z.enum(edgeKinds),
  confidence: z.enum(edgeConfidences),
  is_test: z.boolean(),
});

export const codeHit = lazy(() =>
  z.object({
    file: text,
    first_line: lineNumber,
    last_line: lineNumber,
    /** What the language calls it: "function", "class"; "" for what has no name. */
    kind: text,
    name: text,
    parent: textOrNull,
    /** Its first sentence or its signature, in a line. */
    summary: text,
    /** The file has changed since it was indexed: lines may have moved. */
    is_stale: z.boolean(),
    /** Of the first hits: all its lines, as they are on disk now; else none. */
    lines: z.array(text),
    /** Where the words of the question stand in these lines, best first. */
    matches: z.array(lineNumber),
    /** Of the first hits: what calls or uses it, tests last. null: not known. */
    call_sites: z.nullable(z.array(callSite)),
    /** Places that call or use it, besides these. */
    more_call_sites: count,
    /** What it calls and uses itself. null: not known. */
    uses: z.nullable(z.array(z.object({ file: text, line: lineNumber, name: text }))),
    /** Other places in the file that match, best first. */
    also: z.array(z.object({ name: text, line: lineNumber, last_line: lineNumber })),
    /** Of the first hits: lines of the file, these and as many around and between them as a reader may want; else none. */
    around: z.array(codeLines),
    /** Files that hold the same, or nearly. */
    also_in: z.array(text),
  }),
);

export const codeAnswer = lazy(() =>
  z.object({
    verdict: z.enum(verdicts),
    coverage: z.optional(coverage()),
    /** Best first, one for each file. */
    hits: z.array(codeHit()),
    total: count,
    /** The lines of a place, what they lie in, and how long the file is. */
    place: z.nullable(z.object({ file: text, ...codeLines.shape, within: z.array(text), file_lines: count })),
    /** Notes on the lines that are shown. */
    line_notes: z.array(lineNote()),
    /** What the memory holds about these files, beside these. */
    behind: z.object({ notes: count, sessions: count }),
    notes,
  }),
);

export type CodeAnswer = Shaped<typeof codeAnswer>;
export type CodeHit = Shaped<typeof codeHit>;

export const readCode = defineOperation({
  name: "code",
  path: "GET or POST /code",
  summary: "Find code and read it: whole functions, call sites and tests, or exact lines of a file",
  of: "project",
  readsTree: true,
  editors: true,
  request: codeRequest,
  response: codeAnswer,
  answer: async () => (await import("./answer.ts")).readCode,
});
