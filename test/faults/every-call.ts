import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync } from "node:fs";
import { dirname, join } from "node:path";
import { removeDeadDrafts } from "../../src/base/files/dead-drafts.ts";
import type { Project } from "../../src/base/paths.ts";
import { listPlainFiles } from "../../src/store/encryption/home-files.ts";
import { makeBackup } from "../../src/store/memory/backups/backups.ts";
import {
  listAllBackups,
  listDamagedFiles,
  locateBackupFolder,
} from "../../src/store/memory/backups/copies.ts";
import { listLeftovers, recoverMemory } from "../../src/store/memory/backups/put-in-place.ts";
import { checkMemory } from "../../src/store/memory/memory.ts";
import { Sqlite } from "../../src/store/sqlite/sqlite.ts";
import { buildPowerCut, fresh, prepareFrom } from "./interruptions.ts";
import { runStep } from "./processes.ts";
import { base, enter, putInPlace, report, work, works } from "./setting.ts";
import { stepsOf } from "./steps.ts";
import { contentOf } from "./stored.ts";

/** Work that replaces files in several steps, stopped before each of its calls that change files or their names. */
interface Tried {
  work: string;
  kind?: string;
  isEncrypted?: boolean;
  /** The name of what is there before. */
  from: string;
  /** What must hold as soon as the next process has recovered what is left; else a word on what is wrong. */
  holds(project: Project): string | null;
  /** What must be the same as after an undisturbed run, once the work was done again. */
  outcome(project: Project): string;
}

/** What memories held before. */
const originals = new Map<string, string>();
const original = (state: string) => originals.get(state)!;

const stored = ({ memoryDb }: Project) => contentOf(memoryDb);
const without = (of: Project) => `${stored(of)} ${listLeftovers(of.memoryDb).length} drafts`;

/** Contents of the memory, and of all that it can be restored from. */
const everything = ({ memoryDb }: Project) =>
  [memoryDb, ...listAllBackups(memoryDb).map(({ file }) => file)].map(contentOf);

export async function everyCall(): Promise<void> {
  const wanted = homes.flatMap(tried).filter(({ work: name, kind = name }) => works.has(kind));
  if (wanted.length === 0) return;
  const library = buildPowerCut();
  if (library === null) return;
  await makeStates();
  for (const one of wanted) await tryEach(one, library);
}

/** Homes of which nothing, or everything, is encrypted. */
const homes = ["small", "small, encrypted"] as const;
type Home = (typeof homes)[number];

async function makeStates(): Promise<void> {
  await prepareFrom("small", async () => {
    const { root } = base("at", { end: 2, turns: 2, files: 2 });
    await runStep("import", root);
    await runStep("index", root);
  });
  const from = (state: string, of: string, change: (project: Project) => unknown) =>
    prepareFrom(state, async () => void (await change(fresh(of))));
  await from("small, encrypted", "small", ({ root }) => runStep("encrypt", root));
  for (const home of homes) {
    originals.set(home, stored(fresh(home)));
    await from(`${home}, backed up`, home, ({ memoryDb }) => {
      makeBackup(memoryDb, { folder: locateBackupFolder(memoryDb, ""), reason: "manual" });
      exec(
        memoryDb,
        "INSERT INTO annotations (uid, at, source, note) VALUES ('today', 1, 'shell', 'work of today: falcon')",
      );
    });
    originals.set(`${home}, backed up`, stored(fresh(`${home}, backed up`)));
    await from(`${home}, damaged`, home, ({ memoryDb }) => exec(memoryDb, "DROP TABLE events"));
  }
}

function exec(file: string, sql: string): void {
  const db = new Sqlite(file, { mode: "create", timeoutMs: 0 });
  db.exec("PRAGMA foreign_keys = OFF");
  db.exec(sql);
  db.close();
}

