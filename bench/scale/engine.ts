import { readFileSync } from "node:fs";
import { defaultConfig } from "../../src/project/config/settings.ts";
import { type Project, projectAt } from "../../src/project/paths.ts";
import { bundledQueryEmbedder } from "../../src/queries/search/embedder.ts";
import { CodeSearch } from "../../src/search/code/engine.ts";
import { indexDriver } from "../../src/store/index/drivers.ts";
import type { CodeIndex } from "../../src/store/index/port.ts";
import type { Engine } from "../engine.ts";
import { type QueryKind, queries } from "./queries.ts";

const rounds = 3;

/** Searches in this process, on a warm engine: CPU milliseconds of each query, by kind. */
export async function measureEngine(root: string, engine: Engine["settings"]) {
  const project = projectAt(root);
  const driver = await indexDriver({ ...defaultConfig(), ...engine });
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
  const search = new CodeSearch({ project, index, embedder: await bundledQueryEmbedder() });
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
