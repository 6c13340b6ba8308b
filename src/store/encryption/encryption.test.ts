import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { namedProject } from "../../../test/support/named-project.ts";
import { temporaryHome } from "../../../test/support/temporary-home.ts";
import { locateDaemonFiles, locateHome } from "../../base/home.ts";
import type { Project } from "../../base/paths.ts";
import { readPublicKey, seal } from "../../protocol/sealed-text.ts";
import { readBackupContent } from "../memory/backups/backup-content.ts";
import { makeBackup } from "../memory/backups/backups.ts";
import { listBackups } from "../memory/backups/copies.ts";
import { replaceMemory } from "../memory/backups/restore.ts";
import { saveNote } from "../memory/chunks/notes.ts";
import { Memory } from "../memory/memory.ts";
import { decryptHome, encryptHome, rotateKey } from "./convert.ts";
import { envelopeName, readHomeEnvelope } from "./envelope.ts";
import { listPlainFiles } from "./home-files.ts";
import { forgetKeys, passphraseVariable, unlock, unsealText } from "./keys.ts";

const secret = "the quokka sleeps in the garden";
const nothing = { backups: [] };

let home: ReturnType<typeof temporaryHome>;
let root: string;
let project: Project;
let keyFile: string;

beforeEach(() => {
  home = temporaryHome();
  root = home.dir;
  project = namedProject(join(root, "project"));
  keyFile = join(root, "keys", "our.key");
  mkdirSync(locateDaemonFiles().spoolDir, { recursive: true });
  mkdirSync(locateDaemonFiles().logDir, { recursive: true });
  remember(secret);
});

afterEach(() => {
  delete process.env[passphraseVariable];
  forgetKeys();
  home.remove();
});

function remember(note: string): void {
  const memory = Memory.open(project.memoryDb, { readonly: false });
  const known = { turn: 1, lineUid: null, branch: null, sessionUid: null, source: "shell" as const };
  saveNote(memory, { ...known, uid: note.replaceAll(" ", "-"), at: 1, note });
  memory.close();
}

function notes(): string[] {
  const memory = Memory.open(project.memoryDb, { readonly: true });
  const found = memory.prepare("SELECT note FROM annotations ORDER BY id").pluck().all();
  memory.close();
  return found as string[];
}

const encrypt = (choice = `file:${keyFile}`) => encryptHome(choice, nothing);

/** Files of the home with these words in them; the registry tells only where projects are. */
function filesWith(words: string): string[] {
  const all = readdirSync(root, { recursive: true, withFileTypes: true });
  return all
    .filter((entry) => entry.isFile() && readFileSync(join(entry.parentPath, entry.name)).includes(words))
    .map(({ name }) => name);
}

function codeOfFailing(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return Object(error).code;
  }
  throw new Error("it did not fail");
}

/** As another process, which has unlocked nothing. */
const inNewProcess = forgetKeys;

describe("an encrypted home", () => {
  it("has a secret in none of its bytes: memory, log of the database, backups, spool, log", () => {
    makeBackup(project.memoryDb, { folder: join(project.dataDir, "backups"), reason: "manual" });
    writeFileSync(
      join(locateDaemonFiles().spoolDir, "1.json"),
      JSON.stringify({ kind: "x", prompt: secret }),
    );
    writeFileSync(join(locateDaemonFiles().logDir, "pommeld.log"), `{"msg":"${secret}"}\n{"msg":"b"}\n`);
    expect(filesWith(secret).length).toBeGreaterThan(3);
    const { files } = encrypt();
    expect(files).toHaveLength(4);
    const open = Memory.open(project.memoryDb, { readonly: false });
    expect(open.prepare("SELECT count(*) FROM annotations").pluck().get()).toBe(1);
    open.close();
    remember(`${secret}, and in the tree`);
    makeBackup(project.memoryDb, { folder: join(project.dataDir, "backups"), reason: "daily" });
    expect(filesWith("quokka")).toEqual([]);
    expect(listPlainFiles(nothing)).toEqual([]);
    expect(notes()).toEqual([secret, `${secret}, and in the tree`]);
    expect(unsealText(readFileSync(join(locateDaemonFiles().spoolDir, "1.json"), "utf8"))).toContain(secret);
    for (const file of [keyFile, join(locateHome().dataDir, envelopeName), project.memoryDb]) {
      expect(statSync(file).mode & 0o777).toBe(0o600);
    }
  });

  it("is as it was when it is decrypted", () => {
    writeFileSync(join(locateDaemonFiles().logDir, "pommeld.log"), '{"msg":"a"}\n{"msg":"b"}\n');
    encrypt();
    expect(decryptHome(nothing).files).toHaveLength(2);
    expect(existsSync(join(locateHome().dataDir, envelopeName))).toBe(false);
    expect(filesWith("quokka")).toContain("memory.db");
    expect(readFileSync(join(locateDaemonFiles().logDir, "pommeld.log"), "utf8")).toBe(
      '{"msg":"a"}\n{"msg":"b"}\n',
    );
    expect(notes()).toEqual([secret]);
  });

  it("is readable where encrypting was interrupted, and is encrypted by the next attempt", () => {
    makeBackup(project.memoryDb, { folder: join(project.dataDir, "backups"), reason: "manual" });
    const stop = () => {
      throw new Error("killed");
    };
    expect(() => encryptHome(`file:${keyFile}`, { backups: [], onFile: stop })).toThrow("killed");
    // A process that was killed while it wrote; no process has such a number.
    writeFileSync(`${project.memoryDb}.pommel-4194305`, secret);
    expect(listPlainFiles(nothing)).toHaveLength(1);
    inNewProcess();
    expect(notes()).toEqual([secret]);
    for (const { file } of listBackups(project.memoryDb, join(project.dataDir, "backups")))
      expect(readBackupContent(file)).toMatchObject({ notes: 1 });
    encrypt("keychain");
    expect(filesWith("quokka")).toEqual([]);
    expect(notes()).toEqual([secret]);
  });

  it("restores its memory from its own backups", () => {
    encrypt();
    const { file } = makeBackup(project.memoryDb, {
      folder: join(project.dataDir, "backups"),
      reason: "manual",
    });
    remember("later");
    replaceMemory(project.memoryDb, file);
    expect(notes()).toEqual([secret]);
    expect(filesWith("quokka")).toEqual([]);
  });
});

