import * as z from "zod/mini";
import { defineOperation } from "../../answers/operation.ts";
import { graphNode, touched } from "../../protocol/graph.ts";
import { count, field, lazy, limit, notes, type Shaped, strings } from "../../protocol/shape-parts.ts";

export const impactRequest = lazy(() =>
  z.object({
    of: field("a symbol (`name`, `Type.name`), a file, or lines of it (`src/db.ts:12-20`)", strings),
    diff: field("your uncommitted changes", z.boolean()),
    depth: field(
      "follow callers of callers up to this depth (default: 3)",
      z.int().check(z.minimum(1), z.maximum(5)),
    ),
    limit,
  }),
);

export type ImpactRequest = Shaped<typeof impactRequest>;

export const impactAnswer = lazy(() =>
  z.object({
    /** The definitions that are asked about. */
    targets: z.array(z.object(graphNode)),
    /** What a change of them may touch: tests first, then the nearest, the surest first. */
    touched: z.array(touched()),
    total: count,
    tests: count,
    /** Files to run: the tests among them. */
    test_files: strings,
    notes,
  }),
);

export type ImpactAnswer = Shaped<typeof impactAnswer>;

export const findImpact = defineOperation({
  name: "impact",
  path: "GET /impact",
  summary: "List what a change may affect, tests first",
  of: "code",
  editors: true,
  request: impactRequest,
  response: impactAnswer,
  answer:
    async () =>
    async ({ project }, request, { signal }) =>
      (await import("./impact.ts")).computeImpact(project, request, signal),
});
