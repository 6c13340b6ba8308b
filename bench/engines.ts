/**
 * The engines of the index side by side: what storing, saving and finding the same chunks costs, without reading, parsing and
 * embedding the files, which is the same with each.
 *
 *   npm run bench:engines -- --source DIR [--source DIR ...] --work DIR [--chunks 100k,300k,1m] [--engines sqlite,lancedb,postgres]
 *
 *   --source DIR     code as it was checked out; used in this order until there is enough for the first size
 *   --work DIR       where the code, what was recorded of it, and the indexes are kept
 *   --chunks LIST    sizes, about
 *   --base SIZE      so much is real code (default: 100k); larger sizes add copies of it with noise in their vectors, so their words
 *                    do not grow in number
 *   --engines LIST   which; LanceDB has to be installed (docs/engines.md), PostgreSQL is started where it is (its index is gone at
 *                    the end)
 *   --json           print everything as JSON
 *
 * Each step is a process of its own. CPU time and minima say more than the clock where other work runs.
 */
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import postgres from "postgres";
import { makeNewProject } from "../src/base/paths.ts";
import { type Engine, startEngine } from "./engine.ts";
import { recordChanges } from "./engines/record.ts";
import type { StepOptions, Steps } from "./engines/steps.ts";
import { percentile, printTable } from "./measure.ts";
import { buildCorpus } from "./scale/corpus.ts";

const { values: options } = parseArgs({
  options: {
    source: { type: "string", multiple: true, default: [] },
    work: { type: "string" },
    chunks: { type: "string", default: "100k" },
    base: { type: "string", default: "100k" },
    engines: { type: "string", default: "sqlite,lancedb,postgres" },
    json: { type: "boolean", default: false },
  },
});
if (options.source.length === 0 || !options.work) {
  console.error("usage: npm run bench:engines -- --source DIR --work DIR [options, see bench/engines.ts]");
  process.exit(2);
}

const units: Record<string, number> = { k: 1000, m: 1_000_000 };
const sizeOf = (text: string) => Number.parseFloat(text) * (units[text.slice(-1).toLowerCase()] ?? 1);
const sizes = options.chunks.split(",");
const baseSize = sizeOf(options.base);
const work = resolve(options.work);
const root = join(work, "root");
const recorded = join(work, "changes.bin");
process.env.POMMEL_HOME = join(work, "home");

