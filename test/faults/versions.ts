import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Project } from "../../src/base/paths.ts";
import { callDaemon } from "../../src/client/daemon-client.ts";
import { showQueue } from "../../src/features/jobs/operation.ts";
import { readDaemonRecord } from "../../src/protocol/daemon-record.ts";
import { findLatestNumber } from "../../src/store/sqlite/schema.ts";
import { Sqlite } from "../../src/store/sqlite/sqlite.ts";
import { nameProject } from "../support/named-project.ts";
import { removeDirectory } from "../support/remove-directory.ts";
import { daemonsOf, isRunning, logOf } from "./processes.ts";
import { base, enter, envOf, homeAround, options, points, report, userHome, work } from "./setting.ts";
import { newerSchema } from "./steps.ts";
import { contentOf, differing } from "./stored.ts";

/**
 * A copy of the built Pommel, as another version of it.
 * @param migrates whether its memory has one step more
 * @returns its folder
 */
function install(name: string, version: string, { migrates = false } = {}): string {
  const built = join(import.meta.dirname, "../..");
  const folder = join(work, name);
  for (const part of ["bin", "dist", "models/static", "package.json"])
    cpSync(join(built, part), join(folder, part), { recursive: true });
  symlinkSync(join(built, "node_modules"), join(folder, "node_modules"));
  const { version: own } = JSON.parse(readFileSync(join(built, "package.json"), "utf8")) as {
    version: string;
  };
  const replacements = [{ from: `=\`${own}\``, to: `=\`${version}\`` }];
  if (migrates) {
    const begin = `{first:${newerSchema.first},`;
    const added = newerSchema.steps.at(-1);
    replacements.push({
      from: `${begin}steps:[`,
      to: `${begin}get steps(){return[...this.released,\`${added}\`]},released:[`,
    });
  }
  const found = new Set<string>();
  for (const file of readdirSync(join(folder, "dist")).filter((one) => one.endsWith(".cjs"))) {
    const path = join(folder, "dist", file);
    let text = readFileSync(path, "utf8");
    for (const { from, to } of replacements.filter((one) => text.includes(one.from))) {
      found.add(from);
      text = text.replaceAll(from, () => to);
      writeFileSync(path, text);
    }
  }
  const missing = replacements.find(({ from }) => !found.has(from));
  if (missing) throw new Error(`nothing in dist/ reads ${missing.from}`);
  const says = execFileSync(process.execPath, [join(folder, "bin/pm.cjs"), "--version"], {
    encoding: "utf8",
  });
  if (says.trim() !== version) throw new Error(`the installation of ${version} says that it is ${says}`);
  return folder;
}

/** Numbers from 0 to 1, the same ones for the same seed (mulberry32, by Tommy Ettinger). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

type Run = (from: string, args: string[], input?: string) => Promise<{ code: number; said: string }>;

/** A project where several installations work on the same sessions. */
function workplace(name: string, { sessions: end, autostart }: { sessions: number; autostart: boolean }) {
  const project = base(name, { end });
  const { root } = project;
  const made = join(root, "../transcripts");
  const dir = join(userHome, ".claude/projects", root.replace(/[^A-Za-z0-9]/g, "-"));
  mkdirSync(dir, { recursive: true });
  const sessions = readdirSync(made).map((file) => ({
    file: join(dir, file),
    lines: readFileSync(join(made, file), "utf8").split(/(?<=\n)/),
  }));
  const here = { ...envOf(root), POMMEL_DAEMON_AUTOSTART: String(autostart) };
  const run: Run = async (from, args, input = "") => {
    const child = spawn(process.execPath, [join(from, "bin/pm.cjs"), ...args], { cwd: root, env: here });
    let said = "";
    child.stdout.resume();
    child.stderr.on("data", (text) => (said += text));
    child.stdin.on("error", () => {}).end(input);
    const [code] = await once(child, "close");
    return { code: Number(code), said };
  };
  const idle = async (from: string) => {
    await run(from, ["start", "--wait"]);
    for (let waited = 0; waited < 600; waited++, await sleep(200)) {
      const queue = await callDaemon(project.root, showQueue, {}).catch(() => null);
      if (queue?.code_is_idle && queue.sessions.is_idle) return;
    }
    throw new Error(`${name}: the queue does not empty`);
  };
  /** An installation imports what is there, and has nothing left to do. */
  const settle = async (from: string) => {
    await run(from, ["start"]);
    await run(from, ["import", "claude", "--yes"]);
    await idle(from);
    await run(from, ["stop"]);
    // Sessions that grew are summed up when they have been quiet for a minute: now.
    const db = new Sqlite(project.memoryDb, { mode: "write", timeoutMs: 5000 });
    db.exec("UPDATE jobs SET not_before = 0 WHERE kind = 'summary'");
    db.close();
    await idle(from);
  };
  return {
    project,
    sessions,
    run,
    settle,
    /** The home is new, and the sessions are empty. */
    reset() {
      removeDirectory(homeAround(root));
      nameProject(enter(root));
      for (const { file } of sessions) writeFileSync(file, "");
    },
    /** What is stored when nothing disturbs. */
    async undisturbed(from: string): Promise<string> {
      for (const { file, lines } of sessions) writeFileSync(file, lines.join(""));
      await settle(from);
      await run(from, ["stop"]);
      return contentOf(project.memoryDb);
    },
    /** A session goes on, up to a part of its lines; Claude Code reports that to an installation. */
    async grow(from: string, { file, lines }: (typeof sessions)[number], part: number) {
      writeFileSync(file, lines.slice(0, Math.floor(lines.length * part)).join(""));
      const payload = { session_id: basename(file, ".jsonl"), transcript_path: file, cwd: root };
      return run(from, ["hook", "stop"], JSON.stringify({ ...payload, hook_event_name: "Stop" }));
    },
    /** Of the daemon that runs. */
    version() {
      const daemon = readDaemonRecord();
      return daemon !== null && isRunning(daemon.pid) ? daemon.version : null;
    },
    log: () => logOf(root),
  };
}

