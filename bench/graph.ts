/**
 * How right the edges of the graph are, judged by language servers: calls are drawn from the files of repositories, and what
 * Pommel says they run is compared with where a server says it is defined.
 *
 *   npm run bench:graph -- --checkouts DIR --only express,flask --typescript "typescript-language-server --stdio"
 *
 *   --only LIST          only these directories of DIR (default: all)
 *   --typescript CMD, --python CMD, --go CMD, --rust CMD, --java CMD
 *                        the server of a language; calls in languages without one are not drawn
 *   --count N            calls of each repository and language (default: 300)
 *   --wrong              print edges that are wrong, and calls that were missed
 *   --markdown           print tables for Markdown
 *
 * Calls are found by a pattern (`name(`) in the text, not by the parser that makes the edges, and drawn by a fixed seed. A
 * call counts if the server says that it leads into a file of the repository, other than to a parameter or variable of
 * the function around it. precision: of the edges of a confidence, those that lead where the server says. recall: of the
 * calls that count, those with such an edge. Edges of calls of which the server knows nothing are not judged.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, sep } from "node:path";
import { parseArgs } from "node:util";
import { createIgnoreRules } from "../src/code/files/ignore.ts";
import { Indexer } from "../src/code/index/indexer.ts";
import { shuffled } from "../src/evaluate/pairs.ts";
import { defaultConfig } from "../src/project/config/settings.ts";
import { silentLog } from "../src/project/log.ts";
import { projectAt } from "../src/project/paths.ts";
import { edgeConfidences } from "../src/protocol/values.ts";
import { CodeGraph } from "../src/search/graph/graph.ts";
import type { CodeIndex, IndexEntry } from "../src/store/index/port.ts";
import { SqliteIndex } from "../src/store/index/sqlite/sqlite-index.ts";
import { LanguageServer, type Place } from "./graph/language-server.ts";
import { printTable } from "./table.ts";

const { values: options } = parseArgs({
  options: {
    checkouts: { type: "string" },
    only: { type: "string" },
    typescript: { type: "string" },
    python: { type: "string" },
    go: { type: "string" },
    rust: { type: "string" },
    java: { type: "string" },
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

/** Languages that share a server, by the ids of ours. */
const families: Readonly<Record<string, { server: string | undefined; ids: readonly string[] }>> = {
  typescript: { server: options.typescript, ids: ["typescript", "tsx", "javascript"] },
  python: { server: options.python, ids: ["python"] },
  go: { server: options.go, ids: ["go"] },
  rust: { server: options.rust, ids: ["rust"] },
  java: { server: options.java, ids: ["java"] },
};
const editorIds: Readonly<Record<string, string>> = { tsx: "typescriptreact" };
const call = /(?<![\w$#@])([A-Za-z_$][\w$]*)(?=\s*(?:<[\w\s,.[\]]*>)?\()/g;
const keywords = new Set(
  "if for while switch catch return function func def fn new super await typeof match import print constructor with elif and or not in async yield lambda assert del except raise defined sizeof where".split(
    " ",
  ),
);
/** A declaration of a called name that is in no other function is at least this far off. Lines. */
const maxHead = 12;

interface Call {
  file: string;
  language: string;
  line: number;
  column: number;
  name: string;
}

interface Tally {
  right: number;
  wrong: number;
}

const rows: (string | number)[][] = [];
for (const name of options.only?.split(",") ?? readdirSync(checkouts).sort()) {
  const root = join(checkouts, name);
  const dir = mkdtempSync(join(tmpdir(), "pommel-graph-"));
  const index = SqliteIndex.open(join(dir, "index.db"), { readonly: false });
  const config = defaultConfig();
  const rules = createIgnoreRules(root, config);
  const project = projectAt(root);
  const indexer = new Indexer({
    project,
    config,
    rules,
    index,
    withVectors: false,
    log: silentLog,
    mode: "foreground",
  });
  await indexer.reconcile();
  await indexer.close();
  for (const [family, { server, ids }] of Object.entries(families)) {
    const files = (await index.files()).filter(({ language }) => ids.includes(language));
    if (server !== undefined && files.length > 2)
      rows.push([name, family, ...(await grade(root, index, files, server))]);
  }
  await index.close();
  rmSync(dir, { recursive: true });
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

async function grade(root: string, index: CodeIndex, files: readonly IndexEntry[], command: string) {
  const texts = new Map(files.map(({ path }) => [path, readFileSync(join(root, path), "utf8")]));
  const calls = shuffled(
    files.flatMap((file) => callsIn(file, texts.get(file.path)!)),
    "graph",
  );
  const graph = await CodeGraph.of(index, root);
  const server = await LanguageServer.start(command.split(" "), root);
  const tallies = new Map(edgeConfidences.map((one): [string, Tally] => [one, { right: 0, wrong: 0 }]));
  let asked = 0;
  let drawn = 0;
  let foundResolved = 0;
  let foundAny = 0;
  for (const one of calls) {
    if (asked >= count || drawn >= count * 6) break;
    drawn++;
    const places = await server.definitions(
      join(root, one.file),
      texts.get(one.file)!,
      editorIds[one.language] ?? one.language,
      one.line,
      one.column,
    );
    const truth = places.map((place) => ({
      ...place,
      file: relative(root, place.file).split(sep).join("/"),
    }));
    // The declaration itself.
    if (truth.length === 0 || truth.some(({ file, line }) => file === one.file && line === one.line))
      continue;
    const isInside = truth.some(({ file }) => texts.has(file));
    const isLocal = truth.every(
      ({ file, line }) => file === one.file && isVariable(texts.get(file)!, line, one.name),
    );
    if (isInside && isLocal) continue;
    if (isInside) asked++;
    const edge = await graph.edgeAt(one.file, one.line, one.name);
    if (edge === null) {
      if (isInside && options.wrong)
        console.log(`missed  ${one.file}:${one.line} ${one.name} -> ${placeText(truth)}`);
      continue;
    }
    const nodes = await Promise.all(edge.targets.map((target) => graph.nodeOf(target)));
    const isRight = nodes.some(
      (node) =>
        truth.some(
          ({ file, line }) =>
            file === node.file && line >= node.line && line <= Math.min(node.endLine, node.line + maxHead),
        ) ||
        // A class stands for what makes it.
        truth.some(
          ({ file, line }) =>
            file === node.file && node.name === one.name && line >= node.line && line <= node.endLine,
        ),
    );
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
  server.stop();
  const share = (part: number, whole: number) => (whole === 0 ? "-" : (part / whole).toFixed(3));
  return [
    asked,
    ...edgeConfidences.map((one) => {
      const { right, wrong } = tallies.get(one)!;
      return right + wrong === 0 ? "-" : `${share(right, right + wrong)} of ${right + wrong}`;
    }),
    share(foundResolved, asked),
    share(foundAny, asked),
  ];
}

function callsIn({ path, language }: IndexEntry, text: string): Call[] {
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

function placeText(places: readonly Place[]): string {
  return places
    .slice(0, 2)
    .map(({ file, line }) => `${file}:${line}`)
    .join(" or ");
}