function run<Name extends keyof Steps>(name: Name, given: StepOptions): Promise<Steps[Name]> {
  const file = fileURLToPath(new URL("engines/steps.ts", import.meta.url));
  const child = spawn(process.execPath, [...process.execArgv, file, name, JSON.stringify(given)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (part) => {
    text += part;
  });
  return new Promise((done, fail) => {
    child.on("error", fail).on("close", (code) => {
      if (code === 0) done(JSON.parse(text) as Steps[Name]);
      else fail(new Error(`${name} ended with ${code}`));
    });
  });
}

function bytesBelow(path: string): number {
  if (!existsSync(path)) return 0;
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.blocks * 512;
  return readdirSync(path).reduce((sum, name) => sum + bytesBelow(join(path, name)), 0);
}

/** What the index takes on the disk. */
async function bytesOf(driver: StepOptions["driver"], url: string): Promise<number> {
  const dir = makeNewProject(root).cacheDir;
  if (driver === "sqlite")
    return ["index.db", "index.db-wal"].reduce((sum, name) => sum + bytesBelow(join(dir, name)), 0);
  if (driver === "lancedb") return bytesBelow(join(dir, "index.engine"));
  const sql = postgres(url, { max: 1 });
  const [row] = await sql<{ bytes: string }[]>`
    SELECT sum(pg_total_relation_size(c.oid)) AS bytes FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace
    WHERE nspname = 'pommel_index_4' AND relkind = 'r'`;
  await sql.end();
  return Number(row?.bytes ?? 0);
}

async function measure(driver: StepOptions["driver"], engine: Engine) {
  const base: StepOptions = {
    root,
    recorded,
    driver,
    url: engine.settings["index.url"],
    serverPid: engine.pid,
    from: 0,
    to: 0,
  };
  const figures = [];
  for (const size of sizes) {
    const to = Math.max(1, Math.round(sizeOf(size) / baseSize));
    const given = { ...base, to };
    const ingest = await run("ingest", given);
    const bytes = await bytesOf(driver, base.url);
    const search = await run("search", given);
    const save = await run("save", given);
    base.from = to;
    figures.push({ driver, size, name: engine.name, ingest, bytes, search, save });
    console.error(
      JSON.stringify(figures.at(-1), (key, value) =>
        key === "found" || key === "kinds" ? undefined : value,
      ),
    );
  }
  return figures;
}

if (!existsSync(root)) {
  buildCorpus(
    root,
    options.source.map((source) => resolve(source)),
    baseSize,
  );
}
mkdirSync(join(root, ".git"), { recursive: true });
await recordChanges(root, recorded);
for (let copy = 1; copy <= Math.max(...sizes.map(sizeOf)) / baseSize + 1; copy++) {
  if (!existsSync(join(root, `copy${copy}`))) symlinkSync(".", join(root, `copy${copy}`));
}
const all: Awaited<ReturnType<typeof measure>> = [];
for (const driver of options.engines.split(",") as StepOptions["driver"][]) {
  for (const name of [
    "index.db",
    "index.db-wal",
    "index.db-shm",
    "index.engine",
    "index.postgres",
    "index.lancedb",
  ])
    rmSync(join(makeNewProject(root).cacheDir, name), { recursive: true, force: true });
  mkdirSync(makeNewProject(root).cacheDir, { recursive: true });
  const engine = await startEngine(driver, undefined);
  try {
    all.push(...(await measure(driver, engine)));
  } finally {
    await engine.stop();
  }
}
if (options.json) {
  console.log(JSON.stringify(all));
} else {
  const seconds = (ms: number) => (ms / 1000).toFixed(ms < 10_000 ? 1 : 0);
  const print = (head: string[], rows: string[][]) => {
    printTable(head, rows, { markdown: true });
    console.log();
  };
  const sums = new Map<string, { client: number; server: number }>();
  print(
    [
      "",
      "chunks",
      "storing, CPU s: client",
      "server",
      "settling: client",
      "server",
      "on disk MB",
      "peak RSS MB: client",
      "server",
    ],
    all.map(({ driver, ingest: { chunks, storing, settling, rssMb, serverRssMb }, bytes }) => {
      const sum = sums.get(driver) ?? { client: 0, server: 0 };
      sum.client += storing.clientMs;
      sum.server += storing.serverMs;
      sums.set(driver, sum);
      return [
        driver,
        `${chunks}`,
        seconds(sum.client),
        seconds(sum.server),
        seconds(settling.clientMs),
        seconds(settling.serverMs),
        (bytes / 1e6).toFixed(0),
        rssMb.toFixed(0),
        serverRssMb.toFixed(0),
      ];
    }),
  );
  const both = (values: readonly number[]) =>
    `${percentile(values, 50).toFixed(1)} / ${percentile(values, 95).toFixed(1)} (${Math.min(...values).toFixed(1)})`;
  const average = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / values.length;
  print(
    [
      "",
      "chunks",
      ...["question", "name", "quoted", "path"].flatMap((kind) => [kind, "server"]),
      "least ms of a question",
      "first: client",
      "server",
      "RSS MB",
    ],
    all.map(({ driver, ingest, search: { kinds, first, rssMb } }) => [
      driver,
      `${ingest.chunks}`,
      ...["question", "name", "quoted", "path"].flatMap((kind) => [
        both(kinds[kind]!.map(({ clientMs }) => clientMs)),
        average(kinds[kind]!.map(({ serverMs }) => serverMs)).toFixed(1),
      ]),
      Math.min(...kinds.question!.map(({ ms }) => ms)).toFixed(1),
      first.clientMs.toFixed(0),
      first.serverMs.toFixed(0),
      rssMb.toFixed(0),
    ]),
  );
  print(
    [
      "",
      "chunks",
      "a save, CPU ms: client",
      "server",
      "least ms",
      "first question after it: client",
      "server",
      "least ms",
    ],
    all.map(({ driver, ingest, save }) => [
      driver,
      `${ingest.chunks}`,
      ...(["save", "first"] as const).flatMap((which) => [
        percentile(
          save.map((one) => one[which].clientMs),
          50,
        ).toFixed(1),
        percentile(
          save.map((one) => one[which].serverMs),
          50,
        ).toFixed(1),
        Math.min(...save.map((one) => one[which].ms)).toFixed(1),
      ]),
    ]),
  );
  const sameAs = (a: string[], b: string[]) =>
    a.filter((one) => b.includes(one)).length / Math.max(1, a.length);
  print(
    ["", "chunks", "of SQLite's ten results for questions and names"],
    all.map(({ driver, ingest, search, size }) => {
      const other = all.find((one) => one.driver === "sqlite" && one.size === size);
      const shares = Object.entries(search.found).map(([q, found]) =>
        sameAs(other?.search.found[q] ?? [], found),
      );
      return [driver, `${ingest.chunks}`, other ? average(shares).toFixed(3) : "-"];
    }),
  );
}
