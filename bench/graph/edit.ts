/**
 * How long after a save the graph has its edges: from a finished write to the first answer of the daemon that names the new
 * caller, by `pm code impact`, and by a search with `graph`; beside it until a search finds the caller itself.
 *
 *   npx tsx bench/graph/edit.ts --project DIR [--times 25]
 *
 * DIR is an indexed project; two files are written into it and removed again. Milliseconds.
 */
import { appendFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { callDaemon } from "../../src/client/daemon-client.ts";
import { findImpact } from "../../src/features/impact/operation.ts";
import { searchCode } from "../../src/features/search/operation.ts";
import { showStatus } from "../../src/features/status/operation.ts";
import { percentile, printTable } from "../measure.ts";
import { runPm, untilIdle } from "../speed.ts";

const { values: options } = parseArgs({
  options: { project: { type: "string" }, times: { type: "string", default: "25" } },
});
if (options.project === undefined) {
  console.error("usage: npx tsx bench/graph/edit.ts --project DIR [--times 25]");
  process.exit(2);
}
const root = options.project;
const [called, calling] = ["pommel_bench_called", "pommel_bench_calling"].map((name) =>
  join(root, `${name}.py`),
);
const target = "pommel_bench_target";

/** The names of what calls the target, or how many they are. */
const ways: Record<string, (caller: string) => Promise<string[]>> = {
  "search for the caller": async (caller) => {
    const { results } = await callDaemon(root, searchCode, { q: caller, limit: 1 }, 60_000);
    return results.map(({ name }) => name);
  },
  "pm code impact": async () =>
    (await callDaemon(root, findImpact, { of: [target], limit: 1000 }, 60_000)).touched.map(
      ({ name }) => name,
    ),
  "search with graph": async () => {
    const { results } = await callDaemon(root, searchCode, { q: target, limit: 1, graph: true }, 60_000);
    return [`${results[0]?.graph?.used_by_total ?? 0}`];
  },
};

runPm(root, "start");
try {
  await untilIdle(root);
  const { total_chunks } = (await callDaemon(root, showStatus, {})).index;
  const rows: string[][] = [];
  for (const [way, names] of Object.entries(ways)) {
    writeFileSync(called!, `def ${target}():\n    return 1\n`);
    writeFileSync(calling!, `from pommel_bench_called import ${target}\n`);
    await sleep(2000);
    const times: number[] = [];
    for (let i = 1; i <= Number(options.times); i++) {
      const caller = `pommel_bench_caller_${i}`;
      appendFileSync(calling!, `\ndef ${caller}():\n    return ${target}()\n`);
      const start = performance.now();
      for (;;) {
        const found = await names(caller);
        if (found.includes(caller) || found.includes(`${i}`)) break;
        await sleep(2);
      }
      times.push(performance.now() - start);
      await sleep(50);
    }
    const figures = [Math.min(...times), percentile(times, 50), percentile(times, 95)].map((one) =>
      one.toFixed(0),
    );
    rows.push([way, `${total_chunks}`, `${times.length}`, ...figures]);
  }
  printTable(["by", "chunks", "saves", "least", "p50", "p95"], rows, { markdown: false });
} finally {
  rmSync(called!, { force: true });
  rmSync(calling!, { force: true });
  runPm(root, "stop");
}
