import { spawn, spawnSync } from "node:child_process";
import { appendFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { callDaemon } from "../src/client/daemon-client.ts";
import { showQueue } from "../src/features/jobs/operation.ts";
import { searchCode } from "../src/features/search/operation.ts";
import { readState, showStatus } from "../src/features/status/operation.ts";
import { percentile } from "./measure.ts";

const pm = fileURLToPath(new URL("../bin/pm.cjs", import.meta.url));

export function runPm(root: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, [pm, "-C", root, ...args], {
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`pm ${args.join(" ")} failed: ${stderr}`);
  return stdout;
}

/** What a process has used so far. */
export interface Usage {
  /** Resident now, and at most. */
  rssMb: number;
  peakRssMb: number;
  cpuSeconds: number;
  /** To the disk, as the kernel counts it: a page that is changed again before it is written counts once. */
  writtenMb: number;
}

/** From /proc; zeros where there is none. */
export function usageOf(pid: number): Usage {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    const megabytes = (name: string) =>
      Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(status)?.[1] ?? 0) / 1024;
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /, "")
      .split(" ");
    return {
      rssMb: megabytes("VmRSS"),
      peakRssMb: megabytes("VmHWM"),
      cpuSeconds: (Number(fields[11]) + Number(fields[12])) / 100,
      writtenMb: Number(/^write_bytes: (\d+)/m.exec(readFileSync(`/proc/${pid}/io`, "utf8"))?.[1] ?? 0) / 1e6,
    };
  } catch {
    return { rssMb: 0, peakRssMb: 0, cpuSeconds: 0, writtenMb: 0 };
  }
}

/** CPU time of the processes that this one has waited for. */
export function childrenCpuMs(): number {
  const fields = readFileSync("/proc/self/stat", "utf8")
    .replace(/^.*\) /, "")
    .split(" ");
  return (Number(fields[13]) + Number(fields[14])) * 10;
}

