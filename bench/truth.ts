/**
 * Whether what Pommel says of the past is true: draws statements of every operation that makes some from any repository with
 * sessions, and prints each beside its raw evidence, for a reader.
 *
 *   npm run bench:truth -- REPO [options]
 *
 *   --sessions DIR     transcripts of Claude Code to import (default: what is recorded of REPO)
 *   --memory FILE      keep what was imported there for the next run, which only cuts sessions again if the rules have changed
 *   --of KINDS         outcome,open,title,how,fix,decision,why (default: all)
 *   --count N          statements of each kind (default: 20)
 *   --seed TEXT        what is drawn by
 *   --judgements FILE  the last reading: {"ID": {"true": true | false | null, "note": "..."}}. New statements are added with null,
 *                      for the reader to fill in; what was read before is not printed again
 *   --all              print what was read before as well
 *   --counts           hold the counts of all forms against the raw calls
 *   --markdown         print the table for Markdown
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import * as z from "zod/mini";
import { backfill } from "../src/attribution/checkpoints/backfill.ts";
import { makeNewProject } from "../src/base/paths.ts";
import { lookUpProject } from "../src/git/projects/find-project.ts";
import { createScrubber } from "../src/redact/create-scrubber.ts";
import { retitleByCommits } from "../src/sessions/summaries/retitle.ts";
import { Memory } from "../src/store/memory/memory.ts";
import { printTable, scratchDir } from "./measure.ts";
import { importerInto, importSessions } from "./recall/import.ts";
import { countForms } from "./truth/count-forms.ts";
import { drawers, idOf, kinds, type Statement } from "./truth/statements.ts";

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sessions: { type: "string" },
    memory: { type: "string" },
    of: { type: "string", default: kinds.join(",") },
    count: { type: "string", default: "20" },
    seed: { type: "string", default: "truth" },
    judgements: { type: "string" },
    all: { type: "boolean", default: false },
    counts: { type: "boolean", default: false },
    markdown: { type: "boolean", default: false },
  },
});
const [repository] = positionals;
if (repository === undefined) {
  console.error("usage: npm run bench:truth -- REPO [options, see bench/truth.ts]");
  process.exit(2);
}
const root = resolve(repository);
const memory = await openMemory();
const judgement = z.object({ true: z.nullable(z.boolean()), note: z.optional(z.string()) });
const file = options.judgements;
const judged: Record<string, z.infer<typeof judgement>> = file !== undefined && existsSync(file)
  ? z.parse(z.record(z.string(), judgement), JSON.parse(readFileSync(file, "utf8")))
  : {};
const wanted = kinds.filter((kind) => options.of.split(",").includes(kind));
const rows: string[][] = [];
for (const kind of wanted) {
  const draw = { memory, root, count: Number(options.count), seed: options.seed };
  const statements = await drawers[kind](draw);
  for (const statement of statements) print(statement);
  const read = statements.flatMap((one) => judged[idOf(one)]?.true ?? []);
  const right = read.filter((one) => one).length;
  rows.push([
    kind,
    `${statements.length}`,
    `${read.length}`,
    read.length === 0 ? "-" : (right / read.length).toFixed(3),
  ]);
}
printTable(["kind", "drawn", "read", "true"], rows, options);
if (options.counts) {
  const { forms, runs, wrong, under } = countForms(memory);
  console.log(`\n${forms} forms of ${runs} runs: ${wrong.length} counted that no call has`);
  for (const { form, counted, calls } of wrong) console.log(`  ${form}: counted ${counted}, calls ${calls}`);
  for (const { program, counted, calls } of under)
    console.log(`  ${program}: ${counted} of ${calls} calls are counted`);
}
if (file !== undefined) writeFileSync(file, `${JSON.stringify(judged, null, 2)}\n`);
memory.close();

function print(statement: Statement): void {
  const id = idOf(statement);
  const known = judged[id];
  judged[id] ??= { true: null };
  if (known !== undefined && known.true !== null && !options.all) return;
  const read = known?.true == null ? "" : ` read: ${known.true} ${known.note ?? ""}`;
  console.log(`\n=== ${statement.kind} ${id} of ${statement.of.split("\n", 1)[0]!.slice(0, 160)}${read}`);
  for (const one of statement.evidence) console.log(`  | ${one.replaceAll("\n", "\n  | ")}`);
  console.log(`SAYS ${statement.text.replaceAll("\n", "\n     ")}`);
}

/** The recorded memory; or one of transcripts, with the commits that they led to. */
async function openMemory(): Promise<Memory> {
  if (options.memory !== undefined && existsSync(options.memory)) {
    const { memory: kept, recut } = importerInto(resolve(options.memory), options.sessions ?? root);
    await recut();
    return kept;
  }
  if (options.sessions === undefined) {
    const { memoryDb } = await lookUpProject(root);
    return Memory.open(memoryDb, { readonly: true });
  }
  const place = resolve(options.memory ?? join(scratchDir("truth"), "memory.db"));
  mkdirSync(dirname(place), { recursive: true });
  process.env.POMMEL_HOME = join(scratchDir("truth-home"), "home");
  const imported = await importSessions(options.sessions, place);
  await backfill({
    memory: imported.memory,
    project: makeNewProject(root),
    roots: [root],
    trustsTrailers: false,
    scrubber: createScrubber({ globalFile: "", projectFile: null, pii: false }),
    log: { debug() {}, info() {}, warn: console.error, error: console.error },
  });
  retitleByCommits(imported.memory);
  return imported.memory;
}
