/**
 * How long a question waits on a busy machine: while everything is indexed and imported for the first time, beside programs that
 * take all processors.
 *
 *   npm run bench:busy -- --source DIR --transcripts DIR [--loops 8] [--seconds 60] [--program DIR] [--page] [--json]
 *
 *   --source DIR       a git repository; a clone of it is indexed
 *   --transcripts DIR  transcripts of Claude Code, imported as if they were sessions held there
 *   --loops N          busy loops beside it; 0: none (default: 8)
 *   --seconds S        how long to ask (default: 60)
 *   --program DIR      another build of Pommel to start, for a comparison (default: this one)
 *   --page             also open the page in Chromium
 *   --first            only the first minutes: the first search, the vault, set-up until its finding, and automatic context
 *
 * The operations are asked in turn, one at a time, over the socket that every face uses; `pm` is started as a shell does. Each row
 * has the median, the 95th percentile and the longest time, in milliseconds by the clock.
 *
 * With `--first`, each is measured in a home of its own in which nothing is known. A hook tells in time if it says something
 * before its client would have given it up (10 s).
 */
import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs, promisify } from "node:util";
import type { Operation, RequestOf } from "../src/answers/operation.ts";
import { callDaemon } from "../src/client/daemon-client.ts";
import { blame } from "../src/features/blame/operation.ts";
import { listCheckpoints } from "../src/features/checkpoints/operation.ts";
import { listDecisions } from "../src/features/decisions/operation.ts";
import { sumUp } from "../src/features/digest/operation.ts";
import { findFiles } from "../src/features/files/operation.ts";
import { fix } from "../src/features/fix/operation.ts";
import { handOver } from "../src/features/handoff/operation.ts";
import { how } from "../src/features/how/operation.ts";
import { listProjects } from "../src/features/projects/operation.ts";
import { findRelated } from "../src/features/related/operation.ts";
import { reviewChange } from "../src/features/review/operation.ts";
import { searchAll, searchCode, searchHistory, searchTranscripts } from "../src/features/search/operation.ts";
import { listSessions, readTurns, showSession } from "../src/features/sessions/operation.ts";
import { showStats } from "../src/features/stats/operation.ts";
import { showStatus } from "../src/features/status/operation.ts";
import { why } from "../src/features/why/operation.ts";
import { readDaemonRecord } from "../src/protocol/daemon-record.ts";
import { measureContext } from "./busy/context.ts";
import { percentile, printTable, scratchDir } from "./measure.ts";
import { usageOf } from "./speed.ts";

const { values: options } = parseArgs({
  options: {
    source: { type: "string" },
    transcripts: { type: "string" },
    loops: { type: "string", default: "8" },
    seconds: { type: "string", default: "60" },
    program: { type: "string", default: resolve(import.meta.dirname, "..") },
    page: { type: "boolean", default: false },
    first: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
  },
});
if (!options.source || !options.transcripts) {
  console.error("usage: npm run bench:busy -- --source DIR --transcripts DIR [options, see bench/busy.ts]");
  process.exit(2);
}

/** Nobody waits longer for an answer. */
const timeoutMs = 60_000;
const work = scratchDir("busy");
const root = join(work, "repo");
const pm = join(resolve(options.program), "bin/pm.cjs");
Object.assign(process.env, { HOME: join(work, "home"), POMMEL_HOME: join(work, "pommel") });
mkdirSync(process.env.HOME!);
execFileSync("git", ["clone", "--quiet", resolve(options.source), root]);

function listTranscripts(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return names.filter((name) => name.endsWith(".jsonl"));
}

/** Puts the transcripts where the client would have them, had they been held here. @returns their sessions */
function putTranscripts(from: string): string[] {
  const folder = join(process.env.HOME!, ".claude/projects", root.replace(/[^A-Za-z0-9]/g, "-"));
  mkdirSync(folder, { recursive: true });
  return listTranscripts(from).map((name) => {
    const text = readFileSync(join(from, name), "utf8");
    const cwd = /"cwd":"([^"]+)"/.exec(text)?.[1];
    const own = basename(name);
    writeFileSync(join(folder, own), cwd === undefined ? text : text.replaceAll(cwd, root));
    return basename(own, ".jsonl");
  });
}
const transcripts = putTranscripts(resolve(options.transcripts));
const sources = execFileSync("git", ["-C", root, "ls-files"], { encoding: "utf8" })
  .split("\n")
  .filter((path) => /\.(?:ts|js|py|go|rs|java|c)$/.test(path));

const runPm = (...args: string[]) =>
  execFileSync(process.execPath, [pm, ...args], {
    cwd: root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });

/** By what was asked: milliseconds, and what failed. */
const rows = new Map<string, { times: number[]; failures: string[] }>();
async function time(what: string, ask: () => unknown): Promise<void> {
  const row = rows.get(what) ?? { times: [], failures: [] };
  rows.set(what, row);
  const start = performance.now();
  try {
    await ask();
  } catch (error) {
    row.failures.push(error instanceof Error ? error.message : String(error));
  }
  row.times.push(performance.now() - start);
}

