/**
 * How right the edges of the graph are, judged by compilers and language servers: calls are drawn from the files of repositories,
 * and what Pommel says they run is compared with what a judge says.
 *
 *   npm run bench:graph -- --checkouts DIR --only express,flask --typescript "typescript-language-server --stdio"
 *   npm run bench:graph -- --checkouts DIR --only gson --java-calls "java bench/graph/JavaCalls.java"
 *
 *   --only LIST          only these directories of DIR (default: all)
 *   --typescript CMD, --python CMD, --go CMD, --rust CMD, --java CMD
 *                        the server of a language; calls in languages without one are not drawn
 *   --java-calls CMD, --rust-calls CMD
 *                        instead of a server, a program that prints the calls of a directory (bench/graph/)
 *   --count N            calls of each repository and language (default: 300)
 *   --wrong              print edges that are wrong, and calls that were missed
 *   --markdown           print tables for Markdown
 *
 * In checkouts that codegraph has indexed (`npx @colbymchenry/codegraph init DIR`), its edges are judged on the same calls.
 *
 * Calls are found by a pattern (`name(`) in the text, not by the parser that makes the edges, and drawn by a fixed seed. A
 * call counts if the judge says that it leads into a file of the repository, other than to a parameter or variable of
 * the function around it. precision: of the edges of a confidence, those that lead where the judge says. recall: of the
 * calls that count, those with such an edge. Edges of calls of which the judge knows nothing are not judged.
 */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import type { GraphNode } from "../src/code/graph/definitions.ts";
import { CodeGraph } from "../src/code/graph/graph.ts";
import { shuffleBySeed } from "../src/features/models/evaluate/pairs.ts";
import { edgeConfidences } from "../src/protocol/values.ts";
import type { CodeIndex, IndexEntry } from "../src/store/index/port.ts";
import { DatabaseSync } from "../src/store/sqlite/sqlite.ts";
import { withGraphOf } from "./graph/indexed.ts";
import { type Called, compilerJudge, isSame, type Judge, type Spot, serverJudge } from "./graph/truth.ts";
import { printTable } from "./measure.ts";

/** From this confidence on an edge of codegraph's counts as sure: it gives 0.9 to what an import resolves, 0.4 to a mere name. */
const sure = 0.8;

/**
 * What another tool says calls run: codegraph 1.6 (npm: @colbymchenry/codegraph), asked in the database that
 * `codegraph init` leaves in a checkout. An edge there has the line of the call and the text of the reference.
 */
export class Codegraph {
  private constructor(private readonly database: InstanceType<typeof DatabaseSync>) {}

  /** Null where codegraph did not index the checkout. */
  static of(root: string): Codegraph | null {
    const file = join(root, ".codegraph/codegraph.db");
    return existsSync(file) ? new Codegraph(new DatabaseSync(file, { readOnly: true })) : null;
  }

