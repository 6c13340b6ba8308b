/**
 * Changes one place of a source at a time, as a careless hand would, and runs the unit tests nearest to it: one of them must
 * fail. What survives is shown, with its place; the share that was noticed says what the tests protect.
 *
 *   npm run test:mutations                            40 places of the memories and features
 *   npm run test:mutations -- --count 200 --seed 2    others, and more of them
 *
 *   --rooms LIST   folders of src/ (default: attribution,code,features,search,sessions,store)
 *   --list FILE    writes what was tried, and what became of it, as JSON
 *
 * The unit tests must pass before. It changes files of the working tree, and puts each back.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { random } from "../../bench/attribution/random.ts";
import { findMutants, type Mutant } from "./mutants.ts";
import { listSources, TestsOfSources } from "./tests-of-sources.ts";

const { values: options } = parseArgs({
  options: {
    count: { type: "string", default: "40" },
    seed: { type: "string", default: "1" },
    rooms: { type: "string", default: "attribution,code,features,search,sessions,store" },
    list: { type: "string" },
  },
});

/** A mutant may run for ever; on a busy machine a sound one takes this long. */
const timeoutMs = 300_000;

type Outcome = "noticed" | "survived" | "untested";

/** What a signal ends and puts back. */
let endTests = () => {};
let restoreSource = () => {};
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, () => {
    endTests();
    restoreSource();
    process.exit(1);
  });
}

/** Whether a test fails, or none comes to an end. */
async function failTests(tests: readonly string[]): Promise<boolean> {
  const args = ["node_modules/vitest/vitest.mjs", "run", "--bail", "1", "--maxWorkers", "1", ...tests];
  // In a group of its own, with its workers: one that runs for ever hears nothing else.
  const child = spawn(process.execPath, args, { stdio: "ignore", detached: true });
  endTests = () => process.kill(-child.pid!, "SIGKILL");
  const timer = setTimeout(endTests, timeoutMs);
  const [code] = await once(child, "close");
  clearTimeout(timer);
  endTests = () => {};
  return code !== 0;
}

async function tryMutant({ file, start, end, text }: Mutant, tests: readonly string[]): Promise<Outcome> {
  const [nearest, ...others] = tests;
  if (nearest === undefined) return "untested";
  const before = readFileSync(file, "utf8");
  restoreSource = () => writeFileSync(file, before);
  writeFileSync(file, before.slice(0, start) + text + before.slice(end));
  try {
    // Most are noticed by the first, which is there much sooner than all.
    const isNoticed = (await failTests([nearest])) || (others.length > 0 && (await failTests(others)));
    return isNoticed ? "noticed" : "survived";
  } finally {
    restoreSource();
  }
}

const sources = listSources(options.rooms.split(","));
const mutants = random(Number(options.seed))
  .shuffled(sources.flatMap((file) => findMutants(file, readFileSync(file, "utf8"))))
  .slice(0, Number(options.count));
const testsOfSources = new TestsOfSources();
const tried = [];
for (const mutant of mutants) {
  const { file, start, end, text } = mutant;
  const source = readFileSync(file, "utf8");
  const line = source.slice(0, start).split("\n").length;
  const outcome = await tryMutant(mutant, testsOfSources.findNearest(file));
  tried.push({ outcome, place: `${file}:${line}`, before: source.slice(start, end), after: text });
  console.log(`${outcome.padEnd(8)}  ${file}:${line}  ${source.slice(start, end)} -> ${text}`);
}
const noticed = tried.filter(({ outcome }) => outcome === "noticed").length;
console.log(`${noticed} of ${tried.length} changes were noticed.`);
if (options.list !== undefined) writeFileSync(options.list, `${JSON.stringify(tried, null, 2)}\n`);
