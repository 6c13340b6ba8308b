/**
 * What a first index, a first import, a second start, a branch switch and a pull cost: seconds by the clock, CPU seconds, memory at
 * most, bytes written, and the CPU seconds of each sort of thread. Linux only.
 *
 *   npm run bench:pace -- --source DIR ... [--transcripts DIR] [--program DIR ...] [--peers DIR] [--rounds 1] [--rest]
 *                      [--stages] [--only ROW,...] [--json]
 *
 *   --source DIR       a git repository; each round indexes a clone of it
 *   --transcripts DIR  transcripts of Claude Code, imported into an empty repository, and into the first source while that is indexed
 *   --program DIR      a build of Pommel; several are measured in turn (default: this one)
 *   --peers DIR        where `npm install @colbymchenry/codegraph` was run; `deja` is looked for on the PATH
 *   --rounds N         how often each row is measured; the medians are printed
 *   --rest             wait 40 seconds after each first index and import, and say what is held then
 *   --stages           once more with V8's profiler, for the first index and the first import: which share of a thread's time each stage
 *                      takes. Slower, so its own seconds are not shown: shares are applied to the CPU seconds of the other runs
 *   --only ROW,...     index, start, switch, pull, import, both (default: all)
 *
 * Each row has a home of its own. The clock says little where other work runs: compare programs within one run, and CPU seconds.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { callDaemon } from "../src/client/daemon-client.ts";
import { showQueue } from "../src/features/jobs/operation.ts";
import { readState } from "../src/features/status/operation.ts";
import { readDaemonRecord } from "../src/protocol/daemon-record.ts";
import { removeDirectory } from "../test/support/remove-directory.ts";
import { percentile, printTable, scratchDir } from "./measure.ts";
import { type Cost, until, watchCost } from "./pace/process-cost.ts";
import { buildReadable, readStages, type Stages, startProfiled } from "./pace/stages.ts";

const { values: options } = parseArgs({
  options: {
    source: { type: "string", multiple: true, default: [] },
    transcripts: { type: "string" },
    program: { type: "string", multiple: true, default: [resolve(import.meta.dirname, "..")] },
    peers: { type: "string" },
    rounds: { type: "string", default: "1" },
    only: { type: "string" },
    rest: { type: "boolean", default: false },
    stages: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
  },
});
const isWanted = (row: string) => options.only === undefined || options.only.split(",").includes(row);

/** Files that a pull or a switch changes at least, where the repository has a commit so far back. */
const changedFiles = 500;
/** Stages that take less of their thread's time are not shown. */
const minShare = 0.03;
/** The daemon gives back memory after it has rested so long. Milliseconds. */
const restMs = 40_000;

const work = scratchDir("pace");
Object.assign(process.env, { HOME: join(work, "home"), POMMEL_HOME: join(work, "pommel") });

interface Measured extends Cost {
  row: string;
  program: string;
  seconds: number;
  /** Until all code could be searched; null where that is not the question. */
  codeSeconds: number | null;
  /** What is held at the end. */
  restMb: number | null;
}

const measured: Measured[] = [];
/** Said at once: a long run may be ended before its table. */
function note(one: Measured): void {
  measured.push(one);
  console.error(
    `${one.row}, ${one.program}: ${one.seconds.toFixed(1)} s, ${one.cpuSeconds.toFixed(1)} CPU s, ${one.ownMb.toFixed(0)} MB, ` +
      `${one.writtenMb.toFixed(0)} MB written`,
  );
}
const git = (root: string, ...args: string[]) =>
  execFileSync("git", ["-C", root, ...args], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
    maxBuffer: 1e9,
  });

function clone(source: string): string {
  const root = join(work, basename(source));
  rmSync(root, { recursive: true, force: true });
  execFileSync("git", ["clone", "--quiet", resolve(source), root]);
  return root;
}

/** A home in which nothing was done yet. */
function emptyHome(): void {
  for (const name of ["HOME", "POMMEL_HOME"]) {
    removeDirectory(process.env[name]!);
    mkdirSync(process.env[name]!, { recursive: true });
  }
}