/** Two installations in one home: hooks, imports, searches and daemons of both at once, and kills in between. */
export async function twoVersions(): Promise<void> {
  const older = install("older", "98.0.0");
  const newer = install("newer", "99.0.0");
  const random = seeded(Number(options.seed));
  const at = workplace("versions", { sessions: 6, autostart: true });
  const { project, sessions, run } = at;
  const { root } = project;
  const expected = await at.undisturbed(newer);
  at.reset();

  let [kills, answered] = [0, 0];
  for (let round = 1; round <= points; round++) {
    const versions = [older, newer].sort(() => random() - 0.5);
    const acts: Promise<boolean>[] = [];
    const check = async (what: string, ran: ReturnType<Run>, isGood: (code: number) => boolean) => {
      const { code, said } = await ran;
      if (!isGood(code)) console.error(`two versions: ${what} ended with ${code}: ${said}`);
      return isGood(code);
    };
    const act = (from: string, args: string[], isGood: (code: number) => boolean) => {
      const ran = sleep(random() * 500).then(() => run(from, args));
      acts.push(check(`${args.join(" ")} of ${from}`, ran, isGood));
    };
    for (const [n, session] of sessions.entries()) {
      const from = versions[n % 2]!;
      const ran = sleep(random() * 500).then(() => at.grow(from, session, round / points));
      acts.push(check(`hook of ${from}`, ran, (code) => code === 0));
    }
    for (const from of versions) {
      // One whose daemon is killed may fail; the next goes on.
      act(from, ["import", "claude", "--yes"], () => true);
      act(from, ["start"], () => true);
      act(from, ["search", "code", "compute7"], (code) => [0, 5].includes(code));
      act(from, ["search", "sessions", "timeout"], (code) => [0, 5].includes(code));
    }
    if (random() < 0.6) {
      await sleep(300 + random() * 1500);
      const [pid] = daemonsOf(root);
      if (pid !== undefined) {
        process.kill(Number(pid), "SIGKILL");
        kills++;
      }
    }
    if ((await Promise.all(acts)).every(Boolean)) answered++;
    // What is left of a daemon that was on its way out, or came second, ends by itself.
    for (let waited = 0; daemonsOf(root).length > 1 && waited < 100; waited++) await sleep(100);
    if (daemonsOf(root).length > 1) throw new Error(`two versions: ${daemonsOf(root).length} daemons`);
  }
  // As an update does: the older daemon makes room.
  await run(newer, ["stop"]);
  await run(older, ["start"]);
  const away = `${older}, replaced`;
  renameSync(older, away);
  cpSync(newer, older, { recursive: true, verbatimSymlinks: true });
  for (let waited = 0; at.version() !== "99.0.0" && waited < 600; waited++) await sleep(100);
  await at.settle(newer);
  const [daemons, version] = [daemonsOf(root).length, at.version()];
  await run(newer, ["stop"]);
  const starts = ["98.0.0", "99.0.0"].map((one) => at.log().split(`pommeld ${one} answers`).length - 1);
  const isSame = contentOf(project.memoryDb) === expected && daemons === 1 && version === "99.0.0";
  report(
    "two versions at once: hooks, imports, searches and daemons of both",
    points,
    isSame && starts.every((count) => count > 0) ? answered : 0,
    `${starts[0]} older and ${starts[1]} newer daemons started, ${kills} were killed; ${daemons} of version ${version} is left`,
  );
  await meetNewerSchema(project, (args, input) => run(away, args, input));
}

