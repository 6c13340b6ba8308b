import { execFileSync } from "node:child_process";
import {
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { locateHome, locateRegistry } from "../../src/base/home.ts";
import { makeNewProject, type Project } from "../../src/base/paths.ts";
import { listChecks, runCheck } from "../../src/features/doctor/pm-doctor.ts";
import { locateGlobalPatterns } from "../../src/redact/patterns/patterns-file.ts";
import { envelopeName } from "../../src/store/encryption/envelope.ts";
import { listBackups, locateBackupFolder } from "../../src/store/memory/backups/copies.ts";
import { Registry } from "../../src/store/registry.ts";
import { Sqlite } from "../../src/store/sqlite/sqlite.ts";
import { nameProject } from "../support/named-project.ts";
import { idOf, transcript } from "../support/transcript-fixture.ts";
import { changeUndefended } from "../support/undefended.ts";
import { callPm, temporaryDir } from "./run-pm.ts";

/**
 * Damages files at random: whatever makes a command fail, the error says what is damaged and what to do, `pm doctor` finds it,
 * and after `pm doctor --fix --repair` every command works. More cases: POMMEL_DAMAGES=500, others: POMMEL_DAMAGES_SEED=2.
 */
const runs = Number(process.env.POMMEL_DAMAGES ?? 4);
const seed = Number(process.env.POMMEL_DAMAGES_SEED ?? 1);

let project: Project;
/** What is there before a case. */
let kept: string;
const session = idOf("session 0");
const dirs = () => {
  const { dataDir, cacheDir, configDir } = locateHome();
  return [dataDir, cacheDir, configDir];
};

const file = () => join(project.root, "src/a0.ts");

/** What reads or writes each kind of file. */
const commands = {
  registry: () => [["projects"], ["status"], ["sessions"], ["note", "written after the damage"]],
  index: () => [
    ["status"],
    ["search", "code", "compute three"],
    ["search", "commits", "begin"],
    ["related", `${file()}:2`],
    ["impact", "compute3"],
    ["code", "chunk", `${file()}:1`],
    ["reindex"],
  ],
  memory: () => [
    ["search", "sessions", "timeout short"],
    ["why", `${file()}:1`],
    ["blame", file()],
    ["sessions"],
    ["session", session],
    ["memory", "notes"],
    ["note", "written after the damage"],
    ["checkpoint", "list"],
    ["decisions"],
    ["event", "list"],
    ["stats"],
    ["how", "npm test"],
    ["fix", "error TS2304: Cannot find name 'openStore'"],
    ["handoff", session],
    ["backup", "list"],
  ],
} satisfies Record<string, () => string[][]>;
type Kind = keyof typeof commands;

interface Outcome {
  command: string;
  code: number | null;
  error?: string;
}

async function run(args: string[]): Promise<Outcome> {
  const command = args.join(" ").replaceAll(project.root, ".");
  const { code, stdout, stderr } = await callPm([...args, "--json"], { cwd: project.root });
  if (code === 0 || code === 5) return { command, code };
  return { command, code, error: (stdout + stderr).trim() };
}

async function failuresOf(kind: Kind): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const args of commands[kind]()) outcomes.push(await run(args));
  return outcomes.filter(({ error }) => error !== undefined);
}

/** What doctor says of these files, where it is not content. */
async function findings(): Promise<string[]> {
  const said: string[] = [];
  for (const check of listChecks(project).filter(({ name }) => name in commands)) {
    const { status, message } = await runCheck(check);
    if (status !== "ok") said.push(`${check.name}: ${message}`);
  }
  return said;
}

/** As doctor says: a memory that is gone, or of which nothing can be read, comes from a backup. */
async function mend(): Promise<void> {
  const { stdout } = await callPm(["doctor", "--fix", "--repair", "--json"], { cwd: project.root });
  const answer = JSON.parse(stdout) as {
    checks?: { name: string; hint: string }[];
    error?: { hint: string };
  };
  const hint = answer.error?.hint ?? answer.checks!.find(({ name }) => name === "memory")!.hint;
  if (!hint.includes("`pm memory restore`")) return;
  expect(await callPm(["restore", "--yes"], { cwd: project.root })).toMatchObject({ code: 0 });
}