/** What one build of Pommel does. */
class Program {
  constructor(readonly directory: string) {}

  get name(): string {
    return options.program.length === 1 ? "pommel" : basename(this.directory);
  }

  private readable: Program | null = null;

  /** The same with names in its profiles. */
  makeReadable(): Program {
    const at = join(work, `readable-${basename(this.directory)}`);
    this.readable ??= new Program(buildReadable(this.directory, at));
    return this.readable;
  }

  start(cwd: string, ...args: string[]): ChildProcess {
    return spawn(process.execPath, [join(this.directory, "bin/pm.cjs"), "-C", cwd, ...args], {
      stdio: "ignore",
    });
  }

  async run(cwd: string, ...args: string[]): Promise<void> {
    const child = this.start(cwd, ...args);
    const code = await new Promise((done) => child.once("exit", done));
    if (code !== 0) throw new Error(`pm ${args.join(" ")} exited with ${code}`);
  }
}

/** CPU seconds of the processes that this one has waited for. */
const childrenSeconds = () => {
  const fields = readFileSync("/proc/self/stat", "latin1")
    .replace(/^.*\) /, "")
    .split(" ");
  return (Number(fields[13]) + Number(fields[14])) / 100;
};

/** The daemon that runs, once it does; `doing` may start it. */
async function costOf(
  row: string,
  program: Program,
  {
    doing,
    isCodeDone,
    isDone,
    rests = false,
  }: {
    doing: () => Promise<unknown>;
    isCodeDone?: () => Promise<boolean>;
    isDone: () => Promise<boolean>;
    rests?: boolean;
  },
): Promise<void> {
  const ran = childrenSeconds();
  const known = readDaemonRecord()?.pid ?? null;
  let watch = known === null ? null : watchCost(known, 200);
  const before = watch?.stop() ?? null;
  watch = known === null ? null : watchCost(known, 200);
  const start = performance.now();
  const done = doing();
  await until(() => (readDaemonRecord()?.pid ?? 0) > 0, "a daemon");
  watch ??= watchCost(readDaemonRecord()!.pid, 200);
  let codeSeconds: number | null = null;
  const seconds = () => (performance.now() - start) / 1000;
  await until(async () => {
    if (codeSeconds === null && isCodeDone !== undefined && (await isCodeDone())) codeSeconds = seconds();
    return isDone();
  }, row);
  const took = seconds();
  await done;
  const cost = watch.stop();
  const { pid } = readDaemonRecord()!;
  if (rests) await sleep(restMs);
  const restMb = rests
    ? Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024
    : null;
  note({
    row,
    program: program.name,
    seconds: took,
    codeSeconds,
    restMb,
    ownMb: cost.ownMb,
    peakMb: cost.peakMb,
    cpuSeconds: cost.cpuSeconds - (before?.cpuSeconds ?? 0) + childrenSeconds() - ran,
    writtenMb: cost.writtenMb - (before?.writtenMb ?? 0),
    threads: new Map([...cost.threads].map(([name, cpu]) => [name, cpu - (before?.threads.get(name) ?? 0)])),
  });
}

const queueOf = (root: string) => callDaemon(root, showQueue, {}, 60_000).catch(() => null);

/** Whether the first look at the code, or a later one, has found something and is over. */
function codeQuestions(root: string, { mustWork = true } = {}) {
  let hasWorked = !mustWork;
  const look = async () => {
    const queue = await queueOf(root);
    if (queue !== null && (queue.pending > 0 || queue.done > 0) && !queue.code_is_idle) hasWorked = true;
    return queue;
  };
  return {
    isCodeDone: async () => {
      const queue = await look();
      return hasWorked && queue !== null && queue.pending === 0;
    },
    isDone: async () => {
      const queue = await look();
      return hasWorked && queue?.code_is_idle === true;
    },
  };
}

