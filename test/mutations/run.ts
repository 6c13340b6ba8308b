/**
 * Changes one place of a source at a time, as a careless hand would, and runs the unit tests nearest to it: one of them must
 * fail. What survives is shown, with its place; the share that was noticed says what the tests protect.
 *
 *   npm run test:mutations                            40 places of the memories and features
 *   npm run test:mutations -- --count 200 --seed 2    others, and more of them
 *
 *   --rooms LIST     folders of src/ (default: attribution,code,features,sessions,store)
 *   --minutes COUNT  begins no further run of tests after so long; what is undecided by then is not counted
 *   --list FILE      writes what was tried, and what became of it, as JSON
 *
 * The sources hold all changes at once, and each test file runs with one of them in force: so one run of vitest tries as many as
 * there are test files. A test that fails without the change as well counts for nothing. The working tree is left alone.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { random } from "../../bench/attribution/random.ts";
import { findMutants, type Mutant, pickApart } from "./mutants.ts";
import { type Plan, planVariable } from "./plan.ts";
import { listSources, TestsOfSources } from "./tests-of-sources.ts";

const { values: options } = parseArgs({
  options: {
    count: { type: "string", default: "40" },
    seed: { type: "string", default: "1" },
    rooms: { type: "string", default: "attribution,code,features,sessions,store" },
    minutes: { type: "string", default: "60" },
    list: { type: "string" },
  },
});

/** A test file with a mutant may run for ever; on a busy machine a sound one takes this long. */
const timeoutMs = 180_000;
const watchIntervalMs = 5000;
/** So many mutants are decided before the next begin: what is decided when the time is over is a fair part of the sample. */
const batchSize = 24;
/** Of the tests of a mutant that its nearest one does not notice, so many run together. */
const maxTogether = 4;

interface Tried extends Mutant {
  id: number;
  /** Test files that have not run with it yet, the nearest first. */
  left: string[];
  outcome: "noticed" | "survived" | "untested" | null;
  /** Where it was noticed. */
  by: string | null;
}

const directory = mkdtempSync(join(tmpdir(), "pommel-mutations-"));
const endsAt = Date.now() + Number(options.minutes) * 60_000;
let endTests = () => {};
process.on("exit", () => {
  endTests();
  rmSync(directory, { recursive: true, force: true });
});
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(1));

/** @returns the test files that failed; one that had to be ended, or took its process with it, failed */
async function runTests(
  mutants: Plan["mutants"],
  assigned: ReadonlyMap<string, number>,
): Promise<Set<string>> {
  const journal = join(directory, "journal");
  const results = join(directory, "results.json");
  const planFile = join(directory, "plan.json");
  const activeIn = Object.fromEntries([...assigned].map(([test, id]) => [resolve(test), id]));
  writeFileSync(planFile, JSON.stringify({ mutants, activeIn, journal } satisfies Plan));
  for (const file of [journal, results]) writeFileSync(file, "");
  const config = ["--config", "test/mutations/vitest.config.ts"];
  const args = [
    "node_modules/vitest/vitest.mjs",
    "run",
    ...config,
    "--reporter",
    "json",
    "--outputFile",
    results,
  ];
  // In a group of its own, with its workers.
  const child = spawn(process.execPath, args, {
    stdio: "ignore",
    detached: true,
    env: { ...process.env, [planVariable]: planFile },
  });
  endTests = () => process.kill(-child.pid!, "SIGKILL");
  const watch = setInterval(() => endStuck(journal), watchIntervalMs);
  await once(child, "close");
  clearInterval(watch);
  endTests = () => {};
  seen.clear();

  const text = readFileSync(results, "utf8");
  const { testResults }: { testResults: { name: string; status: string }[] } =
    text === "" ? { testResults: [] } : JSON.parse(text);
  const passed = new Set(testResults.flatMap(({ name, status }) => (status === "passed" ? name : [])));
  const began = readJournal(journal).flatMap(({ what, test }) => (what === "began" ? test : []));
  return new Set(began.filter((test) => !passed.has(test)).map((test) => test.slice(resolve().length + 1)));
}

const readJournal = (file: string) =>
  readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => line.split("\t"))
    .map(([what, test, pid]) => ({ what: what!, test: test!, pid: Number(pid) }));

