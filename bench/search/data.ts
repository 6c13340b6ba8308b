import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod/mini";
import { half, type Target } from "../measure.ts";

/** The benchmark's questions, repositories and published figures. The formats are those of semble. */

const target = z.union([
  z.string(),
  z.object({ path: z.string(), start_line: z.optional(z.number()), end_line: z.optional(z.number()) }),
]);
const annotations = z.array(
  z.object({
    query: z.string(),
    category: z.optional(z.string()),
    relevant: z.array(target),
    secondary: z.optional(z.array(target)),
  }),
);
const figures = z.object({
  ndcg10: z.number(),
  /** Milliseconds a query. */
  p50_ms: z.optional(z.number()),
  index_ms: z.optional(z.number()),
});
const repositories = z.array(
  z.object({
    name: z.string(),
    language: z.optional(z.string()),
    benchmark_root: z.optional(z.string()),
    published: z.optional(z.record(z.string(), figures)),
  }),
);

/** What somebody else's tool reached on a repository. */
export type Published = z.infer<typeof figures>;

export interface Question {
  query: string;
  category: string;
  targets: Target[];
}

export interface Repository {
  name: string;
  language: string;
  /** The directory that is indexed; "" for all. */
  benchmarkRoot: string;
  published: Record<string, Published>;
  /** Ranking parameters are chosen on one half of the repositories and confirmed on the other. */
  half: "choose" | "confirm";
  questions: Question[];
}

/**
 * @param annotationsDir a NAME.json for each repository
 * @param list the file that lists the repositories
 * @param only names of the repositories wanted; undefined: all
 */
export function loadRepositories(
  annotationsDir: string,
  { list, only }: { list: string; only: readonly string[] | undefined },
): Repository[] {
  const all = repositories.parse(readJson(list));
  const { choose } = half(all.map(({ name }) => name));
  return all
    .filter(({ name }) => only === undefined || only.includes(name))
    .map(({ name, language = "", benchmark_root: benchmarkRoot = "", published = {} }) => ({
      name,
      language,
      benchmarkRoot,
      published,
      half: choose.has(name) ? "choose" : "confirm",
      questions: annotations
        .parse(readJson(join(annotationsDir, `${name}.json`)))
        .map(({ query, category = "", relevant, secondary = [] }) => ({
          query,
          category,
          targets: [...relevant, ...secondary].map((t) => (typeof t === "string" ? { path: t } : t)),
        })),
    }));
}

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(file, "utf8"));
}
