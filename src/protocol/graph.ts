import * as z from "zod/mini";
import { count, lazy, lineNumber, type Shaped, strings, text, textOrNull } from "./shape-parts.ts";
import { edgeConfidences, edgeKinds } from "./values.ts";

/** A definition, as edges name it. */
export const graphNode = {
  file: text,
  name: text,
  kind: text,
  /** The definition that it is in; null: it is at the top of its file. */
  parent: textOrNull,
  line: lineNumber,
  end_line: lineNumber,
};

export const edge = lazy(() =>
  z.object({
    /** Its other end; the file itself where a mention is in no definition. */
    ...graphNode,
    /** call, construct (an instance), base (class or interface), type (as a type), use (as a value). */
    how: z.enum(edgeKinds),
    /** Where the mention is: in the other end of `used_by`, in the result of `uses`. */
    lines: z.array(lineNumber),
    /**
     * resolved: by imports, scopes and types; dispatch: through what it implements or overrides; unique: only this has the
     * name; ambiguous: one of `candidates`.
     */
    confidence: z.enum(edgeConfidences),
    candidates: count,
  }),
);

export type GraphEdge = Shaped<typeof edge>;

/** What calls or otherwise uses a definition, and what it uses itself: the surest first, at most ten of each. */
export const neighbours = lazy(() =>
  z.object({
    /** False for a language whose references are not known. */
    is_known: z.boolean(),
    used_by: z.array(edge()),
    used_by_total: count,
    /** Of those that use it, how many stand in tests. */
    used_by_tests: count,
    uses: z.array(edge()),
    uses_total: count,
    /** Calls of which nobody can know what they run. */
    unknown_calls: count,
  }),
);

export type Neighbours = Shaped<typeof neighbours>;

/** A file whose code uses that of the files asked about (`used_by`), or is used by it (`uses`). */
export const fileAround = lazy(() =>
  z.object({
    file: text,
    /** Its definitions at the other ends of these edges, at most five; its own name for code outside of definitions. */
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
    /** What it mentions (`Type.method`; the type whose instance it makes), and where. */
    through: text,
    lines: z.array(lineNumber),
    /** Of the least sure edge on the way. */
    confidence: z.enum(edgeConfidences),
    candidates: count,
  }),
);

export type TouchedCode = Shaped<typeof touched>;
