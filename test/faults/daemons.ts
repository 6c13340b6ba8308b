import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { daemonOf, daemonsOf, errorsIn, memoryOf, pm } from "./processes.ts";
import { base, report } from "./setting.ts";

export async function race(): Promise<void> {
  const { root } = base("race", { end: 1 });
  const all = Array.from({ length: 20 }, () => pm(root, "start"));
  await Promise.all(all.map((child) => once(child, "close")));
  const worked = all.filter(({ exitCode }) => exitCode === 0).length;
  const daemons = daemonsOf(root).length;
  report("20 × `pm daemon start` at once", 20, daemons === 1 ? worked : 0, `${daemons} daemon`);
  await once(pm(root, "stop"), "close");
}

/** Projects of one home, and so of one daemon. Each has 200 files; all are asked at once, after all have indexed. */
export async function manyProjects(): Promise<void> {
  const roots = Array.from({ length: 20 }, (_, i) => base(`many/${i}`, { end: 0 }).root);
  const [first] = roots as [string, ...string[]];
  const sizes: number[] = [];
  for (const root of roots) {
    await once(pm(root, "start", "--wait"), "close");
    sizes.push(memoryOf(daemonOf(root) ?? 0, "VmRSS"));
  }
  const before = daemonOf(first);
  const asked = roots.map((root) => pm(root, "search", "code", "compute7"));
  await Promise.all(asked.map((child) => once(child, "close")));
  await sleep(5000);
  const pid = daemonOf(first);
  const isGood = pid !== null && pid === before && daemonsOf(first).length === 1 && errorsIn(first) === 0;
  const answered = asked.filter(({ exitCode }) => exitCode === 0).length;
  report(
    "20 projects of one daemon, all asked at once",
    20,
    isGood ? answered : 0,
    `all answer, no error logged; resident ${[sizes[0]!, memoryOf(pid ?? 0, "VmRSS")].map(Math.round).join(" MB with the first project, ")} MB with all`,
  );
  await once(pm(first, "stop"), "close");
}
