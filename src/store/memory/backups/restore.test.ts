import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { statesOf } from "../../../../test/support/every-step.ts";
import { addSession } from "../../../../test/support/memory-fixture.ts";
import { checkMemory, Memory } from "../memory.ts";
import { listSessions } from "../sessions/sessions.ts";
import { readUids } from "./backup-content.ts";
import { makeBackup } from "./backups.ts";
import { listReplacedFiles, locateBackupFolder } from "./copies.ts";
import { listLeftovers, recoverMemory } from "./put-in-place.ts";
import { replaceMemory } from "./restore.ts";

let home: string;
let dir: string;
let file: string;
const before = process.env.POMMEL_HOME;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "pommel-restore-"));
  process.env.POMMEL_HOME = home;
  dir = join(home, "data", "projects", "app");
  mkdirSync(dir, { recursive: true });
  file = join(dir, "memory.db");
});

afterEach(() => {
  if (before === undefined) delete process.env.POMMEL_HOME;
  else process.env.POMMEL_HOME = before;
  rmSync(home, { recursive: true, force: true });
});

function add(uid: string): void {
  const memory = Memory.open(file, { readonly: false });
  addSession(memory, uid);
  memory.close();
}

const sessionsIn = (of: string) => [...readUids(of).sessions].sort().join();

/** The id of a process that has ended. */
const dead = Number(execFileSync(process.execPath, ["-p", "process.pid"], { encoding: "utf8" }));

/** As if another process, which is dead, had left this state of the home. */
function asLeftByTheDead(state: string): string {
  process.env.POMMEL_HOME = state;
  const project = join(state, "data", "projects", "app");
  for (const name of readdirSync(project)) {
    const theirs = name.replaceAll(`.pommel-${process.pid}`, `.pommel-${dead}`);
    if (theirs !== name) renameSync(join(project, name), join(project, theirs));
  }
  return join(project, "memory.db");
}

describe("a restore that is killed at any of its steps", () => {
  test("leaves the old memory or the new one, and both can be had", () => {
    add("old");
    const { file: backup } = makeBackup(file, { folder: locateBackupFolder(file, ""), reason: "manual" });
    add("of-today");
    const states = statesOf(home, () => replaceMemory(file, backup));
    expect(states.length).toBeGreaterThan(8);
    const outcomes = states.map((state) => {
      const left = asLeftByTheDead(state);
      recoverMemory(left);
      expect(listLeftovers(left)).toEqual([]);
      const memory = sessionsIn(left);
      const before = listReplacedFiles(left).map(sessionsIn);
      expect(["of-today,old", "old"]).toContain(memory);
      if (memory === "old") expect(before[0]).toBe("of-today,old");
      // The natural next step takes nothing away.
      replaceMemory(left, join(left, "../backups", basename(backup)));
      expect(sessionsIn(left)).toBe("old");
      expect(listReplacedFiles(left).map(sessionsIn)).toContain("of-today,old");
      replaceMemory(left, listReplacedFiles(left).find((one) => sessionsIn(one) === "of-today,old")!);
      expect(sessionsIn(left)).toBe("of-today,old");
      rmSync(process.env.POMMEL_HOME!, { recursive: true });
      return memory;
    });
    expect(new Set(outcomes).size).toBe(2);
  });

  test("puts the log of a damaged memory back", () => {
    add("old");
    const { file: backup } = makeBackup(file, { folder: locateBackupFolder(file, ""), reason: "manual" });
    for (const end of ["", "-wal"]) writeFileSync(file + end, `damaged${end}`);
    const states = statesOf(home, () => replaceMemory(file, backup));
    for (const state of states) {
      const left = asLeftByTheDead(state);
      recoverMemory(left);
      const isNew = checkMemory(left).state === "sound";
      const place = isNew ? listReplacedFiles(left)[0]! : left;
      expect([existsSync(place), existsSync(`${place}-wal`)]).toEqual([true, true]);
      rmSync(process.env.POMMEL_HOME!, { recursive: true });
    }
  });
});

test("a directory in the memory's place is named, and nothing is lost", () => {
  add("a");
  const { file: backup } = makeBackup(file, { folder: locateBackupFolder(file, ""), reason: "manual" });
  rmSync(file);
  mkdirSync(file);
  const refused = expect.objectContaining({
    code: "unreadable",
    message: expect.stringContaining("directory"),
  });
  expect(() => replaceMemory(file, backup)).toThrow(refused);
  expect(() => Memory.open(file, { readonly: true })).toThrow(refused);
  expect(() => Memory.open(file, { readonly: false })).toThrow(refused);
  expect(checkMemory(file)).toMatchObject({ state: "unreadable", why: "it is a directory" });
});

describe("a memory that is gone beside its backups", () => {
  test.each([
    ["missing", () => rmSync(file), "is missing"],
    ["empty", () => writeFileSync(file, ""), "is empty"],
  ])("%s: is an error, and no empty one takes its place", (_, spoil, says) => {
    add("a");
    makeBackup(file, { folder: locateBackupFolder(file, ""), reason: "daily" });
    spoil();
    const refused = expect.objectContaining({
      code: "memory_missing",
      message: expect.stringContaining(says),
      hint: expect.stringContaining("pm memory restore"),
    });
    for (const readonly of [true, false]) expect(() => Memory.open(file, { readonly })).toThrow(refused);
    expect(() => makeBackup(file, { folder: locateBackupFolder(file, ""), reason: "manual" })).toThrow(
      refused,
    );
    rmSync(file, { force: true });
    rmSync(locateBackupFolder(file, ""), { recursive: true });
    const memory = Memory.open(file, { readonly: false });
    expect(listSessions(memory)).toEqual([]);
    memory.close();
  });
});
