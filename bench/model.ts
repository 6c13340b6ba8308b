/**
 * Speed of the bundled model: loading it, embedding a query, embedding chunks.
 *
 *   npm run bench:model [-- --source DIR] [--json]
 *
 * Chunks are stretches of 1,400 characters, about what chunks of code have, of the source files below DIR (default:
 * this project's own). All times are CPU times of one thread.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createStaticEmbedder } from "../src/models/embed/static/static-embedder.ts";

const chunkLength = 1400;
const mostChunks = 20_000;
const isSource = /\.(ts|js|py|go|rs|java|rb|c|h|cc|cpp|kt|cs|php)$/;

const { values: options } = parseArgs({
  options: { source: { type: "string", default: "src" }, json: { type: "boolean", default: false } },
});

function chunksBelow(dir: string): string[] {
  const chunks: string[] = [];
  for (const entry of readdirSync(dir, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !isSource.test(entry.name) || chunks.length >= mostChunks) continue;
    const text = readFileSync(join(entry.parentPath, entry.name), "utf8");
    for (let at = 0; at < text.length; at += chunkLength) chunks.push(text.slice(at, at + chunkLength));
  }
  return chunks;
}

/** Milliseconds of CPU. */
async function cpuTime(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

const chunks = chunksBelow(options.source);
const queries = Array.from({ length: 1000 }, (_, i) => `where are failed requests tried again, case ${i}`);
const embedder = createStaticEmbedder();
const loadMs = await cpuTime(() => embedder.prepare());
const firstMs = await cpuTime(() => embedder.embed(chunks, "passage"));
const warmMs = await cpuTime(() => embedder.embed(chunks, "passage"));
const queryMs = await cpuTime(async () => {
  for (const query of queries) await embedder.embed([query], "query");
});
const figures = {
  chunks: chunks.length,
  load_ms: loadMs,
  query_ms: queryMs / queries.length,
  chunks_per_cpu_second: (chunks.length / firstMs) * 1000,
  chunks_per_cpu_second_warm: (chunks.length / warmMs) * 1000,
};
if (options.json) {
  console.log(JSON.stringify(figures, null, 2));
} else {
  for (const [name, value] of Object.entries(figures)) {
    console.log(`${name.replaceAll("_", " ").padEnd(28)}${value.toFixed(value < 10 ? 3 : 0)}`);
  }
}
