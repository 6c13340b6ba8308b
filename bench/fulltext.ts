/**
 * The time of full-text search in sessions, by how many chunks a memory has.
 *
 *   npm run bench:fulltext -- --sessions DIR --questions FILE
 *
 *   --chunks LIST     sizes (default: 5k,50k,250k)
 *   --memory FILE     keeps what was imported there for the next run, and each size beside it (default: a temporary file)
 *   --rounds N        asks every question so often, each time after the memory was opened anew (default: 3)
 *
 * DIR and FILE are those of bench:recall. The chunks of these sessions are used again until there are enough: a word is in as large
 * a share of all chunks as it really is. Times are CPU time of this process, in milliseconds, of questions that meet none of their
 * words for the second time.
 */
import { copyFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { analyseQuery } from "../src/code/search/query.ts";
import { sessionWeights } from "../src/sessions/search/weights.ts";
import { allChunks } from "../src/store/memory/chunks/chunk-filter.ts";
import { chooseRareTokens, matchSessionTokens } from "../src/store/memory/chunks/chunk-lookup.ts";
import { Memory } from "../src/store/memory/memory.ts";
import { countRowsByToken } from "../src/store/sqlite/full-text.ts";
import { percentile, printTable, scratchDir } from "./measure.ts";
import { importSessions, loadQuestions } from "./recall/import.ts";

const { values: options } = parseArgs({
  options: {
    sessions: { type: "string" },
    questions: { type: "string" },
    chunks: { type: "string", default: "5k,50k,250k" },
    memory: { type: "string" },
    rounds: { type: "string", default: "3" },
  },
});
if (!options.sessions || !options.questions) {
  console.error(
    "usage: npm run bench:fulltext -- --sessions DIR --questions FILE [options, see bench/fulltext.ts]",
  );
  process.exit(2);
}

const scratch = scratchDir("fulltext");
const imported = options.memory ?? join(scratch, "imported.db");
if (!existsSync(imported)) (await importSessions(options.sessions, imported)).memory.close();
const questions = findQuestions(options.questions);
const { columns, maxTextMatches } = sessionWeights;
const rows: string[][] = [];
for (const size of options.chunks.split(",")) {
  const file = `${imported}.${size}`;
  const chunks = Number.parseFloat(size) * (size.endsWith("k") ? 1000 : 1);
  if (!existsSync(file)) {
    copyFileSync(imported, file);
    fill(file, chunks);
  }
  const times: number[] = [];
  for (let round = 0; round < Number(options.rounds); round++) {
    for (const { tokens, rare } of questions) {
      const memory = Memory.open(file, { readonly: false });
      // What is read once for all questions is there before any is asked, as in a daemon.
      matchSessionTokens(memory, ["pommel"], columns, 1, allChunks);
      const before = process.cpuUsage();
      countRowsByToken(memory, "chunk_terms", tokens);
      matchSessionTokens(memory, rare, columns, maxTextMatches, allChunks);
      const { user, system } = process.cpuUsage(before);
      times.push((user + system) / 1000);
      memory.close();
    }
  }
  rows.push([String(chunks), ...[50, 95].map((percent) => percentile(times, percent).toFixed(1))]);
}
printTable(["chunks", "p50", "p95"], rows, { markdown: true });

/** The tokens of each question; which of them are rare, is the same in memories of any size. */
function findQuestions(file: string): { tokens: readonly string[]; rare: readonly string[] }[] {
  const memory = Memory.open(imported, { readonly: true });
  const found = loadQuestions(file).map(({ question }) => {
    const { tokens } = analyseQuery(question);
    return { tokens, rare: chooseRareTokens(memory, tokens) };
  });
  memory.close();
  return found;
}

/** Repeats rows of the full-text index, or leaves some out, until it has so many. */
function fill(file: string, wanted: number): void {
  const memory = Memory.open(file, { readonly: false });
  memory.exec("CREATE VIRTUAL TABLE temp.places USING fts5vocab (main, chunk_terms, instance)");
  const names = ["prompt", "answer", "actions", "errors"];
  const texts = new Map<number, string[][]>();
  for (const { doc, col, offset, term } of memory.all<{
    doc: number;
    col: string;
    offset: number;
    term: string;
  }>("SELECT doc, col, offset, term FROM temp.places")) {
    const streams = texts.get(doc) ?? names.map(() => []);
    streams[names.indexOf(col)]![offset] = term;
    texts.set(doc, streams);
  }
  memory.exec("DELETE FROM chunk_terms; DELETE FROM chunk_terms_lengths");
  const put = memory.prepare(
    "INSERT INTO chunk_terms (rowid, prompt, answer, actions, errors) VALUES (?, ?, ?, ?, ?)",
  );
  const measure = memory.prepare("INSERT INTO chunk_terms_lengths (id, words) VALUES (?, ?)");
  const all = [...texts.values()];
  memory.runInTransaction(() => {
    for (let row = 1; row <= wanted; row++) {
      const streams = all[row % all.length]!;
      put.run(row, ...streams.map((words) => words.join(" ")));
      measure.run(
        row,
        streams.reduce((sum, words) => sum + words.length, 0),
      );
    }
  });
  memory.exec("INSERT INTO chunk_terms (chunk_terms) VALUES ('optimize')");
  memory.close();
}
