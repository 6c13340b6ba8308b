/**
 * Who calls what, who extends what, what a type holds: LongMemCode's questions (github.com/CataDef/LongMemCode), whose answers are
 * what compilers and language servers say of public projects, asked of Pommel's graph; beside the answers that LongMemCode
 * publishes of other tools to the same questions.
 *
 *   npm run bench:longmemcode -- --benchmark DIR --checkouts DIR [--half develop,report]
 *
 *   --benchmark DIR  a clone of LongMemCode: scenarios/NAME.json, results/TOOL-NAME-DATE.jsonl
 *   --checkouts DIR  holds fastapi 0.136.0, clap v4.6.1, gin v1.11.0, fastify v5.6.1 and commons-lang rel/commons-lang-3.14.0, each
 *                    in a directory of its name
 *   --only LIST      only these projects
 *   --half LIST      develop, report: the scenarios whose id's hash is even, or odd (default: report)
 *   --misses         also print what was asked, and what lacked
 *   --markdown       print tables for Markdown
 *
 * LongMemCode names other releases of fastapi (0.117.0) and clap (v4.5.20), but its symbols are of these. An answer is what a
 * definition is called by LongMemCode; one that it does not name is left out. Type parameters and local variables have no name that
 * Pommel knows: those questions count as not answered.
 */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import * as z from "zod/mini";
import { type GraphTarget, makeTargetKey, ofFile } from "../src/code/graph/definitions.ts";
import { CodeGraph } from "../src/code/graph/graph.ts";
import { collectImpact } from "../src/code/graph/impact.ts";
import { findGrammar } from "../src/code/languages/index.ts";
import { withGraphOf } from "./graph/indexed.ts";
import { fits, type Indexer, indexers, type ScipName } from "./longmemcode/scip-names.ts";
import { average, percentile, printTable } from "./measure.ts";

const { values: options } = parseArgs({
  options: {
    benchmark: { type: "string" },
    checkouts: { type: "string" },
    only: { type: "string" },
    half: { type: "string", default: "report" },
    misses: { type: "boolean", default: false },
    markdown: { type: "boolean", default: false },
  },
});
if (options.benchmark === undefined || options.checkouts === undefined) {
  console.error("usage: npm run bench:longmemcode -- --benchmark DIR --checkouts DIR");
  process.exit(2);
}
const benchmark = resolve(options.benchmark);
const checkouts = resolve(options.checkouts);

/** Where the paths of a project's scenarios begin. */
const projects: Readonly<Record<string, { indexer: Indexer; root: string }>> = {
  fastapi: { indexer: indexers.python, root: "fastapi/" },
  clap: { indexer: indexers.rust, root: "" },
  gin: { indexer: indexers.go, root: "" },
  fastify: { indexer: indexers.typescript, root: "" },
  "commons-lang": { indexer: indexers.java, root: "src/main/java/" },
};

const query = z.discriminatedUnion("op", [
  z.object({
    op: z.literal("lookup"),
    name: z.string(),
    bare_name: z.optional(z.boolean()),
    kind: z.nullish(z.string()),
  }),
  z.object({ op: z.literal("file_symbols"), file_path: z.string() }),
  z.object({ op: z.literal("orphans"), kind: z.nullish(z.string()) }),
  z.object({
    op: z.enum(["callers", "callees", "contained_by", "implementors"]),
    sym_stable_id: z.string(),
  }),
]);
const expected = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("exact_symbol"), stable_id: z.string() }),
  z.object({ kind: z.literal("in_top_k"), stable_id: z.string(), k: z.number() }),
  z.object({ kind: z.literal("exact_set"), stable_ids: z.array(z.string()) }),
  z.object({ kind: z.literal("contains"), required: z.array(z.string()) }),
]);
const scenario = z.object({ id: z.string(), category: z.string(), sub_type: z.string(), query, expected });
type Scenario = z.infer<typeof scenario>;
const record = z.object({ id: z.string(), score: z.number(), returned: z.array(z.string()) });

/** What LongMemCode's runner weighs its categories by. */
const weights: Readonly<Record<string, number>> = {
  Completion: 0.32,
  BugFix: 0.22,
  Refactor: 0.12,
  TestGen: 0.1,
  FeatureAdd: 0.1,
  ApiDiscovery: 0.14,
};

