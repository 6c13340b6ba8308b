/**
 * What the cache of all checkouts saves: a repository is indexed, and then a second copy of it, each by a process without a
 * daemon, in a home of their own.
 *
 *   npm run bench:cache -- --source DIR [--rounds 3] [--json]
 */

import { cpSync, statSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { scratchDir } from "./measure.ts";
import { childrenCpuMs, runPm } from "./speed.ts";

const { values: options } = parseArgs({
  options: {
    source: { type: "string" },
    rounds: { type: "string", default: "3" },
    json: { type: "boolean", default: false },
  },
});
if (options.source === undefined) throw new Error("--source DIR is missing");

function indexedCpuSeconds(root: string) {
  const before = childrenCpuMs();
  const { indexed } = JSON.parse(runPm(root, "reindex", "--json")) as { indexed: number };
  return { files: indexed, seconds: (childrenCpuMs() - before) / 1000 };
}

const work = scratchDir("bench-cache");
process.env.POMMEL_DAEMON_AUTOSTART = "false";
const [first, second] = ["first", "second"].map((name) => join(work, name));
for (const copy of [first!, second!]) cpSync(options.source, copy, { recursive: true });
const rounds = Array.from({ length: Number(options.rounds) }, (_, i) => {
  process.env.POMMEL_HOME = join(work, `home${i}`);
  const [once, again] = [indexedCpuSeconds(first!), indexedCpuSeconds(second!)];
  const bytes = statSync(join(process.env.POMMEL_HOME, "cache", "index-cache.db")).size;
  return {
    files: once.files,
    first_cpu_s: once.seconds,
    second_cpu_s: again.seconds,
    cache_mb: bytes / 1e6,
  };
});
if (options.json) console.log(JSON.stringify(rounds, null, 2));
else {
  for (const { files, first_cpu_s: once, second_cpu_s: again, cache_mb: mb } of rounds) {
    const ratio = (again / once).toFixed(2);
    console.log(
      `${files} files  first ${once.toFixed(1)} CPU s  second ${again.toFixed(1)}  ratio ${ratio}  cache ${mb.toFixed(1)} MB`,
    );
  }
}
