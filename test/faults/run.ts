/**
 * Kills, cuts and starves Pommel, and compares what is left with an undisturbed run.
 *
 *   npm run test:faults [-- --points 50] [--only kill,power,calls,disk,files,race,projects,versions,migrated,memory] [--work index,import] [--big 1000] [--seed 1]
 *
 *   --points N   how often each piece of work is killed with SIGKILL, or loses its power, at random moments (default: 10);
 *                also the rounds of two versions
 *   --work LIST  what is killed or loses its power (default: all)
 *   --big MB     the size of the one long line (default: 1000)
 *   --seed N     what two versions do at once, and when (default: 1)
 *
 * "calls" leaves nothing to chance: it tries what a kill and what a power cut leave before each call of the system that changes
 * files, of whatever replaces files in several steps, in a plain home and in an encrypted one.
 *
 * Prints a Markdown table, writes its rows into docs/reliability.md, and ends with 1 when anything differs. What cannot be tried
 * on this machine is said, and its row stays. A power cut (power-cut.c, Linux with a C compiler) drops a random half of what was written and not synced;
 * src/store/memory/power-cut.test.ts cuts the log of the memory at any byte.
 */
import { removeDirectory } from "../support/remove-directory.ts";
import { manyProjects, race } from "./daemons.ts";
import { everyCall } from "./every-call.ts";
import { diskFull, fewFiles } from "./exhaustion.ts";
import { hostileInput } from "./hostile-input.ts";
import { interrupt } from "./interruptions.ts";
import { failed, options, rows, work, works } from "./setting.ts";
import { killSync } from "./sync.ts";
import { writeRows } from "./table.ts";
import { migratedMeanwhile, twoVersions } from "./versions.ts";

const wanted = options.only?.split(",");
const isWanted = (name: string) => wanted?.includes(name) ?? true;

/** What is tried, in this order, by the names of `--only`. */
const groups: { names: string[]; run(): Promise<void> }[] = [
  { names: ["kill", "power"], run: () => interrupt({ kills: isWanted("kill"), cuts: isWanted("power") }) },
  { names: ["kill"], run: async () => void (works.has("sync") && (await killSync())) },
  { names: ["calls"], run: everyCall },
  { names: ["disk"], run: diskFull },
  { names: ["files"], run: fewFiles },
  { names: ["race"], run: race },
  { names: ["projects"], run: manyProjects },
  { names: ["versions"], run: twoVersions },
  { names: ["migrated"], run: migratedMeanwhile },
  { names: ["memory"], run: hostileInput },
];
try {
  for (const { names, run } of groups) if (names.some(isWanted)) await run();
} finally {
  removeDirectory(work);
}
console.log("| what | tried | survived identical |\n|---|---|---|");
for (const row of rows) console.log(`| ${row.join(" | ")} |`);
writeRows(rows.filter(([, tried]) => tried !== "not tried"));
process.exitCode = failed ? 1 : 0;
