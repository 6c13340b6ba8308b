/**
 * What an agent reads of the code that an issue needs, within some tokens: ContextBench's public tasks, whose blocks of lines
 * people have marked, asked of `code`; beside grep with windows, and codegraph's `explore`.
 *
 *   npm run bench:contextbench -- --tasks FILE --mirrors DIR
 *
 *   --tasks FILE         the rows of ContextBench's data/contextbench_verified_test.parquet (a copy is in github.com/Nobbettt/ContextBench)
 *                        as JSON
 *   --mirrors DIR        DIR/owner+name/repo holds a clone of each repository, bare or not; tasks of others are left out
 *   --half LIST          develop, report: tasks whose id's hash is even, or odd (default: report)
 *   --only LIST          only tasks whose original id begins so
 *   --max-tokens N       of an answer (default: 2000)
 *   --codegraph PROGRAM  also ask codegraph, which indexes a copy of each checkout first
 *   --work DIR           keep checkouts and indexes there for the next run (default: a temporary directory)
 *   --save FILE          write what each showed
 *   --markdown           print tables for Markdown
 *
 * Each repository is indexed as it was before the fix. Lines that a reader sees are compared with those that are marked: by file,
 * by line, and by block (one that is marked counts as found where a line of it is shown, one that is shown as right where it
 * holds a line that is marked). A file that is named without lines counts as shown in *file* alone. Figures are means over tasks.
 */
import { createHash } from "node:crypto";
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import * as z from "zod/mini";
import { charactersOfToken, estimateTokens } from "../src/base/text/text-size.ts";
import { stopWords } from "../src/base/text/tokens.ts";
import { classifyPath } from "../src/code/files/path-role.ts";
import { readCode } from "../src/features/code/answer.ts";
import { wordCode } from "../src/features/code/words.ts";
import { printedBy, readWindows } from "./door/plain.ts";
import { mirrorDir, openIndexed, runGit } from "./issues/tasks.ts";
import { average, printTable, scratchDir } from "./measure.ts";

const { values: options } = parseArgs({
  options: {
    tasks: { type: "string" },
    mirrors: { type: "string" },
    half: { type: "string", default: "report" },
    only: { type: "string" },
    "max-tokens": { type: "string", default: "2000" },
    codegraph: { type: "string" },
    work: { type: "string" },
    save: { type: "string" },
    markdown: { type: "boolean", default: false },
  },
});
if (options.tasks === undefined || options.mirrors === undefined) {
  console.error("usage: npm run bench:contextbench -- --tasks FILE --mirrors DIR");
  process.exit(2);
}
const mirrors = resolve(options.mirrors);
const work = resolve(options.work ?? scratchDir("contextbench"));
const maxTokens = Number(options["max-tokens"]);

const row = z.object({
  original_inst_id: z.string(),
  repo: z.string(),
  language: z.string(),
  base_commit: z.string(),
  gold_context: z.string(),
  problem_statement: z.string(),
});
const gold = z.array(z.object({ file: z.string(), start_line: z.number(), end_line: z.number() }));
interface Block {
  file: string;
  first: number;
  last: number;
}

/** "owner__name-12" and "instance_owner__name-…" name the repository, which rows do not always. */
const mirrorName = (id: string) => {
  const [, owner, name] = /^(?:instance_)?(.+?)__(.+?)-(?:\d+$|[\da-f]{20})/.exec(id) ?? [];
  return `${owner}+${name}`.toLowerCase();
};
const present = new Map(readdirSync(mirrors).map((name) => [name.toLowerCase(), name]));
const halfOf = (id: string) =>
  createHash("sha256").update(id).digest()[3]! % 2 === 0 ? "develop" : "report";
const rows = z.parse(z.array(row), JSON.parse(readFileSync(options.tasks, "utf8")));
const tasks = rows.flatMap((one) => {
  const repo = present.get(mirrorName(one.original_inst_id));
  const isAsked =
    options.half.split(",").includes(halfOf(one.original_inst_id)) &&
    (options.only === undefined || options.only.split(",").some((id) => one.original_inst_id.startsWith(id)));
  return repo === undefined || !isAsked ? [] : [{ ...one, repo }];
});

/** Blocks in the paths of the checkout, whatever container they were marked in. */
function readGold(text: string, files: ReadonlySet<string>): Block[] {
  return z.parse(gold, JSON.parse(text)).flatMap(({ file, start_line, end_line }) => {
    const parts = file.split("/");
    const known = parts.map((_, i) => parts.slice(i).join("/")).find((path) => files.has(path));
    return known === undefined ? [] : [{ file: known, first: start_line, last: end_line }];
  });
}

/** What a text shows: numbered lines below the name of their file, and files that it only names. */
function readShown(text: string, files: ReadonlySet<string>): { blocks: Block[]; named: Set<string> } {
  const blocks: Block[] = [];
  const named = new Set<string>();
  let file: string | null = null;
  for (const line of text.split("\n")) {
    const [, number] = /^\s*(\d+)[\t:]/.exec(line) ?? [];
    if (number !== undefined) {
      const at = Number(number);
      const last = blocks.at(-1);
      if (last?.file === file && last?.last === at - 1) last.last = at;
      else if (file !== null) blocks.push({ file, first: at, last: at });
      continue;
    }
    const path = [...line.matchAll(/[\w@./+-]+\.\w+/g)]
      .map(([one]) => one.replace(/^(?:\.\/)+/, ""))
      .find((one) => files.has(one));
    if (path === undefined) continue;
    named.add(path);
    if (!/^\s/.test(line)) file = path;
  }
  for (const one of blocks) named.add(one.file);
  return { blocks, named };
}