/** By LongMemCode's docs/METHODOLOGY.md. */
function score(wanted: Scenario["expected"], returned: readonly string[]): number {
  if (wanted.kind === "exact_symbol") return returned[0] === wanted.stable_id ? 1 : 0;
  if (wanted.kind === "in_top_k") return returned.slice(0, wanted.k).includes(wanted.stable_id) ? 1 : 0;
  const got = new Set(returned);
  if (wanted.kind === "contains")
    return wanted.required.length === 0 ? 1 : average(wanted.required.map((one) => Number(got.has(one))));
  if (wanted.stable_ids.length === 0) return got.size === 0 ? 1 : 0;
  const right = wanted.stable_ids.filter((one) => got.has(one)).length;
  return (2 * right) / (got.size + new Set(wanted.stable_ids).size);
}

const readScenarios = (name: string): Scenario[] =>
  z.parse(z.array(scenario), JSON.parse(readFileSync(join(benchmark, "scenarios", `${name}.json`), "utf8")));

function readRecords(tool: string, name: string): Map<string, z.infer<typeof record>> {
  const file = readdirSync(join(benchmark, "results")).find(
    (one) => one.startsWith(`${tool}-${name}-`) && one.endsWith(".jsonl"),
  );
  const rows = file === undefined ? [] : readFileSync(join(benchmark, "results", file), "utf8").split("\n");
  return new Map(
    rows
      .filter(Boolean)
      .map((row) => z.parse(record, JSON.parse(row)))
      .map((one) => [one.id, one]),
  );
}

const halfOf = (name: string, { id }: Scenario) =>
  createHash("sha256").update(`${name}/${id}`).digest()[3]! % 2 === 0 ? "develop" : "report";

/** A project's graph, asked in LongMemCode's words. */
class Answerer {
  private readonly idsOf = new Map<string, string[]>();
  private readonly targetsOf = new Map<string, GraphTarget[]>();
  /** The files of each module that has a symbol, and the symbols of each file's modules. */
  private readonly filesOf = new Map<string, string[]>();
  private readonly modulesOf = new Map<string, string[]>();
  private orphans: Promise<string[]> | null = null;

  private constructor(
    private readonly graph: CodeGraph,
    private readonly files: readonly string[],
    private readonly root: string,
  ) {}

  static async open(
    graph: CodeGraph,
    files: readonly string[],
    { indexer, root }: { indexer: Indexer; root: string },
    ids: readonly string[],
  ): Promise<Answerer> {
    const answerer = new Answerer(graph, files, root);
    const byName = new Map<string, { id: string; scip: ScipName }[]>();
    for (const id of ids) {
      const module = indexer.parseModule(id);
      if (module !== null) {
        const held = files.filter((file) => indexer.isIn(file, module));
        for (const file of held) answerer.modulesOf.set(file, [...(answerer.modulesOf.get(file) ?? []), id]);
        answerer.filesOf.set(id, held);
      }
      const scip = indexer.parse(id);
      if (scip !== null) byName.set(scip.name, [...(byName.get(scip.name) ?? []), { id, scip }]);
    }
    for (const file of files) {
      const seen = new Map<string, number>();
      for (const target of await answerer.listMembers(file)) {
        const node = await graph.definitions.describeTarget(target);
        const fitting = (byName.get(node.name) ?? []).filter(({ scip }) => fits(indexer, scip, node));
        const key = `${node.parent}\n${node.name}`;
        const overload = seen.get(key) ?? 0;
        seen.set(key, overload + 1);
        const exact = fitting.filter(({ scip }) => indexer !== indexers.java || scip.overload === overload);
        for (const { id } of exact) {
          const one = makeTargetKey(target);
          answerer.idsOf.set(one, [...(answerer.idsOf.get(one) ?? []), id]);
          answerer.targetsOf.set(id, [...(answerer.targetsOf.get(id) ?? []), target]);
        }
      }
    }
    return answerer;
  }

  get named(): number {
    return this.targetsOf.size;
  }

  async answer(question: Scenario["query"]): Promise<string[]> {
    switch (question.op) {
      case "lookup":
        return this.lookup(question.name, question.bare_name ?? false);
      case "file_symbols":
        return this.listFile(`${this.root}${question.file_path}`);
      case "orphans":
        this.orphans ??= this.listOrphans();
        return this.orphans;
      case "callers":
        return this.listCallers(question.sym_stable_id);
      case "callees":
        return this.listAllCallees(question.sym_stable_id);
      case "contained_by":
        return this.name((await this.ask(question.sym_stable_id, (one) => this.listHeldBy(one))).flat());
      case "implementors":
        return this.name((await this.ask(question.sym_stable_id, (one) => this.listOverrides(one))).flat());
    }
  }

  private async lookup(name: string, isBare: boolean): Promise<string[]> {
    if (!isBare) return this.targetsOf.has(name) ? [name] : this.hasFile(name) ? [name] : [];
    return this.name(await this.graph.findNamedDefinitions(name));
  }