async function index(program: Program, source: string): Promise<void> {
  emptyHome();
  const root = clone(source);
  const name = basename(source);
  try {
    if (isWanted("index"))
      await costOf(`index ${name}`, program, {
        doing: () => program.run(root, "init", "--yes"),
        ...codeQuestions(root),
        rests: options.rest,
      });
    else {
      await program.run(root, "init", "--yes");
      await until(codeQuestions(root).isDone, "the index");
    }
    if (isWanted("start")) {
      await program.run(root, "stop");
      await costOf(`second start, ${name}`, program, {
        doing: async () => {
          await program.run(root, "start");
          await callDaemon(root, readState, {}, 60_000);
        },
        isDone: codeQuestions(root, { mustWork: false }).isDone,
      });
    }
    const ancestor = isWanted("switch") || isWanted("pull") ? ancestorBehind(root) : null;
    if (ancestor === null) return;
    const { commit, files } = ancestor;
    const branch = git(root, "symbolic-ref", "--short", "HEAD").trim();
    await costOf(`switch to a branch, ${files} files, ${name}`, program, {
      doing: async () => git(root, "switch", "--quiet", "-c", "before", commit),
      isDone: codeQuestions(root).isDone,
    });
    if (!isWanted("pull")) return;
    git(root, "branch", "--force", branch, commit);
    git(root, "switch", "--quiet", branch);
    await costOf(`git pull, ${files} files, ${name}`, program, {
      doing: async () => git(root, "pull", "--quiet", "--ff-only"),
      isDone: codeQuestions(root).isDone,
    });
  } finally {
    await program.run(root, "stop");
  }
}

/** The nearest first parent that differs in so many files; null: none does. */
function ancestorBehind(root: string): { commit: string; files: number } | null {
  const commits = git(root, "rev-list", "--first-parent", "--max-count=4000", "HEAD").trim().split("\n");
  const changed = (commit: string) => git(root, "diff", "--name-only", commit, "HEAD").split("\n").length - 1;
  for (const step of [10, 20, 40, 80, 160, 320, 640, 1280, 2560]) {
    const commit = commits[step];
    if (commit === undefined) return null;
    const files = changed(commit);
    if (files >= changedFiles) return { commit, files };
  }
  return null;
}

/** By row and program. */
const stagesOf = new Map<string, Stages>();
const nameRun = (row: string, program: Program) => `${row}\0${program.name}`;

/** Does it once more, with a daemon that writes profiles. */
async function profile(
  row: string,
  program: Program,
  prepare: () => string,
  doing: (readable: Program, root: string) => Promise<unknown>,
): Promise<void> {
  emptyHome();
  const root = prepare();
  const readable = program.makeReadable();
  const profiles = join(work, `profiles-${stagesOf.size}`);
  const daemon = startProfiled(readable.directory, profiles);
  const ended = new Promise((done) => daemon.once("exit", done));
  try {
    await until(() => (readDaemonRecord()?.pid ?? 0) > 0, "a daemon");
    await doing(readable, root);
  } finally {
    await readable.run(root, "stop");
    await ended;
  }
  stagesOf.set(nameRun(row, program), readStages(profiles));
}

async function profileIndex(program: Program, source: string): Promise<void> {
  await profile(
    `index ${basename(source)}`,
    program,
    () => clone(source),
    async (readable, root) => {
      await readable.run(root, "init", "--yes");
      await until(codeQuestions(root).isDone, "the index");
    },
  );
}

const runImport = (program: Program, root: string, transcripts: string) =>
  program.run(root, "import", "claude", transcripts, "--all-projects", "--yes");
const isImported = async (root: string) => (await queueOf(root))?.is_idle === true;

async function profileImport(program: Program, transcripts: string): Promise<void> {
  await profile("import", program, makeEmptyRepository, async (readable, root) => {
    await readable.run(root, "init", "--yes");
    await runImport(readable, root, transcripts);
    await until(() => isImported(root), "the import");
  });
}

function makeEmptyRepository(): string {
  const root = join(work, "empty");
  rmSync(root, { recursive: true, force: true });
  mkdirSync(root);
  git(root, "init", "--quiet");
  writeFileSync(join(root, "readme.md"), "# Nothing\n");
  git(root, "add", ".");
  git(root, "-c", "user.name=a", "-c", "user.email=a@localhost", "commit", "--quiet", "-m", "first");
  return root;
}

