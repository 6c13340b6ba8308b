import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod/mini";
import { gitTextIfAny } from "../../git/git.ts";
import { rememberProject } from "../../git/projects/find-project.ts";
import { isTable, parseToml, readConfigFile } from "../../project/config/config.ts";
import { setConfig } from "../../project/config/config-edit.ts";
import { isSettingKey } from "../../project/config/setting-values.ts";
import { homeSettings } from "../../project/config/settings.ts";
import { replaceFile, sync, writeJson } from "../../project/files/replace-file.ts";
import { daemonFiles, homeOf } from "../../project/home.ts";
import { type Project, teamDirName } from "../../project/paths.ts";
import { isDaemon } from "../../protocol/daemon-record.ts";
import { publicKeyOf, seal } from "../../protocol/sealed-text.ts";
import { encryptCopied } from "../../store/encryption/convert.ts";
import { homeEnvelope, readEnvelope, writeEnvelope } from "../../store/encryption/envelope.ts";
import { contentOf } from "../../store/memory/backups/backup-content.ts";
import { checkMemory } from "../../store/memory/memory.ts";
import { Registry } from "../../store/registry.ts";
import { copyDatabase } from "../../store/sqlite/copy-database.ts";
import { acquireLock, lockHolder } from "../../store/sqlite/lock.ts";
import { Sqlite } from "../../store/sqlite/sqlite.ts";

/**
 * Before Pommel had a home it kept a project's memory in `.pommel/` in the repository. What this machine's Pommel made
 * there is moved, once: everything is copied and checked, then noted as copied, then removed there. Whoever is interrupted
 * before the note begins again; after it, only the removal goes on. What came with a repository is left alone.
 */

const noted = z.object({ state: z.enum(["copied", "done"]), sessions: z.number(), notes: z.number() });

/** All that Pommel kept there. A lock comes last: while it is there, an older daemon may be running. */
const ours =
  /^(?:memory\.db.*|index\.db.*|index\.lance|backups|audit|log|spool|autostart|daemon\.json|page-key|setup\.json(?:\.lock)?|git-hooks\.json|care\.json|scrubbing-patterns\.toml|encryption\.json|config\.toml|\.gitignore|writer\.lock.*)$/;

const isFile = (path: string) => existsSync(path) && lstatSync(path).isFile();

/** Who made what lies in a checkout's `.pommel/`. */
export type LegacyMemory = "none" | "ours" | "others";

/** Whether a memory lies in a checkout, and whether this machine's Pommel made it. Asks git only where one does. */
export async function legacyMemoryIn({ root }: Project): Promise<LegacyMemory> {
  const dir = join(root, teamDirName);
  const stat = lstatSync(dir, { throwIfNoEntry: false });
  if (!stat?.isDirectory() || !isFile(join(dir, "memory.db"))) return "none";
  const isMine = process.getuid === undefined || stat.uid === process.getuid();
  if (!isMine || !(Registry.openIfThere()?.legacyRoots() ?? []).includes(root)) return "others";
  const hasLink = readdirSync(dir, { withFileTypes: true }).some((entry) => entry.isSymbolicLink());
  const tracked = await gitTextIfAny(root, ["ls-files", "-z", "--", teamDirName]);
  const isCommitted = (tracked ?? "").split("\0").some((path) => path !== "" && !/config\.toml$/.test(path));
  return hasLink || isCommitted ? "others" : "ours";
}

/**
 * Moves the memory that an older Pommel kept in the checkout into the home.
 * @returns what the next command says about it; null when there was nothing to move
 * @throws PommelError `locked` while another process moves it or an older daemon runs; `disk_full`, `unreadable`
 */
export async function moveLegacyMemory(project: Project): Promise<string | null> {
  const dir = join(project.root, teamDirName);
  const noteFile = join(project.setupDir, "moved.json");
  if (!existsSync(join(dir, "memory.db")) && readNote(noteFile)?.state !== "copied") return null;
  if (readNote(noteFile) === null && !(await isMovable(project))) return null;
  mkdirSync(project.setupDir, { recursive: true, mode: 0o700 });
  const lock = acquireLock(join(project.setupDir, "move.lock"), "moving .pommel/");
  try {
    // An older daemon writes there as long as it holds this.
    const lockFile = join(dir, "writer.lock");
    if (existsSync(lockFile)) await endOldDaemon(lockFile);
    const old = existsSync(lockFile) ? acquireLock(lockFile, "moving") : null;
    try {
      const note = readNote(noteFile) ?? (await copyAll(dir, project, noteFile));
      encryptCopied(project);
      removeOurs(dir);
      const said = `Moved ${note.sessions} sessions and ${note.notes} notes from ${dir} to ${project.dataDir}.`;
      leaveNotice(project.root, said);
      writeJson(noteFile, { ...note, state: "done" });
      return said;
    } finally {
      old?.release();
      if (existsSync(dir)) removeLocks(dir);
    }
  } finally {
    lock.release();
  }
}

/** One that is damaged stays where it is, with its backups. */
async function isMovable(project: Project): Promise<boolean> {
  if ((await legacyMemoryIn(project)) !== "ours") return false;
  const { state } = checkMemory(join(project.root, teamDirName, "memory.db"));
  return state !== "damaged" && state !== "newer";
}

/** How long an older daemon may take to end. Milliseconds. */
const endsWithinMs = 10_000;

/** The daemon that an older Pommel runs for this directory alone would go on writing there. */
async function endOldDaemon(lockFile: string): Promise<void> {
  const holder = lockHolder(lockFile);
  if (holder === null || holder.pid === process.pid || !isDaemon(holder.pid)) return;
  process.kill(holder.pid, "SIGTERM");
  const deadline = Date.now() + endsWithinMs;
  while (Date.now() < deadline && lockHolder(lockFile) !== null) await sleep(50);
}