beforeAll(async () => {
  project = nameProject(makeNewProject(temporaryDir("pommel-damaged-")));
  const { root } = project;
  mkdirSync(join(root, "src"));
  for (let i = 0; i < 8; i++) {
    const text = `/** Number ${i}. */\nexport function compute${i}(input: number) {\n  return input * ${i};\n}\n`;
    writeFileSync(join(root, `src/a${i}.ts`), text.repeat(4));
  }
  const git = (...args: string[]) =>
    execFileSync("git", ["-C", root, "-c", "user.name=A", "-c", "user.email=a@b.c", ...args], {
      stdio: "ignore",
    });
  git("init", "--quiet");
  git("add", ".");
  git("commit", "--quiet", "-m", "Begin");
  const transcripts = join(process.env.HOME!, ".claude/projects/-repo");
  for (let n = 0; n < 4; n++) {
    const fixture = transcript({ session: idOf(`session ${n}`), cwd: root });
    for (let t = 0; t < 6; t++) {
      fixture.prompt(`Why is number ${n * t} wrong in src/a${t}.ts?`);
      fixture.bash("npm test", t % 2 ? "ok" : "error TS2304: Cannot find name 'openStore'.");
      fixture.edit(join(root, `src/a${t}.ts`), `const a = ${n};`, `const a = ${t};`);
      fixture.reply(`Because ${n} is not ${t}. ${"The timeout was too short. ".repeat(20)}`);
    }
    fixture.writeTo(transcripts);
  }
  for (const args of [["import", "claude"], ["reindex"], ["note", "keep this"], ["backup"]])
    expect(await callPm(args, { cwd: root })).toMatchObject({ code: 0 });
  // The import has started a daemon: what is open there would not be what is on the disk.
  expect(await callPm(["stop"], { cwd: root })).toMatchObject({ code: 0 });
  // Without the transcripts nothing comes back but what was saved.
  rmSync(transcripts, { recursive: true });
  for (const kind of Object.keys(commands) as Kind[]) expect(await failuresOf(kind)).toEqual([]);
  expect(await findings()).toEqual([]);
  Registry.close();
  kept = temporaryDir("pommel-kept-");
  for (const [i, dir] of dirs().entries())
    if (existsSync(dir)) cpSync(dir, join(kept, String(i)), { recursive: true });
});
afterAll(() => {
  Registry.close();
  for (const dir of [project.root, kept]) rmSync(dir, { recursive: true, force: true });
});

function putBack(): void {
  Registry.close();
  for (const [i, dir] of dirs().entries()) {
    rmSync(dir, { recursive: true, force: true });
    if (existsSync(join(kept, String(i)))) cpSync(join(kept, String(i)), dir, { recursive: true });
  }
}

const files: Record<Kind, () => string> = {
  registry: () => locateRegistry(),
  index: () => project.indexDb,
  memory: () => project.memoryDb,
};

/** What happens to a file; `at` is a place in it, from 0 to 1. */
const damages = {
  /** Another program, or a disk, writes into it. */
  garbage: (of: string, at: number) => overwrite(of, at, Buffer.alloc(4096, "pommel is not here ")),
  zeros: (of: string, at: number) => overwrite(of, at, Buffer.alloc(4096)),
  bytes: (of: string, at: number) => overwrite(of, at, Buffer.from([0xff, 0, 0xff]), 1),
  "cut short": (of: string, at: number) => truncateSync(of, Math.floor(readFileSync(of).length * at)),
  "other page": (of: string, at: number) => overwrite(of, at, readFileSync(of).subarray(-4096)),
  directory: (of: string) => {
    rmSync(of);
    mkdirSync(of);
  },
  missing: (of: string) => rmSync(of),
  "table dropped": (of: string, at: number) => change(of, at, "table", (name) => `DROP TABLE "${name}"`),
  "rows gone": (of: string, at: number) => change(of, at, "table", (name) => `DELETE FROM "${name}"`),
  "index dropped": (of: string, at: number) => change(of, at, "index", (name) => `DROP INDEX "${name}"`),
  "schema number": (of: string, at: number) =>
    change(of, at, "table", (_, version) => `PRAGMA user_version = ${Math.floor(at * version)}`),
} satisfies Record<string, (of: string, at: number) => void>;