async function importAll(program: Program, transcripts: string): Promise<void> {
  emptyHome();
  const root = makeEmptyRepository();
  try {
    await program.run(root, "init", "--yes");
    await until(codeQuestions(root, { mustWork: false }).isDone, "the index");
    let isOver = false;
    await costOf("import", program, {
      doing: async () => {
        await runImport(program, root, transcripts);
        isOver = true;
      },
      isDone: async () => isOver && (await isImported(root)),
      rests: options.rest,
    });
  } finally {
    await program.run(root, "stop");
  }
}

/** Transcripts where the client would have them, had they been held here. */
function putTranscripts(root: string, from: string): void {
  const folder = join(process.env.HOME!, ".claude/projects", root.replace(/[^A-Za-z0-9]/g, "-"));
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(from, { recursive: true, encoding: "utf8" })) {
    if (!name.endsWith(".jsonl")) continue;
    const text = readFileSync(join(from, name), "utf8");
    const cwd = /"cwd":"([^"]+)"/.exec(text)?.[1];
    writeFileSync(join(folder, basename(name)), cwd === undefined ? text : text.replaceAll(cwd, root));
  }
}

/** What a newcomer has: a repository and a past, both read for the first time. */
async function both(program: Program, source: string, transcripts: string): Promise<void> {
  emptyHome();
  const root = clone(source);
  putTranscripts(root, transcripts);
  try {
    const { isCodeDone } = codeQuestions(root);
    await costOf(`index ${basename(source)} and import at once`, program, {
      doing: () => program.run(root, "init", "--yes"),
      isCodeDone,
      isDone: async () => (await isCodeDone()) && (await queueOf(root))?.is_idle === true,
      rests: options.rest,
    });
  } finally {
    await program.run(root, "stop");
  }
}

/** A peer's command, from its start to its end. */
async function peer(
  row: string,
  name: string,
  command: string,
  args: readonly string[],
  cwd: string,
): Promise<void> {
  const ran = childrenSeconds();
  const start = performance.now();
  const child = spawn(command, args, { cwd, stdio: "ignore" });
  const watch = watchCost(child.pid!);
  const code = await new Promise((done) => child.once("exit", done));
  const seconds = (performance.now() - start) / 1000;
  const cost = watch.stop();
  if (code !== 0) console.error(`${name} exited with ${code}`);
  note({
    ...cost,
    row,
    program: name,
    seconds,
    codeSeconds: null,
    restMb: null,
    cpuSeconds: childrenSeconds() - ran,
  });
}

const codegraph = options.peers && join(resolve(options.peers), "node_modules/.bin/codegraph");
const hasDeja = spawnSync("deja", ["--version"], { stdio: "ignore" }).status === 0;
if (!codegraph || !existsSync(codegraph)) console.error("codegraph is not installed: see --peers.");
if (!hasDeja) console.error("deja is not installed.");

async function peersIndex(source: string): Promise<void> {
  if (!codegraph || !existsSync(codegraph) || !isWanted("index")) return;
  emptyHome();
  await peer(`index ${basename(source)}`, "codegraph", codegraph, ["init", "--yes"], clone(source));
  spawnSync(codegraph, ["daemon", "stop", "--all"], { stdio: "ignore", timeout: 5000 });
}

async function peersImport(transcripts: string): Promise<void> {
  if (!hasDeja || !isWanted("import")) return;
  emptyHome();
  cpSync(transcripts, join(process.env.HOME!, ".claude/projects/-work"), { recursive: true });
  await peer("import", "deja", "deja", ["index"], work);
}

for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.on(signal, () => {
    const pid = readDaemonRecord()?.pid;
    if (pid !== undefined) process.kill(pid);
    process.exit(1);
  });

