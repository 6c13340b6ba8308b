import * as z from "zod/mini";
import { count, lazy, lineNumber, type Shaped, strings, text, textOrNull } from "./shape-parts.ts";
import { edgeConfidences, edgeKinds } from "./values.ts";

/** A definition, as edges name it. */
export const graphNode = {
  file: text,
  name: text,
  kind: text,
  /** The definition that contains this one; null: none does. */
  parent: textOrNull,
  line: lineNumber,
  end_line: lineNumber,
};

export const edge = lazy(() =>
  z.object({
    /** The edge's other end. For a mention outside of all definitions, that is the file. */
    ...graphNode,
    /** call, construct (an instance), base (class or interface), type (as a type), use (as a value). */
    how: z.enum(edgeKinds),
    /** The lines of the mention. For `used_by` they are in the other end, for `uses` in the result itself. */
    lines: z.array(lineNumber),
    /**
     * How the other end was found. resolved: by imports, scopes and types. dispatch: through what it implements or overrides.
     * unique: it is the only definition of that name. ambiguous: it is one of `candidates`.
     */
    confidence: z.enum(edgeConfidences),
    candidates: count,
  }),
);

export type GraphEdge = Shaped<typeof edge>;

/** What uses a definition, by calls or otherwise, and what the definition uses. At most ten of each, the most certain first. */
export const neighbours = lazy(() =>
  z.object({
    /** False for a language whose references are not known. */
    is_known: z.boolean(),
    used_by: z.array(edge()),
    used_by_total: count,
    /** How many of the users are in tests. */
    used_by_tests: count,
    uses: z.array(edge()),
    uses_total: count,
    /** How many calls could not be traced to a definition. */
    unknown_calls: count,
  }),
);

export type Neighbours = Shaped<typeof neighbours>;

/** A file whose code uses that of the files asked about (`used_by`), or is used by it (`uses`). */
export const fileAround = lazy(() =>
  z.object({
    file: text,
    /** The file's definitions at the other ends of these edges, at most five. Code outside of definitions has the file's name. */
    used_by: strings,
    uses: strings,
  }),
);

export type FileAround = Shaped<typeof fileAround>;

export const touched = lazy(() =>
  z.object({
    ...graphNode,
    is_test: z.boolean(),
    /** How many edges away: 1 mentions what changes. */
    distance: count,
    how: z.enum(edgeKinds),
    /** What this definition mentions (`Type.method`; the type of which it makes an instance), and where. */
    through: text,
    lines: z.array(lineNumber),
    /** The confidence of the least certain edge on the way. */
    confidence: z.enum(edgeConfidences),
    candidates: count,
  }),
);

export type TouchedCode = Shaped<typeof touched>;
