/**
 * Recall of session search: whether questions find the session, and the lines in it, that answer them.
 *
 *   npm run bench:recall -- --sessions DIR --questions FILE
 *
 *   --memory FILE      keep what was imported there for the next run (default: a temporary file)
 *   --mined FILE       also questions mined from the sessions, of which no weight has seen any: FILE [{session_id,
 *                      commits: [{subject}]}] says which commits a session led to (bench/recall/mined.ts)
 *   --dialogues DIR    also dialogues between people, in the format of LoCoMo
 *   --markdown         print tables for Markdown
 *   --json             print everything, down to each question
 *   --misses           also print the questions whose session did not come first
 *
 * DIR holds transcripts of Claude Code, FILE [{id, category, question, relevant_sessions: [file name without .jsonl],
 * evidence: [{session_id, line_uuid}]}].
 */

import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { QueryEmbedder } from "../src/code/search/vectors/query-embedder.ts";
import { createStaticEmbedder } from "../src/models/embed/static/static-embedder.ts";
import type { SearchMode } from "../src/protocol/values.ts";
import { SessionSearch } from "../src/sessions/search/engine.ts";
import { sessionWeights } from "../src/sessions/search/weights.ts";
import { Memory } from "../src/store/memory/memory.ts";
import { listTranscripts } from "../src/store/memory/sessions/transcripts.ts";
import { scratchDir } from "./measure.ts";
import { askDialogues } from "./recall/dialogues.ts";
import { type Imported, importSessions, loadQuestions } from "./recall/import.ts";
import { mineQuestions } from "./recall/mined.ts";
import { type Answered, askAll, figuresOf, timesOf } from "./recall/run.ts";

const { values: options } = parseArgs({
  options: {
    sessions: { type: "string" },
    questions: { type: "string" },
    memory: { type: "string" },
    mined: { type: "string" },
    dialogues: { type: "string" },
    markdown: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    misses: { type: "boolean", default: false },
  },
});

if (!options.sessions || !options.questions) {
  console.error(
    "usage: npm run bench:recall -- --sessions DIR --questions FILE [options, see bench/recall.ts]",
  );
  process.exit(2);
}

const modes: SearchMode[] = ["fts", "semantic", "hybrid"];
const scratch = scratchDir("recall");
const { memory, sessions, ...cost } = await open(options.memory ?? join(scratch, "memory.db"));
const questions = loadQuestions(options.questions);
const search = new SessionSearch({
  root: options.sessions,
  memory,
  embedder: new QueryEmbedder({ first: createStaticEmbedder() }),
});
const byMode = new Map<SearchMode, Answered[]>();
for (const mode of modes) byMode.set(mode, await askAll(search, memory, sessions, questions, mode));
const times = await timesOf(search, questions);
const mined = options.mined ? await askMined(memory, sessions, options.sessions, options.mined) : [];
memory.close();
const dialogues = options.dialogues ? await askDialogues(options.dialogues) : null;
if (options.json) {
  console.log(
    JSON.stringify({ cost, times, answers: Object.fromEntries(byMode), mined, dialogues }, null, 2),
  );
} else {
  print(rowsOf(byMode));
  if (mined.length > 0) {
    console.log();
    print(byCategory("mined", mined));
  }
  const at = (share: number) => times[Math.floor(times.length * share)]!.toFixed(1);
  console.log(`\nengine, ten results: p50 ${at(0.5)} ms, p95 ${at(0.95)} ms`);
  if (cost.seconds > 0) {
    const megabytes = cost.bytes / 1e6;
    console.log(
      `\nimported ${sessions.size} sessions, ${megabytes.toFixed(0)} MB, in ${cost.seconds.toFixed(1)} s ` +
        `(${(megabytes / cost.seconds).toFixed(1)} MB/s), at most ${(cost.peakRss / 1e6).toFixed(0)} MB of memory`,
    );
  }
  if (dialogues) {
    const line = ({ r5, r10 }: { r5: number; r10: number }) => `${r5.toFixed(3)} / ${r10.toFixed(3)}`;
    console.log(
      `\ndialogues, ${dialogues.questions} questions, evidence in the first 5 / 10 turns: ` +
        `words ${line(dialogues.words)}, hybrid ${line(dialogues.hybrid)}`,
    );
    for (const [name, { questions, r1, r5, r10 }] of Object.entries(dialogues.sessions)) {
      const figures = [r1, r5, r10].map((figure) => figure.toFixed(3)).join(" / ");
      console.log(`  ${name}, ${questions} questions, its sessions in the first 1 / 5 / 10: ${figures}`);
    }
  }
}
if (options.misses) {
  const text = new Map(questions.map(({ id, question }) => [id, question]));
  for (const { id, category, rank } of byMode.get("hybrid")!) {
    if (rank !== 1) console.log(`${rank ?? "-"}\t${category}\t${id}\t${text.get(id)}`);
  }
}