/** A memory that a newer Pommel migrated, with a log that it did not come to write back; an older one works beside it. */
async function meetNewerSchema(
  project: Project,
  run: (args: string[], input?: string) => Promise<{ code: number; said: string }>,
): Promise<void> {
  const db = new Sqlite(project.memoryDb, { mode: "write", timeoutMs: 5000 });
  db.exec(`${newerSchema.steps.at(-1)}; PRAGMA user_version = ${findLatestNumber(newerSchema)}`);
  const ends = ["", "-wal"];
  const bytes = ends.map((end) => readFileSync(project.memoryDb + end));
  db.close();
  for (const [i, end] of ends.entries()) writeFileSync(project.memoryDb + end, bytes[i]!);
  const before = readdirSync(project.dataDir).filter((name) => name.startsWith("memory.db"));
  const refused = [
    ["import", "claude", "--yes"],
    ["note", "Never deploy on Fridays."],
    ["search", "sessions", "timeout"],
    ["sync", "--yes"],
  ];
  let good = 0;
  const isUntouched = () => ends.every((end, i) => readFileSync(project.memoryDb + end).equals(bytes[i]!));
  for (const daemon of ["stop", "start"]) {
    await run([daemon]);
    for (const args of refused) {
      const { code, said } = await run(args);
      const isGood = code === 1 && said.includes("newer Pommel") && isUntouched();
      if (isGood) good++;
      else
        console.error(
          `newer schema, pm ${daemon}: ${args.join(" ")} ended with ${code}: ${said} ${isUntouched()}`,
        );
    }
  }
  await run(["stop"]);
  const after = readdirSync(project.dataDir).filter((name) => name.startsWith("memory.db"));
  const left = after.filter((name) => !before.includes(name)).join(", ");
  report(
    "a memory of a newer version: commands of the older one, with and without a daemon",
    refused.length * 2,
    isUntouched() ? good : 0,
    `refused with a clear error, no byte changed${left === "" ? "" : `; new: ${left}`}`,
  );
}

/** The memory is migrated by a newer Pommel while the daemon of an older one, and hooks of it, write it. */
export async function migratedMeanwhile(): Promise<void> {
  const older = install("unmigrated", "98.0.0");
  const newer = install("migrating", "99.0.0", { migrates: true });
  const random = seeded(Number(options.seed));
  // Otherwise the older one's hooks would start its daemon again.
  const at = workplace("migrated", { sessions: 3, autostart: false });
  const { project, sessions, run } = at;
  const expected = await at.undisturbed(newer);
  let good = 0;
  for (let round = 1; round <= points; round++) {
    at.reset();
    await run(older, ["start", "--wait"]);
    const migrated = sleep(random() * 3000).then(() =>
      run(newer, ["memory", "export", "--all", "--to", join(work, "exported"), "--force"]),
    );
    for (let step = 1; step <= 10; step++) {
      await Promise.all(sessions.map((session) => at.grow(older, session, step / 10)));
    }
    const { code, said } = await migrated;
    for (let waited = 0; at.version() !== null && waited < 300; waited++) await sleep(100);
    const isLogged = at.log().includes("a newer Pommel migrated a memory");
    const refused = await run(older, ["note", "Never deploy on Fridays."]);
    const isClear = refused.code === 1 && refused.said.includes("newer Pommel");
    await at.settle(newer);
    const version = at.version();
    await run(newer, ["stop"]);
    const differ = differing(contentOf(project.memoryDb), expected);
    if (code === 0 && isLogged && isClear && differ.length === 0 && version === "99.0.0") good++;
    else {
      const outcome = { code, said, isLogged, refused, differ, version };
      console.error(`migrated meanwhile, round ${round}: ${JSON.stringify(outcome)}`);
    }
  }
  report(
    "a newer version migrates the memory while an older one's daemon writes it",
    points,
    good,
    "the older daemon said why and ended, its commands are refused with a clear error, a newer daemon imported the rest",
  );
}
