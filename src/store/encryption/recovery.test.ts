import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { addSession, turn } from "../../../test/support/memory-fixture.ts";
import { namedProject } from "../../../test/support/named-project.ts";
import { temporaryHome } from "../../../test/support/temporary-home.ts";
import { locateHome } from "../../base/home.ts";
import type { Project } from "../../base/paths.ts";
import { readBackupContent } from "../memory/backups/backup-content.ts";
import { backUpDaily, makeBackup } from "../memory/backups/backups.ts";
import { chooseFreeBackupName } from "../memory/backups/copies.ts";
import { checkBackup, replaceMemory } from "../memory/backups/restore.ts";
import { Memory } from "../memory/memory.ts";
import { repairMemory } from "../memory/repair/repair.ts";
import { memorySchema } from "../memory/schema.ts";
import { packContent } from "../memory/sessions/content.ts";
import { saveTurn } from "../memory/sessions/turns.ts";
import { Registry } from "../registry.ts";
import { checkDatabase } from "../sqlite/database.ts";
import { Sqlite } from "../sqlite/sqlite.ts";
import { encryptHome, rotateKey } from "./convert.ts";
import { envelopeName, locateOwnEnvelope, readHomeEnvelope, writeEnvelope } from "./envelope.ts";
import { forgetKeys, passphraseVariable } from "./keys.ts";

/** Damage, copies in other places, other machines and linked worktrees of what is encrypted. */

const sessions = 20;
const turns = 8;
const nothing = { backups: [] };

let home: ReturnType<typeof temporaryHome>;
let root: string;
let project: Project;
let keyFile: string;

beforeEach(() => {
  home = temporaryHome();
  root = home.dir;
  keyFile = join(root, "our.key");
  project = projectIn("project");
  const memory = Memory.open(project.memoryDb, { readonly: false });
  memory.runInTransaction(() => {
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
  forgetKeys();
  home.remove();
});

const projectIn = (name: string): Project => namedProject(join(root, name));

/** As on another machine: another home, nothing unlocked. */
function moveToAnotherMachine(): string {
  Registry.close();
  const other = join(root, "other-home");
  process.env.POMMEL_HOME = other;
  forgetKeys();
  return other;
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
    encryptHome(`file:${keyFile}`, nothing);
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
      expect(checkDatabase(project.memoryDb, memorySchema).state).toBe("sound");
      lostTurns += lost.turns ?? 0;
      expect(readdirSync(project.dataDir).filter((name) => name.includes(".pommel-"))).toEqual([]);
      rmSync(aside);
    }
    expect(repaired).toBeGreaterThan(2);
    expect(lostTurns).toBeGreaterThan(0);
    expect(plainFiles()).toEqual([]);
  });

  it("that somebody changed is not believed", () => {
    encryptHome(`file:${keyFile}`, nothing);
    const all = readFileSync(project.memoryDb);
    const last = all.length / 4096;
    all[(last - 1) * 4096 + 1000]! ^= 1;
    writeFileSync(project.memoryDb, all);
    expect(checkDatabase(project.memoryDb, memorySchema).state).toBe("damaged");
  });

  it("of an encrypted memory is not repaired without its key", () => {
    encryptHome(`file:${keyFile}`, nothing);
    damage(20);
    forgetKeys();
    const before = readFileSync(project.memoryDb);
    renameSync(keyFile, `${keyFile}.away`);
    expect(() => repairMemory(project.memoryDb)).toThrow(failing("encryption_locked"));
    expect(checkDatabase(project.memoryDb, memorySchema)).toMatchObject({
      state: "unreadable",
      hint: expect.stringContaining("Put a copy of it at"),
    });
    renameSync(`${keyFile}.away`, keyFile);
    rmSync(join(locateHome().dataDir, envelopeName));
    expect(checkDatabase(project.memoryDb, memorySchema)).toMatchObject({
      state: "unreadable",
      why: expect.stringContaining(envelopeName),
    });
    expect(readFileSync(project.memoryDb)).toEqual(before);
  });

  it("of a plain one is named by what would encrypt it", () => {
    damage(20);
    expect(() => encryptHome(`file:${keyFile}`, nothing)).toThrow(failing("unreadable"));
  });
});