/** What an earlier run left, or all of it imported now. */
async function open(file: string): Promise<Imported> {
  if (!existsSync(file)) return importSessions(options.sessions!, file);
  const memory = Memory.open(file, { readonly: true });
  const sessions = new Map(
    listTranscripts(memory).map(({ path, sessionId }) => [basename(path, ".jsonl"), sessionId!]),
  );
  return { memory, sessions, seconds: 0, bytes: 0, peakRss: 0 };
}

type Row = readonly [name: string, answered: readonly Answered[]];

/** Titles are no evidence for questions that are one. */
async function askMined(
  memory: Memory,
  sessions: ReadonlyMap<string, number>,
  root: string,
  manifest: string,
): Promise<Answered[]> {
  const questions = mineQuestions(memory, sessions, manifest);
  const embedder = new QueryEmbedder({ first: createStaticEmbedder() });
  const withoutTitles = { ...sessionWeights, asked: { ...sessionWeights.asked, title: 0 } };
  const asked = (isOfTitle: boolean) => {
    const weights = isOfTitle ? withoutTitles : sessionWeights;
    const search = new SessionSearch({ root, memory, embedder, weights });
    const of = questions.filter(({ category }) => (category === "title") === isOfTitle);
    return askAll(search, memory, sessions, of, "hybrid");
  };
  return [...(await asked(false)), ...(await asked(true))];
}

function rowsOf(byMode: ReadonlyMap<SearchMode, readonly Answered[]>): Row[] {
  const rows: Row[] = [...byMode];
  const hybrid = byMode.get("hybrid")!;
  for (const half of ["choose", "confirm"] as const) {
    rows.push([`hybrid, ${half}`, hybrid.filter((one) => one.half === half)]);
  }
  return [...rows, ...byCategory("hybrid", hybrid)];
}

function byCategory(name: string, answered: readonly Answered[]): Row[] {
  return [...new Set(answered.map((one) => one.category))]
    .sort()
    .map((category) => [`${name}, ${category}`, answered.filter((one) => one.category === category)]);
}

function print(rows: readonly Row[]): void {
  const cells = rows.map(([name, answered]) => {
    const { questions, r1, r5, r10, mrr, evidence, named, sessions } = figuresOf(answered);
    const figures = [r1, r5, r10, mrr, evidence, named].map((figure) =>
      Number.isNaN(figure) ? "" : figure.toFixed(3),
    );
    return [name, String(questions), ...figures, sessions.toFixed(1)];
  });
  const head = ["", "questions", "R@1", "R@5", "R@10", "MRR", "evidence@10", "named@10", "sessions"];
  if (options.markdown) {
    const line = (row: readonly string[]) => `| ${row.join(" | ")} |`;
    console.log([line(head), line(head.map(() => "---")), ...cells.map(line)].join("\n"));
    return;
  }
  const widths = head.map((title, i) => Math.max(title.length, ...cells.map((row) => row[i]!.length)));
  for (const row of [head, ...cells]) {
    console.log(
      row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!))).join("  "),
    );
  }
}