type Note = z.infer<typeof noted>;

function readNote(file: string): Note | null {
  try {
    return z.parse(noted, JSON.parse(readFileSync(file, "utf8")));
  } catch {
    return null;
  }
}

async function copyAll(dir: string, project: Project, noteFile: string): Promise<Note> {
  takeKey(dir, project);
  const source = join(dir, "memory.db");
  const content = contentOf(source);
  if (!existsSync(project.memoryDb)) {
    copyMemoryFile(source, project.memoryDb);
  } else {
    // Another checkout's, or what an interrupted move copied and others may have added to.
    const { copyMemory } = await import("../sync/memory-file.ts");
    await copyMemory({ ...project, memoryDb: source }, project);
  }
  for (const [from, to] of [
    ["backups", join(project.dataDir, "backups")],
    ["audit", project.auditDir],
  ] as const)
    copyFiles(join(dir, from), to, basename(project.setupDir));
  for (const name of ["scrubbing-patterns.toml", "care.json"])
    copyFile(join(dir, name), join(project.dataDir, name));
  for (const name of ["setup.json", "git-hooks.json"])
    copyFile(join(dir, name), join(project.setupDir, name));
  copySettings(join(dir, "config.toml"), project);
  copySpool(join(dir, "spool"), project.root);
  await rememberProject(project, { named: true });
  const note: Note = {
    state: "copied",
    sessions: content?.sessions ?? 0,
    notes: content?.notes ?? 0,
  };
  writeJson(noteFile, note);
  sync(noteFile);
  sync(project.setupDir);
  return note;
}

/** What was encrypted stays so: the home takes its key over, or the project keeps it. */
function takeKey(dir: string, project: Project): void {
  const envelope = readEnvelope(dir);
  if (envelope === null) return;
  mkdirSync(project.dataDir, { recursive: true, mode: 0o700 });
  const isFirst = homeEnvelope() === null;
  writeEnvelope(isFirst ? homeOf().dataDir : project.dataDir, envelope);
}

function copyMemoryFile(from: string, to: string): void {
  for (const end of ["-wal", "-shm"]) rmSync(to + end, { force: true });
  const db = new Sqlite(from, { mode: "read", timeoutMs: 5000 });
  try {
    copyDatabase(db, to);
  } finally {
    db.close();
  }
}

/** @param checkout before the name of a file that another checkout has, too */
function copyFiles(from: string, to: string, checkout: string): void {
  if (!existsSync(from)) return;
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    if (!entry.isFile() || entry.name === "lock") continue;
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    const isTaken = existsSync(target) && !readFileSync(target).equals(readFileSync(source));
    copyFile(source, isTaken ? join(to, `${checkout}-${entry.name}`) : target);
  }
}

function copyFile(from: string, to: string): void {
  if (!isFile(from) || existsSync(to)) return;
  mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
  replaceFile(to, readFileSync(from), { synced: true });
}

/**
 * What was set for the project. Settings that are one for all projects now are left out, and so are those that another
 * checkout has set.
 */
function copySettings(file: string, project: Project): void {
  if (!existsSync(file)) return;
  try {
    const known = readConfigFile(project.configFile, { refused: homeSettings });
    for (const [section, table] of Object.entries(parseToml(readFileSync(file, "utf8"), file))) {
      for (const [name, value] of Object.entries(isTable(table) ? table : {})) {
        const key = `${section}.${name}`;
        if (!isSettingKey(key) || homeSettings.has(key) || key in known) continue;
        setConfig(project, key, Array.isArray(value) ? JSON.stringify(value) : String(value));
      }
    }
  } catch {
    // An invalid file was in nobody's force.
  }
}

/** What hooks left and no daemon has read yet. */
function copySpool(from: string, place: string): void {
  if (!existsSync(from)) return;
  const { spoolDir } = daemonFiles();
  mkdirSync(spoolDir, { recursive: true, mode: 0o700 });
  for (const name of readdirSync(from).filter((one) => one.endsWith(".json") && !one.startsWith("."))) {
    try {
      const item = JSON.parse(readFileSync(join(from, name), "utf8")) as object;
      const own = name.startsWith("latest-") ? `${basename(place)}-${name}` : name;
      const text = JSON.stringify({ ...item, place });
      const publicKey = publicKeyOf();
      replaceFile(join(spoolDir, own), publicKey === null ? text : seal(text, publicKey));
    } catch {
      // Half written, or sealed: transcripts and the reflog have it, too.
    }
  }
}

function removeOurs(dir: string): void {
  if (!existsSync(dir)) return;
  const names = readdirSync(dir).filter((name) => ours.test(name) && !name.startsWith("writer.lock"));
  for (const name of names) {
    // What the team committed is the team's.
    if (name === "config.toml" && !existsSync(join(dir, ".gitignore"))) continue;
    if (name !== ".gitignore") rmSync(join(dir, name), { recursive: true, force: true });
  }
  rmSync(join(dir, ".gitignore"), { force: true });
}

function removeLocks(dir: string): void {
  for (const name of readdirSync(dir).filter((one) => one.startsWith("writer.lock")))
    rmSync(join(dir, name), { force: true });
  try {
    rmdirSync(dir);
  } catch {
    // Something of somebody else's is in it.
  }
}

/** Remembers what to say about a checkout until somebody hears it. */
function leaveNotice(root: string, notice: string): void {
  const registry = Registry.openIfThere();
  const checkout = registry?.checkout(root);
  if (checkout) registry!.saveCheckout({ ...checkout, notice });
}