function tried(home: Home): Tried[] {
  const sameContent = (from: string) => (of: Project) =>
    contentOf(of.memoryDb) === original(from) ? null : "the memory is another one";
  const andPlain = (of: Project) => `${without(of)}, ${listPlainFiles({ backups: [] }).length} plain`;
  const replacements: Tried[] = [
    { work: "backup", from: home, holds: sameContent(home), outcome: without },
    {
      work: "restore",
      from: `${home}, backed up`,
      holds(of) {
        const all = everything(of);
        const both = [original(home), original(`${home}, backed up`)];
        if (!both.includes(all[0]!)) return "the memory is neither the old one nor the new one";
        return both.every((one) => all.includes(one)) ? null : "one of both is lost";
      },
      outcome: (of) => `${without(of)} ${everything(of).includes(original(`${home}, backed up`))}`,
    },
    {
      work: "repair",
      from: `${home}, damaged`,
      holds({ memoryDb }) {
        const { state } = checkMemory(memoryDb);
        if (state === "damaged") return null;
        return state === "sound" && listDamagedFiles(memoryDb).length === 1 ? null : `the memory is ${state}`;
      },
      // Repaired already, there is nothing to repair: then it is done as `pm doctor --repair` does it.
      outcome: (of) => `${without(of)} ${listDamagedFiles(of.memoryDb).length > 0}`,
    },
    {
      work: "migration",
      from: home,
      holds: ({ memoryDb }) =>
        /^(?:sound|newer)$/.test(checkMemory(memoryDb).state) ? null : "the memory is damaged",
      outcome: (of) => `${without(of)} ${listAllBackups(of.memoryDb).length > 0}`,
    },
    {
      work: "forget",
      from: `${home}, backed up`,
      holds: () => null,
      outcome: (of) => `${without(of)} ${filesWith(dirname(of.memoryDb), "falcon")}`,
    },
  ];
  if (home === "small, encrypted") {
    return replacements.map((one) => ({
      ...one,
      isEncrypted: true,
      outcome: (of) => `${one.outcome(of)}, ${listPlainFiles({ backups: [] }).length} plain`,
    }));
  }
  return [
    ...replacements,
    { work: "encrypt", kind: "encryption", from: "small", holds: sameContent("small"), outcome: andPlain },
    {
      work: "decrypt",
      kind: "encryption",
      from: "small, encrypted",
      holds: sameContent("small"),
      outcome: andPlain,
    },
  ];
}

/** Files that hold a text, by their names. */
const filesWith = (dir: string, text: string): string =>
  readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && readFileSync(join(entry.parentPath, entry.name)).includes(text))
    .map(({ name }) => name)
    .join();

/** What states came to, by what was left after their recovery: whoever goes on from the same files does the same. */
type Outcomes = Map<string, string | null>;

async function tryEach(one: Tried, library: string): Promise<void> {
  const title = `${one.work}${one.isEncrypted ? ", encrypted" : ""}`;
  const known: Outcomes = new Map();
  const states = join(work, "states");
  mkdirSync(states);
  const calm = fresh(one.from);
  const environment = {
    LD_PRELOAD: library,
    POWER_CUT_DIR: join(work, "at"),
    STATES_OF: join(work, "at"),
    STATES_TO: states,
  };
  await runStep(one.work, calm.root, { environment });
  const expected = one.outcome(calm);
  const all = readdirSync(states).sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10));
  for (const how of ["kill", "power"]) {
    const names = all.filter((name) => name.endsWith(how));
    const before = known.size;
    let good = 0;
    for (const name of names) {
      const wrong = await whatIsWrong(one, join(states, name), expected, known);
      if (wrong === null) good++;
      else console.error(`${title}, ${name}: ${wrong}`);
    }
    const what = `${how === "kill" ? "kill -9" : "power cut"} before each call: ${title}`;
    report(what, names.length, good, `${known.size - before} different states after recovery`);
  }
  rmSync(states, { recursive: true, force: true });
}

async function whatIsWrong(
  one: Tried,
  state: string,
  expected: string,
  known: Outcomes,
): Promise<string | null> {
  putInPlace(null, "at");
  renameSync(state, join(work, "at"));
  const project = enter(join(work, "at/repo"));
  const goOn = async () => {
    const wrong = one.holds(project);
    if (wrong !== null) return wrong;
    const isDone = one.work === "repair" && checkMemory(project.memoryDb).state === "sound";
    if (!isDone) await stepsOf(project.root)[one.work]!();
    const outcome = one.outcome(project);
    return outcome === expected ? null : `afterwards ${outcome.slice(-200)}`;
  };
  try {
    const folders = foldersIn(join(work, "at"));
    // Another process may have the number of the one that died: then drafts stay for an hour.
    for (const file of folders.flatMap(draftsIn)) utimesSync(file, 0, 0);
    recoverMemory(project.memoryDb);
    removeDeadDrafts(folders);
    const left = fingerprint(join(work, "at"));
    if (!known.has(left)) known.set(left, await goOn());
    return known.get(left) ?? null;
  } catch (error) {
    return String(error);
  }
}

const draftsIn = (dir: string): string[] =>
  readdirSync(dir)
    .filter((name) => name.includes(".pommel-"))
    .map((name) => join(dir, name));

const foldersIn = (dir: string): string[] => [
  dir,
  ...readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ parentPath, name }) => join(parentPath, name)),
];

/** Of the names and contents of all files in a directory; SQLite's -shm is made anew. */
function fingerprint(dir: string): string {
  const hash = createHash("sha256");
  for (const name of (readdirSync(dir, { recursive: true }) as string[]).sort()) {
    const file = join(dir, name);
    if (name.endsWith("-shm") || !statSync(file).isFile()) continue;
    hash.update(`\0${name}\0`).update(readFileSync(file));
  }
  return hash.digest("hex");
}