  /** What a call of a name on a line runs, sure edges apart; empty: it has no edge. */
  called(file: string, line: number, name: string): { node: GraphNode; isSure: boolean }[] {
    const rows = this.database
      .prepare(
        `SELECT target.name, target.kind, target.file_path AS file, target.start_line AS line, target.end_line AS endLine,
           target.qualified_name AS qualified, edges.metadata ->> '$.refName' AS said,
           coalesce(edges.metadata ->> '$.confidence', 0) >= ? AS isSure
         FROM edges JOIN nodes AS source ON source.id = edges.source JOIN nodes AS target ON target.id = edges.target
         WHERE edges.kind IN ('calls', 'instantiates') AND source.file_path = ? AND edges.line = ?`,
      )
      .all(sure, file, line) as unknown as (GraphNode & {
      qualified: string;
      said: string | null;
      isSure: number;
    })[];
    return rows
      .filter((row) => (row.said ?? row.name).split(/[.:#>]+/).at(-1) === name)
      .map(({ qualified, said: _, isSure, ...node }) => ({
        node: { ...node, parent: qualified.split("::").at(-2) ?? null },
        isSure: isSure === 1,
      }));
  }

  close(): void {
    this.database.close();
  }
}

const { values: options } = parseArgs({
  options: {
    checkouts: { type: "string" },
    only: { type: "string" },
    typescript: { type: "string" },
    python: { type: "string" },
    go: { type: "string" },
    rust: { type: "string" },
    java: { type: "string" },
    "java-calls": { type: "string" },
    "rust-calls": { type: "string" },
    count: { type: "string", default: "300" },
    wrong: { type: "boolean", default: false },
    markdown: { type: "boolean", default: false },
  },
});
if (options.checkouts === undefined) {
  console.error("usage: npm run bench:graph -- --checkouts DIR [options, see bench/graph.ts]");
  process.exit(2);
}
const { checkouts } = options;
const count = Number(options.count);

/** Who judges what, by the ids of our languages. */
const byServer = (command: string | undefined) =>
  command === undefined ? null : (root: string) => serverJudge(command, root);
const byCompiler = (command: string | undefined) =>
  command === undefined ? null : async (root: string) => compilerJudge(command, root);
const families: Readonly<
  Record<string, { judge: ((root: string) => Promise<Judge>) | null; ids: readonly string[] }>
> = {
  typescript: { judge: byServer(options.typescript), ids: ["typescript", "tsx", "javascript"] },
  python: { judge: byServer(options.python), ids: ["python"] },
  go: { judge: byServer(options.go), ids: ["go"] },
  rust: { judge: byCompiler(options["rust-calls"]) ?? byServer(options.rust), ids: ["rust"] },
  java: { judge: byCompiler(options["java-calls"]) ?? byServer(options.java), ids: ["java"] },
};
const call = /(?<![\w$#@])([A-Za-z_$][\w$]*)(?=\s*(?:<[\w\s,.[\]]*>)?\()/g;
const keywords = new Set(
  "if for while switch catch return function func def fn new super await typeof match import print constructor with elif and or not in async yield lambda assert del except raise defined sizeof where".split(
    " ",
  ),
);
interface Tally {
  right: number;
  wrong: number;
}

const rows: (string | number)[][] = [];
const besideRows: (string | number)[][] = [];
for (const name of options.only?.split(",") ?? readdirSync(checkouts).sort()) {
  const root = join(checkouts, name);
  await withGraphOf(root, async (index) => {
    for (const [family, { judge, ids }] of Object.entries(families)) {
      const files = (await index.files()).filter(({ language }) => ids.includes(language));
      if (judge !== null && files.length > 2)
        rows.push([name, family, ...(await grade(root, index, files, await judge(root)))]);
    }
  });
}
const header = [
  "repository",
  "language",
  "calls",
  "resolved",
  "dispatch",
  "unique",
  "ambiguous",
  "recall resolved",
  "recall any",
];
printTable(
  header,
  rows.map((row) => row.map(String)),
  { markdown: options.markdown },
);

if (besideRows.length > 0) {
  const titles = ["repository", "calls", "sure", "any edge", "recall sure", "recall any"];
  console.log("\ncodegraph, on the same calls");
  printTable(
    titles,
    besideRows.map((row) => row.map(String)),
    { markdown: options.markdown },
  );
}

async function grade(root: string, index: CodeIndex, files: readonly IndexEntry[], judge: Judge) {
  const texts = new Map(files.map(({ path }) => [path, readFileSync(join(root, path), "utf8")]));
  const calls = shuffleBySeed(
    files.flatMap((file) => callsIn(file, texts.get(file.path)!)),
    "graph",
  );
  const graph = await CodeGraph.openForIndex(index, root);
  const other = Codegraph.of(root);
  const others: Record<"sure" | "all", Tally> = { sure: { right: 0, wrong: 0 }, all: { right: 0, wrong: 0 } };
  const foundByOther = { sure: 0, all: 0 };
  const tallies = new Map(edgeConfidences.map((one): [string, Tally] => [one, { right: 0, wrong: 0 }]));
  let asked = 0;
  let drawn = 0;
  let foundResolved = 0;
  let foundAny = 0;
  for (const one of calls) {
    if (asked >= count || drawn >= count * 6) break;
    const truth = await judge.called(one, texts.get(one.file)!);
    if (truth.length === 0) continue;
    drawn++;
    // The declaration itself.
    if (truth.some(({ file, line }) => file === one.file && line === one.line)) continue;
    const isInside = truth.some(({ file }) => file === null || texts.has(file));
    const isLocal = truth.every(
      ({ file, line }) => file === one.file && isVariable(texts.get(file)!, line, one.name),
    );
    if (isInside && isLocal) continue;
    if (isInside) asked++;
    const theirs = other?.called(one.file, one.line, one.name) ?? [];
    for (const kind of ["sure", "all"] as const) {
      const edges = theirs.filter(({ isSure }) => isSure || kind === "all");
      if (edges.length === 0) continue;
      const isRight = edges.some(({ node }) => truth.some((called) => isSame(called, node, one.name)));
      others[kind][isRight ? "right" : "wrong"]++;
      if (isInside && isRight) foundByOther[kind]++;
    }
    const edge = await graph.findEdgeAt(one.file, one.line, one.name);
    if (edge === null) {
      if (isInside && options.wrong)
        console.log(`missed  ${one.file}:${one.line} ${one.name} -> ${placeText(truth)}`);
      continue;
    }
    const nodes = await Promise.all(edge.targets.map((target) => graph.definitions.describeTarget(target)));
    const isRight = nodes.some((node) => truth.some((called) => isSame(called, node, one.name)));
    tallies.get(edge.confidence)![isRight ? "right" : "wrong"]++;
    if (isInside && isRight) {
      foundAny++;
      if (edge.confidence === "resolved") foundResolved++;
    }
    if (!isRight && options.wrong) {
      const said = nodes
        .slice(0, 3)
        .map((node) => `${node.file}:${node.line} ${node.parent ?? ""}.${node.name}`);
      console.log(
        `${edge.confidence.padEnd(9)} ${one.file}:${one.line} ${one.name}: ${said.join(", ")}, but ${placeText(truth)}`,
      );
    }
  }
  judge.stop();
  const share = (part: number, whole: number) => (whole === 0 ? "-" : (part / whole).toFixed(3));
  const precision = ({ right, wrong }: Tally) =>
    right + wrong === 0 ? "-" : `${share(right, right + wrong)} of ${right + wrong}`;
  if (other !== null) {
    const { sure, all } = foundByOther;
    const precisions = [others.sure, others.all].map(precision);
    besideRows.push([basename(root), asked, ...precisions, share(sure, asked), share(all, asked)]);
    other.close();
  }
  return [
    asked,
    ...edgeConfidences.map((one) => precision(tallies.get(one)!)),
    share(foundResolved, asked),
    share(foundAny, asked),
  ];
}

function callsIn({ path, language }: IndexEntry, text: string): Spot[] {
  return text.split("\n").flatMap((line, i) => {
    if (/^\s*(?:\/\/|#|\*|\/\*)/.test(line) || line.length > 400) return [];
    return [...line.matchAll(call)].flatMap((found) =>
      keywords.has(found[1]!)
        ? []
        : [{ file: path, language, line: i + 1, column: found.index, name: found[1]! }],
    );
  });
}

/** Whether a line declares a name as a parameter or a variable rather than as something that runs. */
function isVariable(text: string, line: number, name: string): boolean {
  const declared = text.split("\n")[line - 1] ?? "";
  const escaped = name.replaceAll("$", "\\$");
  if (
    new RegExp(`(?:function\\*?|def|class|func|fn|interface)\\s+(?:\\([^)]*\\)\\s*)?${escaped}\\b`).test(
      declared,
    )
  )
    return false;
  if (new RegExp(`^\\s*(?:[\\w<>\\[\\], ]+\\s)?${escaped}\\s*(?:<.*>)?\\(`).test(declared)) return false;
  return !new RegExp(`\\b${escaped}\\b\\s*(?::[^=]+)?=.*(?:=>|function|lambda|func\\(|\\|)`).test(declared);
}

function placeText(places: readonly Called[]): string {
  return places
    .slice(0, 2)
    .map(({ file, line, of }) => (file === null ? of.join(",") : `${file}:${line}`))
    .join(" or ");
}
