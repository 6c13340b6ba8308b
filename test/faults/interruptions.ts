import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Project } from "../../src/base/paths.ts";
import { listPlainFiles } from "../../src/store/encryption/home-files.ts";
import { Sqlite } from "../../src/store/sqlite/sqlite.ts";
import { runStep } from "./processes.ts";
import { base, enter, points, putInPlace, report, work, works } from "./setting.ts";
import { contentOf, indexContent } from "./stored.ts";

interface Interrupted {
  work: string;
  /** As `--work` names it, where that is another name. */
  kind?: string;
  /** What is there before. */
  from: State;
  outcome(project: Project): string | Promise<string>;
}

/** Puts what is there before a piece of work in its place. */
export function fresh(from: string): Project {
  putInPlace(from, "at");
  return enter(join(work, "at/repo"));
}

async function killEach({ work: name, from, outcome }: Interrupted): Promise<void> {
  const calm = fresh(from);
  const tookMs = await runStep(name, calm.root);
  // What fails undisturbed leaves the same every time.
  if (tookMs === null) throw new Error(`${name} failed, with nothing to disturb it`);
  const expected = await outcome(calm);
  let [same, ended] = [0, 0];
  for (let i = 0; i < points; i++) {
    const project = fresh(from);
    if ((await runStep(name, project.root, { killAfterMs: Math.random() * tookMs })) === null) ended++;
    await runStep(name, project.root);
    if ((await outcome(project)) === expected) same++;
  }
  report(`kill -9: ${name}`, points, same, `${ended} before its end`);
}

/** The library that cuts the power of a process; null, and a word on why, where it cannot be built. */
export function buildPowerCut(): string | null {
  const library = join(work, "power-cut.so");
  const source = join(import.meta.dirname, "power-cut.c");
  const built = spawnSync("cc", ["-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"]);
  if (process.platform === "linux" && built.status === 0) return library;
  report("power cut", "not tried", "not tried", "needs Linux and a C compiler");
  return null;
}

async function cutEach({ work: name, from, outcome }: Interrupted, library: string): Promise<void> {
  const counted = join(work, "writes");
  const calm = fresh(from);
  const watch = { LD_PRELOAD: library, POWER_CUT_DIR: join(work, "at"), POWER_CUT_COUNT: counted };
  await runStep(name, calm.root, { environment: watch });
  const writes = Number(readFileSync(counted, "utf8"));
  const expected = await outcome(calm);
  let [same, ended] = [0, 0];
  for (let i = 0; i < points; i++) {
    const project = fresh(from);
    const after = 1 + Math.floor(Math.random() * writes);
    const environment = { ...watch, POWER_CUT_AFTER: String(after), POWER_CUT_SEED: String(i) };
    if ((await runStep(name, project.root, { environment })) === null) ended++;
    await runStep(name, project.root);
    const found = await outcome(project);
    if (found === expected) same++;
    else
      console.error(
        `power cut: ${name} after ${after} of ${writes} writes, seed ${i}: ${found.slice(0, 80)}`,
      );
  }
  report(`power cut: ${name}`, points, same, `${ended} before its end, of ${writes} writes`);
}

const storedIn = (of: Project) => contentOf(of.memoryDb);

function copyOf(of: Project): string {
  const folder = join(of.dataDir, "backups");
  const names = readdirSync(folder).filter((name) => name.endsWith(".db"));
  return `${names.length} ${contentOf(join(folder, names[0]!))}`;
}

const storedAndPlain = (of: Project) =>
  `${listPlainFiles({ backups: [] }).length} plain, ${contentOf(of.memoryDb)}`;

/** Pieces of work, each with what is there before it. */
const interrupted: readonly Interrupted[] = [
  { work: "index", from: "empty", outcome: indexContent },
  { work: "import", from: "empty", outcome: storedIn },
  { work: "backup", from: "imported", outcome: copyOf },
  { work: "recut", from: "outdated", outcome: storedIn },
  { work: "migration", from: "imported", outcome: storedIn },
  ...[
    {
      work: "encrypt",
      from: "plain",
      outcome: async (of: Project) => `${storedAndPlain(of)} ${await indexContent(of)}`,
    } as const,
    {
      work: "decrypt",
      from: "encrypted",
      outcome: async (of: Project) => `${storedAndPlain(of)} ${await indexContent(of)}`,
    } as const,
    // Plain to encrypted and back, and an encrypted memory while it is written.
    { work: "import, encrypted", from: "empty, encrypted", outcome: storedAndPlain } as const,
  ].map((one) => ({ ...one, kind: "encryption" })),
];

/** What is there before: made of another state, or of nothing. */
const states = {
  empty: { of: null, make: () => {} },
  imported: { of: "empty", make: ({ root }) => runStep("import", root) },
  outdated: { of: "imported", make: forgetCuts },
  plain: { of: "imported", make: ({ root }) => runStep("index", root) },
  encrypted: { of: "plain", make: ({ root }) => runStep("encrypt", root) },
  "empty, encrypted": { of: "empty", make: ({ root }) => runStep("encrypt", root) },
} as const satisfies Record<string, { of: string | null; make(project: Project): unknown }>;
type State = keyof typeof states;

/** Makes a state once. */
export async function prepare(state: State): Promise<void> {
  const { of, make } = states[state];
  if (of !== null) await prepare(of);
  await prepareFrom(state, () => make(of === null ? base("at") : fresh(of)));
}

/** Keeps what `make` makes in the place of work as a state of that name. */
export async function prepareFrom(state: string, make: () => unknown): Promise<void> {
  if (existsSync(join(work, state))) return;
  putInPlace(null, "at");
  await make();
  putInPlace("at", state);
}

/** Kills each piece of work, cuts its power, or both. */
export async function interrupt({ kills, cuts }: { kills: boolean; cuts: boolean }): Promise<void> {
  const library = cuts ? buildPowerCut() : null;
  for (const one of interrupted.filter(({ work, kind = work }) => works.has(kind))) {
    await prepare(one.from);
    if (kills) await killEach(one);
    if (library !== null) await cutEach(one, library);
  }
}

/** As if another version had cut the sessions. */
function forgetCuts({ memoryDb }: Project): void {
  const db = new Sqlite(memoryDb, { mode: "write", timeoutMs: 5000 });
  db.exec("DELETE FROM session_cuts; UPDATE chunk_sources SET hash = zeroblob(length(hash))");
  db.close();
}
