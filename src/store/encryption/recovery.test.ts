import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { addSession, turn } from "../../../test/support/memory-fixture.ts";
import { type Project, projectAt } from "../../project/paths.ts";
import { contentOf } from "../memory/backups/backup-content.ts";
import { backUp, backUpDaily } from "../memory/backups/backups.ts";
import { freeName } from "../memory/backups/copies.ts";
import { checkBackup, replaceMemory } from "../memory/backups/restore.ts";
import { Memory } from "../memory/memory.ts";
import { repairMemory } from "../memory/repair/repair.ts";
import { memoryMigrations } from "../memory/schema/schema.ts";
import { packContent } from "../memory/sessions/content.ts";
import { saveTurn } from "../memory/sessions/turns.ts";
import { checkDatabase } from "../sqlite/check-database.ts";
import { Sqlite } from "../sqlite/sqlite.ts";
import { decryptProject, encryptProject, rotateKey, shareEncryption } from "./convert.ts";
import { envelopeName, ownEnvelope, readEnvelope } from "./envelope.ts";
import { passphraseVariable } from "./key-source.ts";
import { forgetKeys } from "./keys.ts";
import { publicKeyOf } from "./sealed-text.ts";

/** Damage, copies in other places, other machines and linked worktrees of what is encrypted. */

const sessions = 20;
const turns = 8;
const nothing = { backups: [] };
const configHome = process.env.XDG_CONFIG_HOME;

let root: string;
let project: Project;
let keyFile: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "pommel-recovery-"));
  keyFile = join(root, "our.key");
  project = projectIn("project");
  const memory = Memory.open(project.memoryDb, { readonly: false });
  memory.inTransaction(() => {
    for (let n = 0; n < sessions; n++) {
      const { id } = addSession(memory, `session-${n}`);
      for (let number = 1; number <= turns; number++) {
        const content = packContent([
          { seq: number, entries: [], text: `wombat ${n} ${number} `.repeat(20) },
        ]);
        saveTurn(memory, id, turn(number, { content, prompt: `${n}:${number} ${"wombat ".repeat(30)}` }));
      }
    }
  });
  memory.close();
});

afterEach(() => {
  delete process.env[passphraseVariable];
  if (configHome === undefined) delete process.env.XDG_CONFIG_HOME;
  else process.env.XDG_CONFIG_HOME = configHome;
  forgetKeys();
  rmSync(root, { recursive: true, force: true });
});

function projectIn(name: string): Project {
  const made = projectAt(join(root, name));
  mkdirSync(made.stateDir, { recursive: true });
  return made;
}

/** As on another machine: another home, nothing unlocked. */
function moveToAnotherMachine(): string {
  const home = join(root, "other-home");
  process.env.XDG_CONFIG_HOME = home;
  forgetKeys();
  return home;
}

const turnsIn = ({ memoryDb }: Project) => {
  const memory = Memory.open(memoryDb, { readonly: true });
  const count = memory.prepare("SELECT count(*) FROM turns").pluck().get();
  memory.close();
  return count;
};

/** Files below the root that hold a word of the turns. */
const plainFiles = () =>
  readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => readFileSync(file).includes("wombat"));

const failing = (code: string) => expect.objectContaining({ code });

/** Without its schema, nothing of a database can be read. */
function hasSchema(file: string): boolean {
  try {
    new Sqlite(file, { mode: "read", timeoutMs: 0 }).close();
    return true;
  } catch {
    return false;
  }
}