interface Measured {
  precision: number;
  recall: number;
  f1: number;
}
function measure(right: number, shown: number, found: number, wanted: number): Measured {
  const precision = shown === 0 ? 0 : right / shown;
  const recall = wanted === 0 ? 0 : found / wanted;
  return {
    precision,
    recall,
    f1: precision + recall === 0 ? 0 : (2 * precision * recall) / (precision + recall),
  };
}
const listLines = (blocks: readonly Block[]) =>
  new Set(
    blocks.flatMap(({ file, first, last }) =>
      Array.from({ length: last - first + 1 }, (_, i) => `${file}:${first + i}`),
    ),
  );
const overlaps = (one: Block, others: readonly Block[]) =>
  others.some(({ file, first, last }) => file === one.file && first <= one.last && last >= one.first);

interface Way {
  name: string;
  show: () => Promise<string> | string;
}
const outcomes: {
  way: string;
  id: string;
  tokens: number;
  file: Measured;
  block: Measured;
  line: Measured;
}[] = [];
const saved: unknown[] = [];

/** Words of an issue that look like code; its longer words where there are none. */
function listGrepWords(text: string): string[] {
  const words = text.match(/[A-Za-z_$][\w$]{3,}/g) ?? [];
  const isCode = (word: string) => /[a-z][A-Z]|_|\$|[A-Z]{2}/.test(word);
  const quoted = new Set([...text.matchAll(/`([\w$]{3,})`/g)].map(([, word]) => word!));
  const spelled = words.filter((word) => isCode(word) || quoted.has(word));
  const plain = words.filter((word) => word.length > 5 && !stopWords.has(word.toLowerCase()));
  return [...new Set(spelled.length > 0 ? spelled : plain)].slice(0, 20);
}

for (const task of tasks) {
  const { original_inst_id: id, repo, base_commit: base, problem_statement: text } = task;
  const where = { id, repo, base, text, files: [] };
  if (runGit(mirrorDir(mirrors, repo), "cat-file", "-t", base) !== "commit") continue;
  const { project, index } = await openIndexed(where, { mirrors, work, like: null });
  await index.close();
  const files = new Set(runGit(project.root, "ls-files").split("\n"));
  const wanted = readGold(task.gold_context, files);
  const wantedLines = listLines(wanted);
  const wantedFiles = new Set(wanted.map(({ file }) => file));
  const ways: Way[] = [
    {
      name: "code",
      show: async () => {
        const request = { query: text.slice(0, 20_000) };
        const signal = new AbortController().signal;
        return wordCode(await readCode({ project }, request, { signal } as Parameters<typeof readCode>[2]), {
          ...request,
          maxTokens,
        });
      },
    },
    {
      name: "grep, windows",
      show: () => {
        const words = listGrepWords(text);
        const isSource = (file: string) => classifyPath(file) === "source";
        return words.length === 0 ? "" : readWindows(words.join("|"), project.root, { isSource, windows: 4 });
      },
    },
  ];
  if (options.codegraph !== undefined) {
    const program = options.codegraph;
    const copy = `${project.root}.codegraph`;
    if (!existsSync(copy)) {
      cpSync(project.root, copy, { recursive: true });
      printedBy(program, ["init", copy], copy);
    }
    ways.push({
      name: "codegraph explore",
      show: () => printedBy(program, ["explore", text.slice(0, 4000)], copy),
    });
  }
  for (const { name, show } of ways) {
    const printed = (await show()).slice(0, maxTokens * charactersOfToken);
    const { blocks, named } = readShown(printed, files);
    const lines = listLines(blocks);
    const rightFiles = [...named].filter((file) => wantedFiles.has(file)).length;
    const rightLines = [...lines].filter((line) => wantedLines.has(line)).length;
    const rightBlocks = blocks.filter((one) => overlaps(one, wanted)).length;
    const foundBlocks = wanted.filter((one) => overlaps(one, blocks)).length;
    outcomes.push({
      way: name,
      id,
      tokens: estimateTokens(printed),
      file: measure(rightFiles, named.size, rightFiles, wantedFiles.size),
      block: measure(rightBlocks, blocks.length, foundBlocks, wanted.length),
      line: measure(rightLines, lines.size, rightLines, wantedLines.size),
    });
    saved.push({ id, way: name, printed, wanted, blocks });
  }
  console.error(`${id.slice(0, 50)}: ${wanted.length} blocks`);
}
if (options.save) writeFileSync(options.save, JSON.stringify({ outcomes, saved }, null, 1));

const figure = (value: number) => value.toFixed(3);
const table = [...new Set(outcomes.map(({ way }) => way))].map((way) => {
  const some = outcomes.filter((one) => one.way === way);
  const levels = (["file", "block", "line"] as const).flatMap((level) =>
    (["precision", "recall", "f1"] as const).map((what) =>
      figure(average(some.map((one) => one[level][what]))),
    ),
  );
  return [way, `${some.length}`, average(some.map(({ tokens }) => tokens)).toFixed(0), ...levels];
});
printTable(
  ["", "tasks", "tokens", "file P", "R", "F1", "block P", "R", "F1", "line P", "R", "F1"],
  table,
  options,
);
console.log(`\n${tasks.length} of ${rows.length} tasks are of this half, and have their repository here.`);
