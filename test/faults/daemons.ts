import { once } from "node:events";
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { daemonOf, daemonsOf, errorsIn, memoryOf, pm, proportional } from "./processes.ts";
import { base, report } from "./setting.ts";

export async function race(): Promise<void> {
  const { root } = base("race", { end: 1 });
  const all = Array.from({ length: 20 }, () => pm(root, "start"));
  await Promise.all(all.map((child) => once(child, "close")));
  const worked = all.filter(({ exitCode }) => exitCode === 0).length;
  const daemons = daemonsOf(root).length;
  report("20 × `pm start` at once", 20, daemons === 1 ? worked : 0, `${daemons} daemon`);
  await once(pm(root, "stop"), "close");
}

/** Each has 200 files; all are asked at once, after all have indexed. */
export async function manyDaemons(): Promise<void> {
  const roots = Array.from({ length: 20 }, (_, i) => base(`daemon-${i}`, { end: 0 }).root);
  for (const root of roots) await once(pm(root, "start", "--wait"), "close");
  const before = roots.map(daemonOf);
  const asked = roots.map((root) => pm(root, "search", "code", "compute7"));
  await Promise.all(asked.map((child) => once(child, "close")));
  await sleep(5000);
  const pids = roots.map(daemonOf);
  const isGood = (pid: number | null, i: number) =>
    pid !== null && pid === before[i] && asked[i]!.exitCode === 0 && errorsIn(roots[i]!) === 0;
  const sum = (sizes: number[]) => Math.round(sizes.reduce((total, size) => total + size, 0));
  const running = pids.filter((pid) => pid !== null);
  report(
    "20 daemons at once",
    20,
    pids.filter(isGood).length,
    `all answer, no error logged; resident ${sum(running.map((pid) => memoryOf(pid, "VmRSS")))} MB, ${sum(running.map(proportional))} MB without counting shared memory twice`,
  );
  console.error(readFileSync(`/proc/${running[0]}/smaps_rollup`, "utf8"));
  for (const root of roots) await once(pm(root, "stop"), "close");
}