describe("a damaged page", () => {
  function damage(page: number, bytes: Uint8Array = new Uint8Array(4096).fill(0xa5)): void {
    const all = readFileSync(project.memoryDb);
    all.set(bytes, (page - 1) * 4096);
    writeFileSync(project.memoryDb, all);
  }

  it("costs what is on it: the rest is saved, encrypted", () => {
    encryptProject(project, `file:${keyFile}`, nothing);
    const whole = readFileSync(project.memoryDb);
    const pages = whole.length / 4096;
    let lostTurns = 0;
    let repaired = 0;
    for (let page = pages; page > pages / 2; page -= Math.ceil(pages / 12)) {
      writeFileSync(project.memoryDb, whole);
      damage(page);
      if (!hasSchema(project.memoryDb)) continue;
      repaired++;
      const { saved, lost, aside } = repairMemory(project.memoryDb);
      expect((saved.turns ?? 0) + (lost.turns ?? 0)).toBe(sessions * turns);
      expect(lost.turns ?? 0).toBeLessThan(sessions * turns * 0.3);
      expect(saved.sessions).toBe(sessions);
      expect(checkDatabase(project.memoryDb, memoryMigrations).state).toBe("sound");
      lostTurns += lost.turns ?? 0;
      expect(readdirSync(project.stateDir).filter((name) => name.includes(".pommel-"))).toEqual([]);
      rmSync(aside);
    }
    expect(repaired).toBeGreaterThan(2);
    expect(lostTurns).toBeGreaterThan(0);
    expect(plainFiles()).toEqual([]);
  });

  it("that somebody changed is not believed", () => {
    encryptProject(project, `file:${keyFile}`, nothing);
    const all = readFileSync(project.memoryDb);
    const last = all.length / 4096;
    all[(last - 1) * 4096 + 1000]! ^= 1;
    writeFileSync(project.memoryDb, all);
    expect(checkDatabase(project.memoryDb, memoryMigrations).state).toBe("damaged");
  });

  it("of an encrypted memory is not repaired without its key", () => {
    encryptProject(project, `file:${keyFile}`, nothing);
    damage(20);
    forgetKeys();
    const before = readFileSync(project.memoryDb);
    renameSync(keyFile, `${keyFile}.away`);
    expect(() => repairMemory(project.memoryDb)).toThrow(failing("encryption_locked"));
    expect(checkDatabase(project.memoryDb, memoryMigrations)).toMatchObject({
      state: "unreadable",
      hint: expect.stringContaining("Put a copy of it at"),
    });
    renameSync(`${keyFile}.away`, keyFile);
    rmSync(join(project.stateDir, envelopeName));
    expect(checkDatabase(project.memoryDb, memoryMigrations)).toMatchObject({
      state: "unreadable",
      why: expect.stringContaining(envelopeName),
    });
    expect(readFileSync(project.memoryDb)).toEqual(before);
  });

  it("of a plain one is named by what would encrypt it", () => {
    damage(20);
    expect(() => encryptProject(project, `file:${keyFile}`, nothing)).toThrow(failing("unreadable"));
  });
});

describe("a copy in another place", () => {
  const copyTo = (folder: string) =>
    backUp(project.memoryDb, { file: freeName(join(root, folder), "manual") }).file;

  it("is encrypted, and restored on another machine with the passphrase", () => {
    process.env[passphraseVariable] = "correct horse";
    encryptProject(project, "passphrase", nothing);
    const copy = copyTo("usb");
    expect(readdirSync(join(root, "usb"))).toHaveLength(2);
    expect(plainFiles()).toEqual([]);
    moveToAnotherMachine();
    const there = projectIn("there");
    delete process.env[passphraseVariable];
    expect(() => checkBackup(copy)).toThrow(failing("encryption_locked"));
    process.env[passphraseVariable] = "wrong horse";
    expect(() => replaceMemory(there.memoryDb, copy)).toThrow(failing("encryption_wrong_key"));
    expect(readdirSync(there.stateDir)).toEqual([]);
    process.env[passphraseVariable] = "correct horse";
    replaceMemory(there.memoryDb, copy);
    expect(turnsIn(there)).toBe(sessions * turns);
    expect(plainFiles()).toEqual([]);
  });

  it("is restored on another machine with the key file in its usual place", () => {
    encryptProject(project, `file:${keyFile}`, nothing);
    const copy = copyTo("usb");
    const key = readFileSync(keyFile);
    rmSync(keyFile);
    const home = moveToAnotherMachine();
    const there = projectIn("there");
    const place = join(home, "pommel", "keys", `${readEnvelope(project.stateDir)!.id}.key`);
    expect(() => replaceMemory(there.memoryDb, copy)).toThrow(
      expect.objectContaining({ hint: expect.stringContaining(place) }),
    );
    mkdirSync(join(home, "pommel", "keys"), { recursive: true });
    writeFileSync(place, key);
    replaceMemory(there.memoryDb, copy);
    expect(turnsIn(there)).toBe(sessions * turns);
  });

  it("gets the key of the memory that it replaces, whichever it had", () => {
    const plain = copyTo("plain");
    process.env[passphraseVariable] = "correct horse";
    const there = projectIn("there");
    encryptProject(there, "passphrase", nothing);
    encryptProject(project, `file:${keyFile}`, nothing);
    for (const copy of [plain, copyTo("usb")]) {
      rmSync(there.memoryDb, { force: true });
      replaceMemory(there.memoryDb, copy);
      rmSync(join(root, "plain"), { recursive: true, force: true });
      expect(plainFiles()).toEqual([]);
      const { source } = readEnvelope(there.stateDir)!;
      expect(source.kind).toBe("passphrase");
      expect(turnsIn(there)).toBe(sessions * turns);
    }
  });

  it("lies beside those of other projects", () => {
    encryptProject(project, `file:${keyFile}`, nothing);
    const other = projectIn("other");
    cpSync(project.memoryDb, other.memoryDb);
    writeFileSync(join(other.stateDir, envelopeName), readFileSync(join(project.stateDir, envelopeName)));
    decryptProject(other, nothing);
    encryptProject(other, `file:${join(root, "other.key")}`, nothing);
    const copies = [project, other].map(
      ({ memoryDb }) => backUp(memoryDb, { file: freeName(join(root, "usb"), "manual") }).file,
    );
    forgetKeys();
    for (const copy of copies) expect(contentOf(copy)).toMatchObject({ sessions });
  });

  it("that could not be made leaves nothing behind", () => {
    encryptProject(project, `file:${keyFile}`, nothing);
    const all = readFileSync(project.memoryDb);
    all.fill(0xa5, 20 * 4096, 30 * 4096);
    writeFileSync(project.memoryDb, all);
    expect(() => copyTo("usb")).toThrow(failing("memory_corrupt"));
    expect(readdirSync(join(root, "usb"))).toEqual([]);
  });

  it("a folder of backups that was not there when it was encrypted has the key's file as well", () => {
    encryptProject(project, `file:${keyFile}`, nothing);
    const folder = join(root, "disk");
    const { file } = backUpDaily(project.memoryDb, { folder, keep: 2 }, 1000)!;
    expect(readdirSync(folder)).toContain(envelopeName);
    expect(existsSync(ownEnvelope(file))).toBe(false);
    rotateKey(project, `file:${join(root, "next.key")}`, { backups: [folder] });
    forgetKeys();
    rmSync(keyFile);
    expect(contentOf(file)).toMatchObject({ sessions });
  });

  it("a new key leaves a folder alone that belongs to another data key", () => {
    const other = projectIn("other");
    encryptProject(other, `file:${join(root, "other.key")}`, nothing);
    encryptProject(project, `file:${keyFile}`, nothing);
    const before = readFileSync(join(other.stateDir, envelopeName));
    rotateKey(project, `file:${keyFile}`, { backups: [other.stateDir] });
    expect(readFileSync(join(other.stateDir, envelopeName))).toEqual(before);
  });
});

