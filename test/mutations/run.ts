/**
 * Changes one place of a source at a time, as a careless hand would, and runs the unit tests nearest to it: one of them must
 * fail. What survives is shown, with its place; the share that was noticed says what the tests protect.
 *
 *   npm run test:mutations                            40 places of the memories and features
 *   npm run test:mutations -- --count 200 --seed 2    others, and more of them
 *
 *   --rooms LIST   folders of src/ (default: attribution,code,features,sessions,store)
 *   --list FILE    writes what was tried, and what became of it, as JSON
 *
 * A test file that fails before the change counts for nothing. It changes files of the working tree, and puts each back.
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
    rooms: { type: "string", default: "attribution,code,features,sessions,store" },
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
  // What is unchanged is not transformed once more.
  const flags = ["--experimental.fsModuleCache", "--bail", "1", "--maxWorkers", "1"];
  const args = ["node_modules/vitest/vitest.mjs", "run", ...flags, ...tests];
  // In a group of its own, with its workers: one that runs for ever hears nothing else.
  const child = spawn(process.execPath, args, { stdio: "ignore", detached: true });
  endTests = () => process.kill(-child.pid!, "SIGKILL");
  const timer = setTimeout(endTests, timeoutMs);
  const [code] = await once(child, "close");
  clearTimeout(timer);
  endTests = () => {};
  return code !== 0;
}

/** Test files, and whether they pass as the sources stand. */
const passing = new Map<string, boolean>();
async function listPassing(tests: readonly string[]): Promise<string[]> {
  for (const test of tests) if (!passing.has(test)) passing.set(test, !(await failTests([test])));
  return tests.filter((test) => passing.get(test));
}

/** Whether tests fail while a place is another. */
async function failWith({ file, start, end, text }: Mutant, tests: readonly string[]): Promise<boolean> {
  const before = readFileSync(file, "utf8");
  restoreSource = () => writeFileSync(file, before);
  writeFileSync(file, before.slice(0, start) + text + before.slice(end));
  try {
    return tests.length > 0 && (await failTests(tests));
  } finally {
    restoreSource();
  }
}

/** Whether one of the tests fails with a change, and does not without it. */
async function notice(mutant: Mutant, tests: readonly string[]): Promise<boolean> {
  if (!(await failWith(mutant, tests))) return false;
  const sound = await listPassing(tests);
  return sound.length === tests.length || (await failWith(mutant, sound));
}

async function tryMutant(mutant: Mutant, [nearest, ...others]: readonly string[]): Promise<Outcome> {
  if (nearest === undefined) return "untested";
  // Most are noticed by the first, which is there much sooner than all.
  return (await notice(mutant, [nearest])) || (await notice(mutant, others)) ? "noticed" : "survived";
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