/** `pm init` and `pm daemon reindex` without a daemon on a project that was never indexed: the whole process. */
export async function coldIndex(root: string) {
  runPm(root, "init");
  const start = performance.now();
  const child = spawn(process.execPath, [pm, "-C", root, "reindex", "--json"], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  let usage: Usage = { rssMb: 0, peakRssMb: 0, cpuSeconds: 0, writtenMb: 0 };
  const timer = setInterval(() => {
    const now = usageOf(child.pid ?? 0);
    usage = {
      rssMb: now.rssMb,
      peakRssMb: Math.max(usage.peakRssMb, now.peakRssMb),
      cpuSeconds: Math.max(usage.cpuSeconds, now.cpuSeconds),
      writtenMb: Math.max(usage.writtenMb, now.writtenMb),
    };
  }, 20);
  const code = await new Promise((resolve) => child.on("exit", resolve));
  const seconds = (performance.now() - start) / 1000;
  clearInterval(timer);
  if (code !== 0) throw new Error(`pm daemon reindex exited with ${code}`);
  const { index } = JSON.parse(runPm(root, "status", "--json")) as {
    index: { total_files: number; total_chunks: number };
  };
  return { files: index.total_files, chunks: index.total_chunks, seconds, ...usage };
}

/** Waits until the daemon's first look at the project is done. */
export async function untilIdle(root: string): Promise<void> {
  // Which opens it.
  await callDaemon(root, readState, {}, 60_000);
  for (;;) {
    const queue = await callDaemon(root, showQueue, {}, 60_000);
    if (queue.code_is_idle) return;
    await sleep(20);
  }
}

/** The queries ten times over, one after the other, on a warm daemon: milliseconds in the engine and over HTTP. */
export async function httpSearch(root: string, queries: readonly string[]) {
  runPm(root, "start");
  try {
    await untilIdle(root);
    const engine: number[] = [];
    const http: number[] = [];
    for (let round = 0; round <= 10; round++) {
      for (const q of queries) {
        const start = performance.now();
        const answer = await callDaemon(root, searchCode, { q });
        // The first round warms up: statements are compiled, code is optimised, pages are read.
        if (round === 0) continue;
        http.push(performance.now() - start);
        engine.push(answer.search_time_ms);
      }
    }
    return { engine, http };
  } finally {
    runPm(root, "stop");
  }
}

/** From a finished write to the first answer that holds the new function: milliseconds. The daemon must run. */
export async function saves(root: string, times: number): Promise<number[]> {
  const file = join(root, "pommel_bench_saved.py");
  const milliseconds: number[] = [];
  try {
    writeFileSync(file, "");
    await sleep(1000);
    for (let i = 0; i < times; i++) {
      const name = `saved_${Math.random().toString(36).slice(2, 12)}`;
      appendFileSync(file, `\ndef ${name}():\n    return ${i}\n`);
      const start = performance.now();
      for (;;) {
        const { results } = await callDaemon(root, searchCode, { q: name, limit: 1 }, 60_000);
        if (results[0]?.name === name) break;
        await sleep(2);
      }
      milliseconds.push(performance.now() - start);
      await sleep(50);
    }
    return milliseconds;
  } finally {
    rmSync(file, { force: true });
  }
}

/** Forty saves, and the daemon's memory when it rests after them. */
export async function saveToSearchable(root: string) {
  runPm(root, "start");
  try {
    await untilIdle(root);
    const milliseconds = await saves(root, 40);
    // Parse workers end after 30 s without work.
    await sleep(35_000);
    await untilIdle(root);
    const status = await callDaemon(root, showStatus, {});
    return { milliseconds, daemonRssMb: (status.daemon.memory_bytes ?? 0) / 1e6 };
  } finally {
    runPm(root, "stop");
  }
}

function wallMs(command: string, args: readonly string[], { cwd = ".", input = "" } = {}): number {
  const start = performance.now();
  spawnSync(command, args, { stdio: ["pipe", "ignore", "ignore"], cwd, input });
  return performance.now() - start;
}

/** Medians of bare Node and of a `pm` command, and the median of the pairs' ratios. */
function besideNode(runs: readonly (() => number)[]) {
  const pairs = runs.map((run) => ({ node: wallMs(process.execPath, ["-e", "0"]), pm: run() }));
  return {
    node: percentile(
      pairs.map((pair) => pair.node),
      50,
    ),
    pm: percentile(
      pairs.map((pair) => pair.pm),
      50,
    ),
    ratio: percentile(
      pairs.map((pair) => pair.pm / pair.node),
      50,
    ),
  };
}

/**
 * `pm search` as a process compared with bare Node, alternating, so that a slow moment of the machine affects both;
 * medians, and the median of the pairs' ratios. With a warm daemon and without one, and a hook with a daemon. Also `rg`
 * for any of the query's words.
 */
export function processRatio(root: string, queries: readonly string[], rounds = 3) {
  const asked = Array.from({ length: rounds }, () => queries).flat();
  const search = (query: string) => wallMs(process.execPath, [pm, "search", query], { cwd: root });
  const compare = () => besideNode(asked.map((query) => () => search(query)));
  // What Claude Code gives a hook when it has answered.
  const input = JSON.stringify({
    session_id: "11111111-2222-4333-8444-555555555555",
    transcript_path: join(root, "no-transcript.jsonl"),
    cwd: root,
    hook_event_name: "Stop",
    stop_hook_active: false,
  });
  const hook = () => wallMs(process.execPath, [pm, "hook", "stop"], { cwd: root, input });
  runPm(root, "start");
  const daemon = compare();
  const hooks = besideNode(asked.map(() => hook));
  runPm(root, "stop");
  const alone = compare();
  const patterns = queries.map((query) => query.split(" ").join("|"));
  const hasRipgrep = spawnSync("rg", ["--version"], { stdio: "ignore" }).status === 0;
  const ripgrep = hasRipgrep ? patterns.map((pattern) => wallMs("rg", ["-n", pattern, root])) : [];
  return {
    node: daemon.node,
    daemon: daemon.pm,
    daemonRatio: daemon.ratio,
    alone: alone.pm,
    aloneRatio: alone.ratio,
    hook: hooks.pm,
    hookRatio: hooks.ratio,
    ripgrep: ripgrep.length > 0 ? percentile(ripgrep, 50) : null,
  };
}