describe("a copy in another place", () => {
  const copyTo = (folder: string) =>
    makeBackup(project.memoryDb, { file: chooseFreeBackupName(join(root, folder), "manual") }).file;

  it("is encrypted, and restored on another machine with the passphrase", () => {
    process.env[passphraseVariable] = "correct horse";
    encryptHome("passphrase", nothing);
    const copy = copyTo("usb");
    expect(readdirSync(join(root, "usb"))).toHaveLength(2);
    expect(plainFiles()).toEqual([]);
    moveToAnotherMachine();
    const there = projectIn("there");
    delete process.env[passphraseVariable];
    expect(() => checkBackup(copy)).toThrow(failing("encryption_locked"));
    process.env[passphraseVariable] = "wrong horse";
    expect(() => replaceMemory(there.memoryDb, copy)).toThrow(failing("encryption_wrong_key"));
    expect(existsSync(there.memoryDb)).toBe(false);
    process.env[passphraseVariable] = "correct horse";
    replaceMemory(there.memoryDb, copy);
    expect(turnsIn(there)).toBe(sessions * turns);
    expect(plainFiles()).toEqual([]);
  });

  it("is restored on another machine with the key file in its usual place", () => {
    encryptHome(`file:${keyFile}`, nothing);
    const copy = copyTo("usb");
    const key = readFileSync(keyFile);
    rmSync(keyFile);
    const { id } = readHomeEnvelope()!;
    const other = moveToAnotherMachine();
    const there = projectIn("there");
    const place = join(other, "config", "keys", `${id}.key`);
    expect(() => replaceMemory(there.memoryDb, copy)).toThrow(
      expect.objectContaining({ hint: expect.stringContaining(place) }),
    );
    mkdirSync(join(other, "config", "keys"), { recursive: true });
    writeFileSync(place, key);
    replaceMemory(there.memoryDb, copy);
    expect(turnsIn(there)).toBe(sessions * turns);
  });

  it("gets the key of the home that it is restored to, whichever it had", () => {
    const plain = copyTo("plain");
    encryptHome(`file:${keyFile}`, nothing);
    const sealed = copyTo("usb");
    Registry.close();
    process.env.POMMEL_HOME = join(root, "other-home");
    process.env[passphraseVariable] = "correct horse";
    const there = projectIn("there");
    encryptHome("passphrase", nothing);
    for (const copy of [plain, sealed]) {
      rmSync(there.memoryDb, { force: true });
      replaceMemory(there.memoryDb, copy);
      rmSync(join(root, "plain"), { recursive: true, force: true });
      expect(plainFiles()).toEqual([]);
      expect(readHomeEnvelope()?.source.kind).toBe("passphrase");
      expect(turnsIn(there)).toBe(sessions * turns);
    }
  });

  it("lies beside those of other homes", () => {
    encryptHome(`file:${keyFile}`, nothing);
    const copies = [
      makeBackup(project.memoryDb, { file: chooseFreeBackupName(join(root, "usb"), "manual") }).file,
    ];
    Registry.close();
    process.env.POMMEL_HOME = join(root, "other-home");
    const other = projectIn("other");
    const memory = Memory.open(other.memoryDb, { readonly: false });
    saveTurn(memory, addSession(memory, "one").id, turn(1));
    memory.close();
    encryptHome(`file:${join(root, "other.key")}`, nothing);
    copies.push(makeBackup(other.memoryDb, { file: chooseFreeBackupName(join(root, "usb"), "manual") }).file);
    forgetKeys();
    expect(copies.map((copy) => readBackupContent(copy)?.sessions)).toEqual([sessions, 1]);
  });

  it("that could not be made leaves nothing behind", () => {
    encryptHome(`file:${keyFile}`, nothing);
    const all = readFileSync(project.memoryDb);
    all.fill(0xa5, 20 * 4096, 30 * 4096);
    writeFileSync(project.memoryDb, all);
    expect(() => copyTo("usb")).toThrow(failing("memory_corrupt"));
    expect(readdirSync(join(root, "usb"))).toEqual([]);
  });

  it("a folder of backups that was not there when it was encrypted has the key's file as well", () => {
    encryptHome(`file:${keyFile}`, nothing);
    const folder = join(root, "disk");
    const { file } = backUpDaily(project.memoryDb, { folder, keep: 2 }, 1000)!;
    expect(readdirSync(folder)).toContain(envelopeName);
    expect(existsSync(locateOwnEnvelope(file))).toBe(false);
    rotateKey(`file:${join(root, "next.key")}`, { backups: [folder] });
    forgetKeys();
    rmSync(keyFile);
    expect(readBackupContent(file)).toMatchObject({ sessions });
  });

  it("a new key leaves a folder alone that belongs to another data key", () => {
    const folder = join(root, "older");
    mkdirSync(folder);
    encryptHome(`file:${join(root, "other.key")}`, nothing);
    writeEnvelope(folder, readHomeEnvelope()!);
    const before = readFileSync(join(folder, envelopeName));
    Registry.close();
    process.env.POMMEL_HOME = join(root, "other-home");
    projectIn("there");
    encryptHome(`file:${keyFile}`, nothing);
    rotateKey(`file:${keyFile}`, { backups: [folder] });
    expect(readFileSync(join(folder, envelopeName))).toEqual(before);
  });
});