  private async listFile(file: string): Promise<string[]> {
    if (!this.files.includes(file)) return [];
    return [...this.nameFile(file), ...this.name(await this.listMembers(file))];
  }

  private async listCallers(id: string): Promise<string[]> {
    const files = this.hasFile(id) ? [`${this.root}${id.slice("file:".length)}`] : this.filesOf.get(id);
    if (files === undefined) {
      const { edges } = await this.graph.findCallers(this.targetsOf.get(id) ?? []);
      return this.name(edges.map(({ target }) => target));
    }
    // What a file holds is named first, as `pm code impact FILE` does.
    const held: GraphTarget[] = [];
    for (const file of files) held.push(...(await this.graph.definitions.listDefinitionsOfFile(file)));
    const { touched } = await collectImpact(this.graph, held, 1);
    const others = await Promise.all(
      touched.map(({ file, line, end_line, name }) =>
        this.graph.definitions.findDefinitionOfSpan({ file, name, first: line, last: end_line }),
      ),
    );
    const of = [...files, ...touched.map(({ file }) => file)].flatMap((file) => this.nameFile(file));
    return [...new Set([...this.name([...held, ...others]), ...of])];
  }

  /** Of a module, what it holds, and what that uses. */
  private async listAllCallees(id: string): Promise<string[]> {
    const targets = [...(this.targetsOf.get(id) ?? [])];
    const files = this.filesOf.get(id) ?? [];
    for (const file of files) targets.push(...(await this.graph.definitions.listDefinitionsOfFile(file)));
    const found: GraphTarget[] = [];
    for (const target of targets) found.push(...(await this.listCallees(target)));
    return this.name(files.length > 0 ? [...targets, ...found] : found);
  }

  private async listCallees(target: GraphTarget): Promise<GraphTarget[]> {
    return (await this.graph.findCallees(target)).edges.map((edge) => edge.target);
  }

  private async listHeldBy(target: GraphTarget): Promise<GraphTarget[]> {
    const { name } = await this.graph.definitions.describeTarget(target);
    const held: GraphTarget[] = [];
    for (const one of await this.listMembers(target.file)) {
      const { parent } = await this.graph.definitions.describeTarget(one);
      if (parent === name) held.push(one);
    }
    return held;
  }

  /** Types that extend one, and those that extend these; of a method, theirs of its name. */
  private async listOverrides(target: GraphTarget): Promise<GraphTarget[]> {
    const { name, parent } = await this.graph.definitions.describeTarget(target);
    const owner = parent === null ? [] : await this.graph.findNamedDefinitions(parent);
    const isType = /class|interface|trait|struct|enum|type|record/.test(
      (await this.graph.definitions.describeTarget(target)).kind,
    );
    const found = new Map<string, GraphTarget>();
    let front = isType ? [target] : owner.filter(({ file }) => file === target.file);
    for (let depth = 0; depth < 4 && front.length > 0; depth++) {
      const next: GraphTarget[] = [];
      for (const type of front) {
        for (const edge of (await this.graph.findCallers([type])).edges) {
          const key = makeTargetKey(edge.target);
          if (edge.kind !== "base" || found.has(key)) continue;
          found.set(key, edge.target);
          next.push(edge.target);
        }
      }
      front = next;
    }
    if (isType) return [...found.values()];
    const members = await Promise.all(
      [...found.values()].map((type) => this.graph.definitions.findOwnMembers(type, name)),
    );
    return members.flat();
  }

  /** Functions that nothing is known to mention. */
  private async listOrphans(): Promise<string[]> {
    const found: string[] = [];
    for (const [id, targets] of this.targetsOf) {
      const { kind } = await this.graph.definitions.describeTarget(targets[0]!);
      if (!/function|method/.test(kind)) continue;
      if ((await this.graph.findCallers(targets)).edges.length === 0) found.push(id);
    }
    return found;
  }

  /** Definitions of a file, and members that are none. */
  private async listMembers(file: string): Promise<GraphTarget[]> {
    const definitions = await this.graph.definitions.listDefinitionsOfFile(file);
    const fields = await this.graph.definitions.listFieldsOfFile(file);
    return [...definitions, ...fields];
  }

  private async ask<T>(id: string, find: (target: GraphTarget) => Promise<T>): Promise<T[]> {
    const found: T[] = [];
    for (const target of this.targetsOf.get(id) ?? []) found.push(await find(target));
    return found;
  }

  private name(targets: readonly GraphTarget[]): string[] {
    return [
      ...new Set(
        targets.flatMap((one) =>
          one.at === ofFile ? this.nameFile(one.file) : (this.idsOf.get(makeTargetKey(one)) ?? []),
        ),
      ),
    ];
  }

