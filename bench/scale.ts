/**
 * How cost grows with the size of a code base: indexing, searching, saving and starting, by the number of chunks.
 *
 *   npm run bench:scale [-- --source DIR ...] [--chunks 10k,100k,300k,1m] [--work DIR]
 *
 *   --source DIR     code as it is there; used in this order (default: the repositories of repositories.json, fetched at their
 *                    pinned revisions into a cache directory). Where all of it is too little, it is used again with a third of
 *                    the identifiers renamed, and the table says how often
 *   --chunks LIST    sizes, about (default: 10k,100k)
 *   --only LIST      index, engine, daemon, alone (default: all; without `index` that of the last run is used)
 *   --engine NAME    the index driver: sqlite (default), lancedb or postgres; that with --url ADDRESS, or else its own server
 *   --work DIR       where corpora and indexes are kept (default: a temporary directory, removed at the end)
 *   --json           print everything as JSON
 *
 * Programs are measured as processes. CPU time and minima say more than the clock where other work runs.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { makeDefaultConfig } from "../src/base/config/settings.ts";
import { locateHome } from "../src/base/home.ts";
import { makeNewProject } from "../src/base/paths.ts";
import { indexDriver } from "../src/engines/drivers.ts";
import { startEngine } from "./engine.ts";
import { percentile, printTable } from "./measure.ts";
import { checkOut, checkoutCache, repositories } from "./repositories.ts";
import { buildCorpus } from "./scale/corpus.ts";
import { measureAlone, measureDaemon, measureEngine } from "./scale/daemon.ts";
import { coldIndex } from "./speed.ts";

process.env.POMMEL_DAEMON_AUTOSTART = "false";

const { values: options } = parseArgs({
  options: {
    source: { type: "string", multiple: true, default: [] },
    chunks: { type: "string", default: "10k,100k" },
    only: { type: "string", default: "index,engine,daemon,alone" },
    engine: { type: "string", default: "sqlite" },
    url: { type: "string" },
    work: { type: "string" },
    json: { type: "boolean", default: false },
  },
});
const sources =
  options.source.length > 0
    ? options.source.map((source) => resolve(source))
    : repositories.map((repository) => checkOut(checkoutCache, repository));
const only = new Set(options.only.split(","));
const work = resolve(options.work ?? mkdtempSync(join(tmpdir(), "pommel-scale-")));
process.env.HOME = join(work, "home");

const store = await startEngine(options.engine, options.url);

const units: Record<string, number> = { k: 1000, m: 1_000_000 };
const sizeOf = (text: string) => Number.parseFloat(text) * (units[text.slice(-1).toLowerCase()] ?? 1);

async function measure(size: string) {
  const root = join(work, size);
  process.env.POMMEL_HOME = `${root}-home`;
  let rounds: number | null = null;
  if (!existsSync(root)) {
    rounds = buildCorpus(root, sources, sizeOf(size));
    spawnSync("git", ["init", "--quiet", root]);
  }
  console.error(`${size}: index …`);
  const index = only.has("index") ? await indexed(root) : null;
  console.error(`${size}: engine …`);
  const engine = only.has("engine") ? await measureEngine(root, store.settings) : null;
  console.error(`${size}: daemon …`);
  const daemon = only.has("daemon") ? await measureDaemon(root) : null;
  const alone = only.has("alone") ? measureAlone(root) : null;
  return { size, rounds, index, engine, daemon, alone };
}

async function indexed(root: string) {
  const { indexDb } = makeNewProject(root);
  // Also what another clone could have an index from.
  rmSync(locateHome().cacheDir, { recursive: true, force: true });
  const cold = await coldIndex(root);
  const driver = await indexDriver({ ...makeDefaultConfig(), ...store.settings });
  const indexMb = (await driver.countBytes(indexDb)) / 1e6;
  return { ...cold, indexMb, writtenPerByte: cold.writtenMb / indexMb };
}

const results = [];
try {
  for (const size of options.chunks.split(",")) results.push(await measure(size));
} finally {
  await store.stop();
}
if (options.work === undefined) rmSync(work, { recursive: true, force: true });

const both = (values: readonly number[] | undefined, digits = 1) =>
  values === undefined
    ? "-"
    : [percentile(values, 50), percentile(values, 95)].map((value) => value.toFixed(digits)).join(" / ");

if (options.json) {
  console.log(JSON.stringify(results, null, 2));
} else {
  const model = /model name\s*: (.*)/.exec(readFileSync("/proc/cpuinfo", "utf8"))?.[1];
  console.log(`Node ${process.version}, ${cpus().length} × ${model}; ${store.name}; p50 / p95 in ms\n`);
  const print = (head: string[], rows: string[][]) => {
    printTable(head, rows, { markdown: true });
    console.log();
  };
  print(
    [
      "size",
      "chunks",
      "files",
      "sources used",
      "index CPU s",
      "s",
      "peak RSS MB",
      "index MB",
      "written MB",
      "written / byte",
    ],
    results.flatMap(({ size, rounds, index: i }) =>
      i === null
        ? []
        : [
            [
              size,
              `${i.chunks}`,
              `${i.files}`,
              rounds === null ? "as before" : `${rounds} ×`,
              ...[i.cpuSeconds, i.seconds, i.peakRssMb, i.indexMb, i.writtenMb].map((n) => n.toFixed(0)),
              i.writtenPerByte.toFixed(1),
            ],
          ],
    ),
  );
  const kinds = ["question", "name", "quoted", "path"] as const;
  print(
    ["size", ...kinds.map((kind) => `${kind}: CPU ms (min)`), "first search CPU ms", "RSS MB"],
    results.flatMap(({ size, engine }) =>
      engine === null
        ? []
        : [
            [
              size,
              ...kinds.map(
                (kind) => `${both(engine.cpuMs[kind])} (${Math.min(...engine.cpuMs[kind]).toFixed(1)})`,
              ),
              engine.firstCpuMs.toFixed(0),
              engine.rssMb.toFixed(0),
            ],
          ],
    ),
  );
  print(
    [
      "size",
      "start to first answer ms",
      "search over HTTP",
      "GET /status (min)",
      "save to searchable (min)",
      "search while reindexing (max)",
      "reindex s (CPU s)",
      "daemon peak RSS MB",
      "without a daemon CPU ms",
    ],
    results.flatMap(({ size, daemon: d, alone }) =>
      d === null
        ? []
        : [
            [
              size,
              d.firstMs.toFixed(0),
              both(d.httpMs),
              `${both(d.statusMs)} (${Math.min(...d.statusMs).toFixed(1)})`,
              `${both(d.saveMs, 0)} (${Math.min(...d.saveMs).toFixed(0)})`,
              `${both(d.busyMs, 0)} (${Math.max(...d.busyMs).toFixed(0)}, ${d.busyMs.length} asked)`,
              `${d.reindexSeconds.toFixed(0)} (${d.reindexCpuSeconds.toFixed(0)})`,
              d.peakRssMb.toFixed(0),
              alone === null ? "-" : alone.cpuMs.toFixed(0),
            ],
          ],
    ),
  );
}