function overwrite(of: string, at: number, bytes: Uint8Array, unit = 4096): void {
  const size = readFileSync(of).length;
  const place = Math.min(Math.floor((size * at) / unit) * unit, Math.max(0, size - bytes.length));
  const descriptor = openSync(of, "r+");
  writeSync(descriptor, bytes, 0, bytes.length, place);
  closeSync(descriptor);
}

function change(of: string, at: number, type: string, sql: (name: string, version: number) => string): void {
  const db = new Sqlite(of, { mode: "write", timeoutMs: 0, key: null });
  try {
    const names = db
      .prepare("SELECT name FROM sqlite_schema WHERE type = ? AND name NOT LIKE 'sqlite%' ORDER BY name")
      .pluck()
      .all(type) as string[];
    const name = names[Math.floor(at * names.length)];
    if (name !== undefined) changeUndefended(of, sql(name, Number(db.pragma("user_version"))));
  } catch {
    // Not every table of a virtual one can be dropped.
  } finally {
    db.close();
  }
}

it("whatever makes a command fail, doctor finds and mends", { timeout: 60_000 + 20_000 * runs }, async () => {
  const names = <T extends object>(of: T) => fc.constantFrom(...(Object.keys(of) as (keyof T)[]));
  const at = fc.integer({ min: 0, max: 999 }).map((thousandth) => thousandth / 1000);
  await fc.assert(
    fc.asyncProperty(names(files), names(damages), at, async (kind, how, place) => {
      putBack();
      damages[how](files[kind](), place);
      const found = await findings();
      const failures = await failuresOf(kind);
      // Every error says what to do, and is one of ours.
      const unclear = failures.filter(
        ({ error }) => !/"hint": ".+"/.test(error!) || /"internal"/.test(error!),
      );
      const unseen = found.length === 0 ? failures : [];
      await mend();
      expect({ unclear, unseen, left: await failuresOf(kind) }).toEqual({
        unclear: [],
        unseen: [],
        left: [],
      });
    }),
    { numRuns: runs, seed, endOnFailure: true },
  );
});

const newestBackup = () => listBackups(project.memoryDb, locateBackupFolder(project.memoryDb, ""))[0]!.file;
function garbage(of: string): void {
  mkdirSync(dirname(of), { recursive: true });
  writeFileSync(of, "[1\0 not what it was");
}

/** The other files that commands read: what is damaged, how, and which check names it. */
const others: [what: string, file: () => string, damage: (of: string) => void, check: string][] = [
  ["the settings", () => project.configFile, garbage, "config"],
  ["the patterns of scrubbing", () => locateGlobalPatterns(), garbage, "config"],
  ["a backup", newestBackup, (of) => truncateSync(of, 50_000), "backups"],
  ["a page of a backup", newestBackup, (of) => overwrite(of, 0.6, Buffer.alloc(8192, "x")), "backups"],
  ["what a home is encrypted with", () => join(locateHome().dataDir, envelopeName), garbage, "encryption"],
  [
    "a record, with a directory in its place",
    () => join(project.dataDir, "care.json"),
    (of) => {
      rmSync(of, { force: true });
      mkdirSync(of);
    },
    "permissions",
  ],
];

it.each(others)("doctor names what is damaged: %s", async (_, of, damage, name) => {
  putBack();
  const damaged = of();
  damage(damaged);
  const { status, message } = await runCheck(listChecks(project).find((check) => check.name === name)!);
  expect({ status, message }).toMatchObject({
    status: expect.not.stringMatching("ok"),
    message: expect.stringContaining(basename(damaged)),
  });
});
