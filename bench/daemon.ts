/**
 * One daemon for many projects: its memory, how fast a closed one and a new one answer, and what an import of sessions costs
 * questions.
 *
 *   npm run bench:daemon -- --source DIR [--projects 10] [--files 1000] [--sessions DIR] [--json]
 *
 *   --source DIR     a git repository whose files fill the projects
 *   --sessions DIR   transcripts of Claude Code, imported into the first project while it is asked
 *
 * Everything happens in a home of its own. Milliseconds are by the clock, which says little where other work runs; compare ratios,
 * and CPU seconds.
 */
import { execFileSync, spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { findOrStartDaemon } from "../src/client/connect.ts";
import { callDaemon } from "../src/client/daemon-client.ts";
import { searchCode } from "../src/features/search/operation.ts";
import { readDaemonRecord } from "../src/protocol/daemon-record.ts";
import { removeDirectory } from "../test/support/remove-directory.ts";
import { percentile } from "./measure.ts";
import { queries } from "./scale/queries.ts";
import { runPm, untilIdle, usageOf } from "./speed.ts";

const { values: options } = parseArgs({
  options: {
    source: { type: "string" },
    projects: { type: "string", default: "10" },
    files: { type: "string", default: "1000" },
    sessions: { type: "string" },
    json: { type: "boolean", default: false },
  },
});
if (options.source === undefined) throw new Error("--source DIR is missing");
const source = resolve(options.source);
const pm = join(import.meta.dirname, "../bin/pm.cjs");

const work = mkdtempSync(join(tmpdir(), "pommel-bench-daemon-"));
Object.assign(process.env, { HOME: join(work, "home"), POMMEL_HOME: join(work, "pommel") });
mkdirSync(process.env.HOME!);

const files = execFileSync("git", ["-C", source, "ls-files", "-z"], { encoding: "utf8", maxBuffer: 1e8 })
  .split("\0")
  .filter((path) => /\.(?:ts|js|py|go|rs|java|c|h)$/.test(path))
  .slice(0, Number(options.files));

/** A repository of its own: its commit has another author than the others'. */
function createRepository(i: number): string {
  const root = join(work, `project${i}`);
  for (const path of files) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    cpSync(join(source, path), join(root, path));
  }
  const git = (...args: string[]) => execFileSync("git", ["-C", root, ...args], { stdio: "ignore" });
  git("init", "--quiet");
  git("add", ".");
  git("-c", `user.name=author ${i}`, "-c", `user.email=${i}@localhost`, "commit", "--quiet", "-m", "first");
  return root;
}

function createProject(i: number): string {
  const root = createRepository(i);
  runPm(root, "init", "--yes");
  return root;
}

/** `pm search` where nobody has searched before, as a process, with the daemon running. */
function firstAnswer(i: number): number {
  const root = createRepository(i);
  const start = performance.now();
  runPm(root, "search", queries.question[0]!);
  return performance.now() - start;
}

const pid = () => readDaemonRecord()?.pid ?? 0;
const ask = async (root: string, i: number) => {
  const start = performance.now();
  await callDaemon(root, searchCode, { q: queries.question[i % queries.question.length]! }, 120_000);
  return performance.now() - start;
};

async function measureImport(root: string, sessions: string) {
  for (let i = 0; i < queries.question.length; i++) await ask(root, i);
  const atRest: number[] = [];
  for (let i = 0; i < 200; i++) atRest.push(await ask(root, i));
  const before = usageOf(pid()).cpuSeconds;
  const start = performance.now();
  const child = spawn(
    process.execPath,
    [pm, "-C", root, "import", "claude", sessions, "--all-projects", "--yes"],
    {
      stdio: "ignore",
    },
  );
  let isOver = false;
  const over = new Promise((done) => child.once("exit", done)).then(() => {
    isOver = true;
  });
  const meanwhile: number[] = [];
  for (let i = 0; !isOver; i++) {
    meanwhile.push(await ask(root, i));
    await sleep(20);
  }
  await over;
  const { cpuSeconds, peakRssMb } = usageOf(pid());
  const [rest, busy] = [percentile(atRest, 50), percentile(meanwhile, 50)];
  return {
    seconds: (performance.now() - start) / 1000,
    cpu_seconds: cpuSeconds - before,
    peak_rss_mb: peakRssMb,
    query_at_rest_ms: rest,
    query_meanwhile_ms: busy,
    ratio: busy / rest,
  };
}

try {
  const roots = Array.from({ length: Number(options.projects) }, (_, i) => createProject(i));
  const restart = async () => {
    runPm(roots[0]!, "stop");
    await findOrStartDaemon();
  };
  await restart();
  await sleep(10_000);
  const known = usageOf(pid()).rssMb;
  for (const root of roots) {
    await ask(root, 0);
    await untilIdle(root);
  }
  // What indexed them ends after half a minute.
  await sleep(45_000);
  for (const [i, root] of roots.entries()) await ask(root, i);
  const inUse = usageOf(pid()).rssMb;
  const imported = options.sessions === undefined ? null : await measureImport(roots[0]!, options.sessions);
  await restart();
  const opened: number[] = [];
  for (const root of roots) opened.push(await ask(root, 0));
  const first = [1, 2, 3].map((i) => firstAnswer(roots.length + i));
  const result = {
    projects: roots.length,
    files: files.length,
    known_rss_mb: known,
    in_use_rss_mb: inUse,
    opened_and_answered_ms: percentile(opened, 50),
    first_answer_ms: percentile(first, 50),
    imported,
  };
  if (options.json) console.log(JSON.stringify(result, null, 2));
  else console.log(result);
} finally {
  runPm(work, "stop");
  removeDirectory(work);
}