  private nameFile(file: string): string[] {
    const own = `file:${file.startsWith(this.root) ? file.slice(this.root.length) : file}`;
    return [own, ...(this.modulesOf.get(file) ?? [])];
  }

  private hasFile(id: string): boolean {
    return id.startsWith("file:") && this.files.includes(`${this.root}${id.slice("file:".length)}`);
  }
}

interface Outcome {
  project: string;
  op: string;
  category: string;
  scores: readonly number[];
  returned: number;
  milliseconds: number;
}
const tools = ["argosbrain", "grep"] as const;
const halves = options.half.split(",");
const outcomes: Outcome[] = [];
for (const [name, project] of Object.entries(projects)) {
  if (options.only !== undefined && !options.only.split(",").includes(name)) continue;
  const scenarios = readScenarios(name);
  const records = tools.map((tool) => readRecords(tool, name));
  const ids = new Set<string>();
  for (const { query, expected } of scenarios) {
    if ("sym_stable_id" in query) ids.add(query.sym_stable_id);
    if ("stable_id" in expected) ids.add(expected.stable_id);
    if ("required" in expected) for (const one of expected.required) ids.add(one);
  }
  // What LongMemCode's symbols are called is in nobody's source: the longest list of them is in its records.
  for (const { returned } of records[0]!.values()) for (const one of returned) ids.add(one);
  await withGraphOf(join(checkouts, name), async (index) => {
    const files = (await index.files())
      .filter(({ language }) => findGrammar(language)?.references !== undefined)
      .map(({ path }) => path);
    const graph = await CodeGraph.openForIndex(index, join(checkouts, name));
    const answerer = await Answerer.open(graph, files, project, [...ids]);
    console.error(`${name}: ${answerer.named} of ${ids.size} symbols`);
    for (const one of scenarios) {
      if (!halves.includes(halfOf(name, one))) continue;
      const start = performance.now();
      const returned = await answerer.answer(one.query);
      const milliseconds = performance.now() - start;
      const own = score(one.expected, returned);
      if (options.misses && own < 1) {
        const lacks =
          "required" in one.expected ? one.expected.required.filter((id) => !returned.includes(id)) : [];
        console.log(
          `${own.toFixed(2)} ${JSON.stringify(one.query)} of ${returned.length} lacks ${lacks.join(" | ")}`,
        );
      }
      outcomes.push({
        project: name,
        op: one.query.op,
        category: one.category,
        scores: [own, ...records.map((known) => known.get(one.id)?.score ?? 0)],
        returned: returned.length,
        milliseconds,
      });
    }
  });
}

const share = (value: number) => value.toFixed(3);
function weigh(some: readonly Outcome[], tool: number): number {
  const categories = Object.entries(weights).flatMap(([category, weight]) => {
    const own = some.filter((one) => one.category === category);
    return own.length === 0 ? [] : [{ weight, value: average(own.map(({ scores }) => scores[tool]!)) }];
  });
  const sum = categories.reduce((total, { weight }) => total + weight, 0);
  return categories.reduce((total, { weight, value }) => total + weight * value, 0) / sum;
}
const perTool = (of: (tool: number) => number) => [0, 2, 1].map((tool) => share(of(tool)));
const names = [...new Set(outcomes.map(({ project }) => project))];
const ops = ["callers", "callees", "implementors", "contained_by", "file_symbols", "lookup", "orphans"];
const rows = [
  ...names.map((name) => {
    const some = outcomes.filter(({ project }) => project === name);
    return [`${name}, weighted`, `${some.length}`, ...perTool((tool) => weigh(some, tool))];
  }),
  [
    "all, weighted, mean of projects",
    `${outcomes.length}`,
    ...perTool((tool) =>
      average(
        names.map((name) =>
          weigh(
            outcomes.filter((o) => o.project === name),
            tool,
          ),
        ),
      ),
    ),
  ],
  ...ops.map((op) => {
    const some = outcomes.filter((one) => one.op === op);
    return [op, `${some.length}`, ...perTool((tool) => average(some.map(({ scores }) => scores[tool]!)))];
  }),
];
printTable(["", "n", "Pommel", "grep (its record)", "ArgosBrain (its record)"], rows, options);
const times = outcomes.map(({ milliseconds }) => milliseconds);
console.log(
  `\nPommel: ${average(outcomes.filter(({ op }) => op === "callers").map(({ returned }) => returned)).toFixed(1)} callers a question; p50 ${percentile(times, 50).toFixed(2)} ms, p95 ${percentile(times, 95).toFixed(1)} ms.`,
);
