/**
 * What it costs to read, parse, chunk and embed a repository with so many threads, each number in a process of its own: seconds by the
 * clock, CPU seconds, and memory at most. Nothing is written. Linux only.
 *
 *   npm run bench:parsers -- --source DIR [--threads 1,2,3]
 */
import { execFileSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { makeDefaultConfig } from "../src/base/config/settings.ts";
import { optimiseLater } from "../src/base/tune-compiler.ts";
import { buildPoolOptions, ParsePool } from "../src/code/parse/parse-pool.ts";
import { printTable } from "./measure.ts";

const { values: options } = parseArgs({
  options: {
    source: { type: "string" },
    threads: { type: "string", default: "1,2,3" },
    /** Of a process that measures one number. */
    alone: { type: "boolean", default: false },
  },
});
const root = resolve(options.source ?? ".");

/** As the indexer has in flight. */
const maxBytes = 6_000_000;
const filesInFlight = 32;

async function measure(threads: number): Promise<string[]> {
  optimiseLater();
  const paths = execFileSync("git", ["-C", root, "ls-files", "-z"], { encoding: "utf8", maxBuffer: 1e9 });
  const stamps = paths.split("\0").flatMap((path) => {
    const stat = path === "" ? undefined : statSync(join(root, path), { throwIfNoEntry: false });
    return stat?.isFile() ? [{ path, size: stat.size, mtimeMs: Math.trunc(stat.mtimeMs) }] : [];
  });
  const pool = new ParsePool({
    ...buildPoolOptions(root, makeDefaultConfig(), stamps),
    countThreads: () => threads,
    withVectors: true,
  });
  const started = performance.now();
  const running = new Set<Promise<unknown>>();
  let bytes = 0;
  for (const stamp of stamps) {
    while (running.size >= filesInFlight * threads || bytes > maxBytes) await Promise.race(running);
    bytes += stamp.size;
    const parsed: Promise<unknown> = pool.parse(stamp, null).finally(() => {
      bytes -= stamp.size;
      running.delete(parsed);
    });
    running.add(parsed);
  }
  await Promise.all(running);
  const seconds = (performance.now() - started) / 1000;
  const { user, system } = process.cpuUsage();
  const heldMb = Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1]) / 1024;
  await pool.close();
  return [
    String(threads),
    String(stamps.length),
    seconds.toFixed(1),
    ((user + system) / 1e6).toFixed(1),
    heldMb.toFixed(0),
  ];
}

if (options.alone) console.log(JSON.stringify(await measure(Number(options.threads))));
else {
  const rows = options.threads.split(",").map((threads) => {
    const args = ["--import", "tsx", fileURLToPath(import.meta.url), "--alone"];
    const own = ["--source", root, "--threads", threads];
    return JSON.parse(execFileSync(process.execPath, [...args, ...own], { encoding: "utf8" })) as string[];
  });
  printTable(["threads", "files", "s", "CPU s", "MB"], rows, { markdown: true });
}