/** When a test file was first seen to have begun. Milliseconds since the epoch. */
const seen = new Map<string, number>();

/** Ends the processes of test files that run for ever. */
function endStuck(journal: string): void {
  const lines = existsSync(journal) ? readJournal(journal) : [];
  const ended = new Set(lines.flatMap(({ what, test }) => (what === "ended" ? test : [])));
  for (const { what, test, pid } of lines) {
    if (what !== "began" || ended.has(test)) continue;
    if (!seen.has(test)) seen.set(test, Date.now());
    if (Date.now() - seen.get(test)! < timeoutMs) continue;
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has ended by itself.
    }
  }
}

/** Gives each open mutant the nearest test that has none yet in this round, and then further ones. */
function assignTests(open: readonly Tried[], each: number): Map<string, number> {
  const assigned = new Map<string, number>();
  for (let turn = 0; turn < each; turn++)
    for (const { id, left } of open) {
      const test = left.find((one) => !assigned.has(one));
      if (test !== undefined) assigned.set(test, id);
    }
  return assigned;
}

/** Test files, and whether they fail as the sources are. */
const failingAlways = new Map<string, boolean>();
async function dropFailingAlways(failed: Iterable<string>, mutants: Plan["mutants"]): Promise<void> {
  const unknown = [...failed].filter((test) => !failingAlways.has(test));
  if (unknown.length === 0) return;
  const failing = await runTests(mutants, new Map(unknown.map((test) => [test, -1])));
  for (const test of unknown) failingAlways.set(test, failing.has(test));
}

const sources = listSources(options.rooms.split(","));
const testsOfSources = new TestsOfSources();
const tried = pickApart(
  random(Number(options.seed)).shuffled(
    sources.flatMap((file) => findMutants(file, readFileSync(file, "utf8"))),
  ),
  Number(options.count),
).map((mutant, id): Tried => {
  const left = testsOfSources.findNearest(mutant.file);
  return { ...mutant, id, left, outcome: left.length === 0 ? "untested" : null, by: null };
});
const plain = tried.map(({ left: _, outcome: __, by: ___, ...mutant }) => mutant);

for (let from = 0; from < tried.length && Date.now() < endsAt; from += batchSize)
  await decideBatch(tried.slice(from, from + batchSize));

/** Runs the nearest test of each, then the others of those that it did not notice. */
async function decideBatch(batch: readonly Tried[]): Promise<void> {
  let open = batch.filter(({ outcome }) => outcome === null);
  for (let each = 1; open.length > 0 && Date.now() < endsAt; each = maxTogether) {
    const assigned = assignTests(open, each);
    const failed = await runTests(plain, assigned);
    await dropFailingAlways(failed, plain);
    for (const [test, id] of assigned) {
      const mutant = tried[id]!;
      mutant.left = mutant.left.filter((one) => one !== test);
      if (failed.has(test) && !failingAlways.get(test))
        Object.assign(mutant, { outcome: "noticed", by: test });
    }
    for (const one of open) if (one.outcome === null && one.left.length === 0) one.outcome = "survived";
    open = open.filter(({ outcome }) => outcome === null);
    const decided = tried.filter(({ outcome }) => outcome !== null).length;
    console.log(`${assigned.size} test files ran; ${decided} of ${tried.length} changes are decided.`);
  }
}

const shorten = (text: string) => (text.length > 60 ? `${text.slice(0, 59)}…` : text).replaceAll(/\s+/g, " ");
for (const { outcome, file, start, end, text } of tried) {
  const source = readFileSync(file, "utf8");
  const line = source.slice(0, start).split("\n").length;
  const before = shorten(source.slice(start, end));
  console.log(`${(outcome ?? "undecided").padEnd(9)}  ${file}:${line}  ${before} -> ${shorten(text)}`);
}
const count = (outcome: Tried["outcome"]) => tried.filter((one) => one.outcome === outcome).length;
console.log(
  `${count("noticed")} of ${tried.length - count(null)} changes were noticed; ${count("survived")} survived, and ${count("untested")} no test loads.`,
);
if (options.list !== undefined) writeFileSync(options.list, `${JSON.stringify(tried, null, 2)}\n`);