describe("a linked worktree", () => {
  let linked: Project;
  beforeEach(() => {
    writeFileSync(project.configFile, "");
    mkdirSync(join(project.root, ".git/worktrees/linked"), { recursive: true });
    writeFileSync(join(project.root, ".git/worktrees/linked/commondir"), "../..\n");
    mkdirSync(join(root, "linked"));
    writeFileSync(join(root, "linked/.git"), `gitdir: ${join(project.root, ".git/worktrees/linked")}\n`);
    linked = projectIn("linked");
    expect(linked.memoryDb).toBe(project.memoryDb);
  });

  const write = (of: Project, word: string) => {
    const memory = Memory.open(of.indexDb, { readonly: false });
    addSession(memory, word);
    memory.close();
    mkdirSync(of.spoolDir, { recursive: true });
    writeFileSync(join(of.spoolDir, "1.json"), JSON.stringify({ prompt: "wombat" }));
  };

  it("is encrypted and decrypted with the project whose memory it shares", () => {
    write(linked, "wombat");
    encryptProject(project, `file:${keyFile}`, { backups: [], sharing: [project, linked] });
    expect(plainFiles()).toEqual([]);
    decryptProject(linked, { backups: [], sharing: [linked, project] });
    expect(plainFiles()).toContain(linked.indexDb);
    for (const { stateDir } of [project, linked]) expect(readEnvelope(stateDir)).toBeNull();
  });

  it("that is new encrypts from its first file on", () => {
    encryptProject(project, `file:${keyFile}`, nothing);
    expect(publicKeyOf(linked)).toEqual(publicKeyOf(project));
    shareEncryption(linked);
    const memory = Memory.open(linked.indexDb, { readonly: false });
    addSession(memory, "wombat");
    memory.close();
    expect(plainFiles()).toEqual([]);
  });

  it("encrypts the memory that it shares, each with its own key where they differ", () => {
    write(linked, "wombat");
    encryptProject(project, `file:${keyFile}`, nothing);
    const stray = projectIn("stray");
    encryptProject(stray, `file:${join(root, "stray.key")}`, nothing);
    cpSync(join(stray.stateDir, envelopeName), join(linked.stateDir, envelopeName));
    encryptProject(linked, "file", nothing);
    expect(plainFiles()).toEqual([]);
    forgetKeys();
    expect(turnsIn(project)).toBe(sessions * turns);
  });
});