const words = [
  "route matching",
  "where is the response cached",
  "parse the cookie header",
  "why was this reverted",
];
let turn = 0;
const pick = <T>(values: readonly T[]): T => values[turn % values.length]!;
/** Sessions that were read by now. */
let sessions: string[] = [];
const question = <O extends Operation>(operation: O, request: () => RequestOf<O>) => ({
  name: operation.name,
  ask: () => callDaemon(root, operation, request(), timeoutMs),
});
const place = () => ({ file: pick(sources), first_line: 1 });
const questions = [
  question(searchCode, () => ({ q: pick(words) })),
  question(searchTranscripts, () => ({ q: pick(words) })),
  question(searchHistory, () => ({ q: pick(words) })),
  question(searchAll, () => ({ q: pick(words) })),
  question(why, place),
  question(blame, () => ({ file: pick(sources) })),
  question(reviewChange, () => ({ range: "HEAD" })),
  question(findRelated, () => ({ file: [pick(sources)] })),
  question(findFiles, () => ({ q: "index" })),
  question(listCheckpoints, () => ({})),
  question(listDecisions, () => ({})),
  question(how, () => ({ q: "run the tests" })),
  question(fix, () => ({ error: "TypeError: Cannot read properties of undefined" })),
  question(sumUp, () => ({})),
  question(showStats, () => ({})),
  question(showStatus, () => ({})),
  question(listProjects, () => ({})),
  question(listSessions, () => ({})),
  question(showSession, () => ({ id: pick(sessions) })),
  question(readTurns, () => ({ session: pick(sessions) })),
  question(handOver, () => ({ id: pick(sessions) })),
];
const needSession = new Set<string>([showSession.name, readTurns.name, handOver.name]);

async function openPage(): Promise<void> {
  const { chromium } = await import("playwright-core");
  const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
  try {
    const page = await browser.newPage();
    const address = /http\S+/.exec(runPm("open", "--no-browser"))![0];
    await time("page: first paint", async () => {
      await page.goto(address);
      await page.locator("main").first().waitFor();
    });
  } finally {
    await browser.close();
  }
}

/** Each of these begins in a home in which nothing is known. */
async function measureFirstMinutes(): Promise<void> {
  const begin = (name: string) => {
    process.env.POMMEL_HOME = join(work, name);
  };
  begin("first search");
  await time("first search, never seen: a process", () => runPm("search", words[0]!));
  runPm("daemon", "stop");
  begin("set-up");
  const setUp = promisify(execFile)(process.execPath, [pm, "setup", "--yes", "--json"], { cwd: root });
  await Promise.all([
    time("pm setup: until the vault has all transcripts", () =>
      waitForVault(join(work, "set-up/data/vault")),
    ),
    time("pm setup: until it has ended, with a finding", async () => {
      if (!JSON.parse((await setUp).stdout).finding) throw new Error("it found nothing");
    }),
  ]);
  runPm("daemon", "stop");
}

async function waitForVault(vault: string): Promise<void> {
  for (const until = performance.now() + timeoutMs; ; await sleep(20)) {
    const { length } = listTranscripts(vault);
    if (length >= transcripts.length) return;
    if (performance.now() > until) throw new Error(`after ${timeoutMs / 1000} s it has ${length}`);
  }
}

async function measureQuestions(): Promise<void> {
  await time("pm init", () => runPm("init", "--yes", "--no-start", "--no-import"));
  await time("pm start", () => runPm("daemon", "start"));
  // Shows its progress until it is killed; the import goes on.
  beside.push(spawn(process.execPath, [pm, "import", "claude", "--yes"], { cwd: root, stdio: "ignore" }));
  const until = performance.now() + Number(options.seconds) * 1000;
  const watch = setInterval(() => {
    const pid = readDaemonRecord()?.pid;
    if (pid !== undefined) peak = Math.max(peak, usageOf(pid).rssMb);
  }, 500);
  for (; performance.now() < until; turn++) {
    sessions = (await callDaemon(root, listSessions, {}, timeoutMs)).sessions.map(({ id }) => id);
    for (const { name, ask } of questions)
      if (!needSession.has(name) || sessions.length > 0) await time(name, ask);
    await time("node -e 0", () => execFileSync(process.execPath, ["-e", "0"]));
    await time("pm search", () => runPm("search", pick(words)));
    await time("pm status", () => runPm("status"));
  }
  if (options.page) await openPage();
  clearInterval(watch);
}

/** Starts, alone and several at once, and what is told at a compaction and at an edit. */
async function measureHooks(): Promise<void> {
  const results = await measureContext({ pm, loops: Number(options.loops), runs: 50, atOnce: [1, 2, 4, 8] });
  for (const { moment, atOnce, runs, told, timesMs } of results) {
    const late = Array.from({ length: runs - told }, () => "nothing was told in time");
    rows.set(`context: ${moment}, ${atOnce} at once`, { times: timesMs, failures: late });
  }
}

/** What runs beside the questions. */
const beside: ChildProcess[] = [];
for (let i = 0; i < Number(options.loops); i++)
  beside.push(spawn(process.execPath, ["-e", "for (;;);"], { stdio: "ignore" }));
let peak = 0;
const started = performance.now();
try {
  await (options.first ? measureFirstMinutes() : measureQuestions());
} finally {
  for (const one of beside) one.kill();
  runPm("daemon", "stop");
  await sleep(500);
}
if (options.first) await measureHooks();

const table = [...rows].map(([what, { times, failures }]) => ({
  what,
  asked: times.length,
  p50: Math.round(percentile(times, 50)),
  p95: Math.round(percentile(times, 95)),
  longest: Math.round(Math.max(...times)),
  failures,
}));
if (options.json) console.log(JSON.stringify({ rows: table, peak_rss_mb: Math.round(peak) }, null, 2));
else {
  printTable(
    ["asked", "times", "p50 ms", "p95 ms", "longest ms", "failed"],
    table.map(({ what, asked, p50, p95, longest, failures }) =>
      [what, asked, p50, p95, longest, failures.length].map(String),
    ),
    { markdown: true },
  );
  console.log(
    `\n${options.loops} busy loops, ${Math.round((performance.now() - started) / 1000)} s; the daemon's peak: ${Math.round(peak)} MB`,
  );
  for (const { what, failures } of table)
    for (const failure of new Set(failures)) console.log(`${what}: ${failure}`);
}