const programs = options.program.map((directory) => new Program(resolve(directory)));
const transcripts = options.transcripts && resolve(options.transcripts);
for (let round = 0; round < Number(options.rounds); round++) {
  for (const source of options.source) {
    if (["index", "start", "switch", "pull"].some(isWanted))
      for (const program of programs) await index(program, source);
    await peersIndex(source);
  }
  if (transcripts && isWanted("import")) {
    for (const program of programs) await importAll(program, transcripts);
    await peersImport(transcripts);
  }
  const [source] = options.source;
  if (transcripts && source !== undefined && isWanted("both"))
    for (const program of programs) await both(program, source, transcripts);
}
if (options.stages)
  for (const program of programs) {
    for (const source of isWanted("index") ? options.source : []) await profileIndex(program, source);
    if (transcripts && isWanted("import")) await profileImport(program, transcripts);
  }
report();

/** Each thread's CPU seconds by stage, the largest first; what V8's own threads do has no profile. */
function listStages(key: string, threads: Readonly<Record<string, number>>) {
  return [...(stagesOf.get(key) ?? [])].flatMap(([thread, sums]) => {
    const all = [...sums.values()].reduce((sum, seconds) => sum + seconds, 0);
    const cpuSeconds = threads[thread] ?? 0;
    return [...sums].map(([stage, seconds]) => ({
      thread,
      stage,
      share: seconds / all,
      cpu_seconds: (cpuSeconds * seconds) / all,
    }));
  });
}

function report(): void {
  const nameMeasured = ({ row, program }: Measured) => `${row}\0${program}`;
  const keys = [...new Set(measured.map(nameMeasured))];
  const rows = keys.map((key) => {
    const runs = measured.filter((one) => nameMeasured(one) === key);
    const median = (value: (run: Measured) => number | null) => {
      const values = runs.flatMap((run) => value(run) ?? []);
      return values.length === 0 ? null : percentile(values, 50);
    };
    const names = [...new Set(runs.flatMap(({ threads }) => [...threads.keys()]))];
    const threads = names.map((name): [string, number] => [
      name,
      median((run) => run.threads.get(name) ?? 0) ?? 0,
    ]);
    const byThread = Object.fromEntries(threads.sort(([, a], [, b]) => b - a));
    return {
      row: runs[0]!.row,
      program: runs[0]!.program,
      seconds: median((run) => run.seconds),
      code_seconds: median((run) => run.codeSeconds),
      cpu_seconds: median((run) => run.cpuSeconds),
      own_mb: median((run) => run.ownMb),
      peak_mb: median((run) => run.peakMb),
      rest_mb: median((run) => run.restMb),
      written_mb: median((run) => run.writtenMb),
      threads: byThread,
      stages: listStages(key, byThread).sort((a, b) => b.cpu_seconds - a.cpu_seconds),
    };
  });
  if (options.json) {
    console.log(JSON.stringify(rows, null, 2));
    return;
  }
  const fixed = (value: number | null, digits: number) => value?.toFixed(digits) ?? "";
  printTable(
    [
      "row",
      "program",
      "s",
      "code s",
      "CPU s",
      "MB",
      "with git MB",
      "rest MB",
      "written MB",
      "CPU s by thread",
    ],
    rows.map((row) => [
      row.row,
      row.program,
      fixed(row.seconds, 1),
      fixed(row.code_seconds, 1),
      fixed(row.cpu_seconds, 1),
      fixed(row.own_mb, 0),
      fixed(row.peak_mb, 0),
      fixed(row.rest_mb, 0),
      fixed(row.written_mb, 0),
      Object.entries(row.threads)
        .filter(([, seconds]) => seconds >= 0.05)
        .map(([name, seconds]) => `${name} ${seconds.toFixed(1)}`)
        .join(", "),
    ]),
    { markdown: true },
  );
  for (const { row, program, cpu_seconds, stages } of rows) {
    if (stages.length === 0) continue;
    console.log(`\n${row}, ${program}: ${fixed(cpu_seconds, 1)} CPU s\n`);
    printTable(
      ["thread", "stage", "of the thread", "CPU s"],
      stages
        .filter(({ share }) => share >= minShare)
        .map(({ thread, stage, share, cpu_seconds: own }) => [
          thread,
          stage,
          `${(share * 100).toFixed(0)} %`,
          fixed(own, 2),
        ]),
      { markdown: true },
    );
  }
}
