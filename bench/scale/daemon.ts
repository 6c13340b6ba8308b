import { spawnSync } from "node:child_process";
import { appendFileSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createBundledQueryEmbedder } from "../../src/answers/session-search.ts";
import { makeDefaultConfig } from "../../src/base/config/settings.ts";
import { makeNewProject, type Project } from "../../src/base/paths.ts";
import { findOrStartDaemon } from "../../src/client/connect.ts";
import { callDaemon } from "../../src/client/daemon-client.ts";
import { CodeSearch } from "../../src/code/search/engine.ts";
import { indexDriver } from "../../src/engines/drivers.ts";
import { showQueue } from "../../src/features/jobs/operation.ts";
import { searchCode } from "../../src/features/search/operation.ts";
import { showStatus } from "../../src/features/status/operation.ts";
import { readDaemonRecord } from "../../src/protocol/daemon-record.ts";
import type { CodeIndex } from "../../src/store/index/port.ts";
import type { Engine } from "../engine.ts";
import { percentile } from "../measure.ts";
import { childrenCpuMs, runPm, saves, untilIdle, usageOf } from "../speed.ts";
import { type QueryKind, queries } from "./queries.ts";

const rounds = 3;

/** Searches in this process, on a warm engine: CPU milliseconds of each query, by kind. */
export async function measureEngine(root: string, engine: Engine["settings"]) {
  const project = makeNewProject(root);
  const driver = await indexDriver({ ...makeDefaultConfig(), ...engine });
  // As a daemon has it: what reads for one answer alone leaves vectors to a thread.
  const index = driver.openBeside?.(project.indexDb);
  if (index === undefined) return driver.read(project.indexDb, (opened) => measure(project, opened));
  try {
    return await measure(project, index);
  } finally {
    await index.close();
  }
}

async function measure(project: Project, index: CodeIndex) {
  const search = new CodeSearch({ project, index, embedder: await createBundledQueryEmbedder() });
  const ask = async (query: string) => {
    const before = process.cpuUsage();
    await search.search({ query, limit: 10, levels: [], paths: [], languages: [], explain: false });
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  };
  const firstCpuMs = await ask("where does the program start");
  const cpuMs = {} as Record<QueryKind, number[]>;
  for (const [kind, list] of Object.entries(queries) as [QueryKind, readonly string[]][]) {
    cpuMs[kind] = [];
    for (const query of list) await ask(query);
    for (let round = 0; round < rounds; round++) {
      for (const query of list) cpuMs[kind].push(await ask(query));
    }
  }
  const rss = /VmRSS:\s+(\d+)/.exec(readFileSync("/proc/self/status", "utf8"))?.[1];
  return { firstCpuMs, cpuMs, rssMb: Number(rss ?? 0) / 1024 };
}

const pm = fileURLToPath(new URL("../../bin/pm.cjs", import.meta.url));
const timeoutMs = 120_000;

/** Files that change at once, as when another branch is checked out, while searches go on. */
const switched = 3000;
const pauseMs = 100;

/** A daemon as people use it; milliseconds by the clock. */
export async function measureDaemon(root: string) {
  const took = async (work: () => Promise<unknown>) => {
    const start = performance.now();
    await work();
    return performance.now() - start;
  };
  const repeated = async (times: number, work: (i: number) => Promise<unknown>) => {
    const milliseconds: number[] = [];
    for (let i = 0; i < times; i++) milliseconds.push(await took(() => work(i)));
    return milliseconds;
  };
  const search = (i: number) =>
    callDaemon(root, searchCode, { q: queries.question[i % queries.question.length]! }, timeoutMs);
  // `pm daemon start` waits for more than an answer: for figures that it shows.
  const firstMs = await took(async () => {
    await findOrStartDaemon();
    await search(0);
  });
  try {
    await untilIdle(root);
    await repeated(queries.question.length, search);
    const httpMs = await repeated(3 * queries.question.length, search);
    const statusMs = await repeated(10, () => callDaemon(root, showStatus, {}, timeoutMs));
    const saveMs = await saves(root, 20);
    await untilIdle(root);
    const pid = readDaemonRecord()?.pid ?? 0;
    const before = usageOf(pid).cpuSeconds;
    const start = performance.now();
    const files = filesBelow(root).slice(0, switched);
    for (const file of files) appendFileSync(file, "\n");
    const busyMs: number[] = [];
    let seen = false;
    for (let i = 0, busy = true; busy || !seen; i++) {
      busyMs.push(await took(() => search(i)));
      await sleep(pauseMs);
      busy = !(await callDaemon(root, showQueue, {}, timeoutMs)).code_is_idle;
      seen ||= busy;
    }
    const reindexSeconds = (performance.now() - start) / 1000;
    const { cpuSeconds, peakRssMb } = usageOf(pid);
    return {
      firstMs,
      httpMs,
      statusMs,
      saveMs,
      busyMs,
      reindexSeconds,
      reindexCpuSeconds: cpuSeconds - before,
      peakRssMb,
    };
  } finally {
    runPm(root, "stop");
  }
}

const filesBelow = (root: string) =>
  readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\/\.git\b/.test(entry.parentPath))
    .map((entry) => join(entry.parentPath, entry.name));

/** `pm search` as a process, with nobody to ask: the median of its CPU time. */
export function measureAlone(root: string) {
  const cpuMs = queries.question.slice(0, 5).map((query) => {
    const before = childrenCpuMs();
    spawnSync(process.execPath, [pm, "search", "code", query], { cwd: root, stdio: "ignore" });
    return childrenCpuMs() - before;
  });
  return { cpuMs: percentile(cpuMs, 50) };
}