describe("without the right key", () => {
  /** Nothing in the project is touched, whatever is tried. */
  function changesNothing(work: () => void): void {
    const all = () =>
      [project.memoryDb, join(locateHome().dataDir, envelopeName)].map((file) =>
        readFileSync(file).toString("base64"),
      );
    const before = all();
    work();
    expect(all()).toEqual(before);
  }

  it("a lost key file is named, and opens everything when it is put back", () => {
    encrypt();
    inNewProcess();
    const away = join(root, "away");
    renameSync(keyFile, away);
    changesNothing(() => {
      expect(codeOfFailing(notes)).toBe("encryption_locked");
      expect(codeOfFailing(() => remember("more"))).toBe("encryption_locked");
      expect(codeOfFailing(() => encrypt())).toBe("encryption_locked");
      expect(codeOfFailing(() => decryptHome(nothing))).toBe("encryption_locked");
    });
    renameSync(away, keyFile);
    expect(notes()).toEqual([secret]);
  });

  it("another key is refused", () => {
    encrypt();
    inNewProcess();
    writeFileSync(keyFile, `POMMEL-KEY-1-${"A".repeat(43)}\n`);
    changesNothing(() => expect(codeOfFailing(notes)).toBe("encryption_wrong_key"));
  });

  it("a wrong passphrase is refused, and none is asked for", () => {
    process.env[passphraseVariable] = "correct horse";
    encrypt("passphrase");
    inNewProcess();
    process.env[passphraseVariable] = "wrong horse";
    changesNothing(() => expect(codeOfFailing(notes)).toBe("encryption_wrong_key"));
    delete process.env[passphraseVariable];
    expect(codeOfFailing(notes)).toBe("encryption_locked");
    process.env[passphraseVariable] = "correct horse";
    expect(notes()).toEqual([secret]);
  });

  it("a lost encryption.json is named: what it belongs to is neither damaged nor replaced", () => {
    encrypt();
    rmSync(join(locateHome().dataDir, envelopeName));
    expect(codeOfFailing(notes)).toBe("encryption_damaged");
    writeFileSync(join(locateHome().dataDir, envelopeName), "{");
    expect(codeOfFailing(notes)).toBe("encryption_damaged");
  });
});

describe("a new key", () => {
  it("opens what is stored, which is not written anew, and the old one no longer does", () => {
    encrypt();
    const [before, old] = [readFileSync(project.memoryDb), readFileSync(keyFile)];
    const next = join(root, "keys", "next.key");
    rotateKey(`file:${next}`, nothing);
    inNewProcess();
    expect(readFileSync(project.memoryDb).equals(before)).toBe(true);
    expect(notes()).toEqual([secret]);
    inNewProcess();
    writeFileSync(next, old);
    expect(codeOfFailing(notes)).toBe("encryption_wrong_key");
  });

  it("stands before older ones in the same file, which older copies of encryption.json need", () => {
    encrypt();
    const older = readHomeEnvelope()!;
    rotateKey(`file:${keyFile}`, nothing);
    inNewProcess();
    expect(unlock(older).id).toBe(older.id);
    expect(dirname(keyFile)).toBe(join(root, "keys"));
    expect(notes()).toEqual([secret]);
  });
});

it("a sealed text is opened by its project's key only, and not when it was changed", () => {
  encrypt();
  const publicKey = readPublicKey()!;
  const [one, two] = [seal(secret, publicKey), seal(secret, publicKey)];
  expect(one).not.toBe(two);
  expect(unsealText(one)).toBe(secret);
  const at = one.length - 10;
  const changed = one.slice(0, at) + (one[at] === "A" ? "B" : "A") + one.slice(at + 1);
  expect(() => unsealText(changed)).toThrow();
});
