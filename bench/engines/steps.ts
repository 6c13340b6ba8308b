/** What one process of bench/engines.ts does: a step on one engine, and its figures as JSON. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { seeded } from "../../models/train/random.ts";
import { createBundledQueryEmbedder } from "../../src/answers/session-search.ts";
import { type Config, makeDefaultConfig } from "../../src/base/config/settings.ts";
import { silentLog } from "../../src/base/log.ts";
import { makeNewProject } from "../../src/base/paths.ts";
import { CodeSearch } from "../../src/code/search/engine.ts";
import { indexDriver } from "../../src/engines/drivers.ts";
import type { IndexedChange } from "../../src/store/index/records.ts";
import { queries } from "../scale/queries.ts";
import { usageOf } from "../speed.ts";
import { asCopy, recordedChanges } from "./record.ts";

export interface StepOptions {
  root: string;
  recorded: string;
  driver: Config["index.driver"];
  url: string;
  /** The server's process; null: none. */
  serverPid: number | null;
  /** Copies that are there, and that are to be there. */
  from: number;
  to: number;
}

interface Cost {
  clientMs: number;
  serverMs: number;
  ms: number;
}

const nothing = (): Cost => ({ clientMs: 0, serverMs: 0, ms: 0 });

const saved = 12;
const rounds = 3;

const settingsOf = ({ driver, url }: StepOptions) => ({
  ...makeDefaultConfig(),
  "index.driver": driver,
  "index.url": url,
});

/** What some work takes, added to what other work took. */
function meter({ serverPid }: StepOptions) {
  return async <T>(cost: Cost, work: () => Promise<T>): Promise<T> => {
    // To look at the server costs more than many a question.
    const server = serverUsage(serverPid);
    const [client, start] = [process.cpuUsage(), performance.now()];
    const result = await work();
    const { user, system } = process.cpuUsage(client);
    cost.ms += performance.now() - start;
    cost.clientMs += (user + system) / 1000;
    cost.serverMs += serverUsage(serverPid).cpuMs - server.cpuMs;
    return result;
  };
}

/** Stores copies of what was written down. */
export async function ingest(options: StepOptions) {
  const { root, recorded, serverPid, from, to } = options;
  const { index } = await (await indexDriver(settingsOf(options))).openToWrite(
    makeNewProject(root).indexDb,
    silentLog,
  );
  const [storing, settling] = [nothing(), nothing()];
  const measured = meter(options);
  let serverRssMb = 0;
  const watch = setInterval(() => {
    serverRssMb = Math.max(serverRssMb, serverUsage(serverPid).rssMb);
  }, 2000);
  try {
    const random = seeded(1);
    for (let copy = from; copy < to; copy++) {
      for (const changes of recordedChanges(recorded)) {
        const given = asCopy(changes, copy, random);
        await measured(storing, () => index.write(given));
      }
      console.error(`${options.driver}: ${copy + 1} of ${to}, ${(storing.ms / 1000).toFixed(0)} s`);
    }
    await measured(settling, () => index.settle());
    const { chunks } = await index.readIndexCounts();
    return { chunks, storing, settling, rssMb: usageOf(process.pid).peakRssMb, serverRssMb };
  } finally {
    clearInterval(watch);
    await index.close();
  }
}

/** Saves of a file of some fifteen chunks, and the first question after each: least and median. */
export async function save(options: StepOptions) {
  const { root, recorded, to } = options;
  const project = makeNewProject(root);
  const { index } = await (await indexDriver(settingsOf(options))).openToWrite(project.indexDb, silentLog);
  const measured = meter(options);
  try {
    const isWanted = (change: IndexedChange) => change.status === "indexed" && change.chunks.length === 15;
    let file: IndexedChange | undefined;
    for (const changes of recordedChanges(recorded)) {
      file = changes.find(isWanted);
      if (file) break;
    }
    const search = new CodeSearch({ project, index, embedder: await createBundledQueryEmbedder() });
    const ask = () => searched(search, queries.question[0]);
    await ask();
    const costs: { save: Cost; first: Cost }[] = [];
    for (let i = 0; i < saved; i++) {
      const [cost, first] = [nothing(), nothing()];
      const changes = asCopy([file!], to + 1, Math.random);
      await measured(cost, () => index.write(changes));
      await measured(first, ask);
      costs.push({ save: cost, first });
    }
    await index.remove(asCopy([file!], to + 1, Math.random).map(({ path }) => path));
    return costs;
  } finally {
    await index.close();
  }
}

async function searched(search: CodeSearch, query: string) {
  const { results } = await search.search({
    query,
    limit: 10,
    levels: [],
    paths: [],
    languages: [],
    explain: false,
  });
  return results.map(({ file, start_line: line }) => `${file}:${line}`);
}

/** Questions of each kind, warm, after the first of all. */
export async function search(options: StepOptions) {
  const { root } = options;
  const project = makeNewProject(root);
  const measured = meter(options);
  return (await indexDriver(settingsOf(options))).read(project.indexDb, async (index) => {
    const engine = new CodeSearch({ project, index, embedder: await createBundledQueryEmbedder() });
    const first = nothing();
    await measured(first, () => searched(engine, "where does the program start"));
    const kinds: Record<string, Cost[]> = {};
    const found: Record<string, string[]> = {};
    for (const [kind, list] of Object.entries(queries)) {
      const costs: Cost[] = [];
      for (const query of list) found[query] = await searched(engine, query);
      for (let round = 0; round < (kind === "quoted" ? 1 : rounds); round++) {
        for (const query of list) {
          const cost = nothing();
          await measured(cost, () => searched(engine, query));
          costs.push(cost);
        }
      }
      kinds[kind] = costs;
    }
    const { rssMb } = serverUsage(options.serverPid);
    return { first, kinds, found, rssMb: usageOf(process.pid).peakRssMb, serverRssMb: rssMb };
  });
}

export const steps = { ingest, save, search };
export type Steps = { [Name in keyof typeof steps]: Awaited<ReturnType<(typeof steps)[Name]>> };

const [name, json] = process.argv.slice(2);
if (process.argv[1]?.endsWith(join("engines", "steps.ts")) && name && json) {
  const result = await steps[name as keyof typeof steps](JSON.parse(json) as StepOptions);
  process.stdout.write(JSON.stringify(result));
  await sleep(0);
  process.exit(0);
}

/** A server's processes: CPU milliseconds so far, and what they have in memory together. From /proc. */
export function serverUsage(pid: number | null) {
  if (pid === null) return { cpuMs: 0, rssMb: 0 };
  const [, , own] = statOf(pid);
  let cpuMs = own! * 10 + ranMs(pid);
  let kb = proportionKb(pid);
  for (const entry of readdirSync("/proc")) {
    if (!/^\d+$/.test(entry)) continue;
    try {
      if (statOf(Number(entry))[0] !== pid) continue;
      cpuMs += ranMs(Number(entry));
      kb += proportionKb(Number(entry));
    } catch {
      // It ended.
    }
  }
  return { cpuMs, rssMb: kb / 1024 };
}

/** A process's parent, its ticks of CPU, and those of children that ended. */
function statOf(pid: number): [parent: number, own: number, ended: number] {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /, "")
    .split(" ")
    .map(Number);
  return [fields[1]!, fields[11]! + fields[12]!, fields[13]! + fields[14]!];
}

const ranMs = (pid: number) => Number(readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ")[0]) / 1e6;

/** Memory that several processes share counts once. */
const proportionKb = (pid: number) =>
  Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))?.[1] ?? 0);
