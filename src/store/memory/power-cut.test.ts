import {
  copyFileSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Memory } from "./memory.ts";

/**
 * What a power cut leaves: the database, and of its log what reached the disk. Covers logs that end anywhere or in garbage; not
 * disks that write pages in another order than they were told, nor those that lose what they said was written.
 */
test("a log that was cut anywhere opens, and holds every change before the cut, whole", () => {
  const dir = mkdtempSync(join(tmpdir(), "pommel-power-"));
  const file = join(dir, "memory.db");
  const memory = Memory.open(file, { readonly: false });
  memory.exec("PRAGMA wal_autocheckpoint = 0");
  memory.checkpointLog();
  const ends: number[] = [];
  for (let n = 1; n <= 40; n++) {
    memory.runInTransaction(() => {
      memory.setMeta("n", String(n));
      memory
        .prepare("INSERT INTO annotations (uid, at, source, note) VALUES (?, ?, 'shell', ?)")
        .run(`note-${n}`, n, "what to remember ".repeat(n * 10));
    });
    ends.push(statSync(`${file}-wal`).size);
  }
  const log = readFileSync(`${file}-wal`);
  const cutFile = join(dir, "cut.db");
  let seed = 7;
  for (let i = 0; i < 60; i++) {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    const cut = seed % log.length;
    for (const end of ["-wal", "-shm"]) rmSync(cutFile + end, { force: true });
    copyFileSync(file, cutFile);
    writeFileSync(`${cutFile}-wal`, log);
    truncateSync(`${cutFile}-wal`, cut);
    // Blocks that were allocated and not written.
    if (i % 3 === 0) truncateSync(`${cutFile}-wal`, log.length);
    const after = Memory.open(cutFile, { readonly: false });
    const whole = ends.filter((end) => end <= cut).length;
    expect(Number(after.readMeta("n") ?? 0)).toBe(whole);
    expect(after.prepare("SELECT count(*) FROM annotations").pluck().get()).toBe(whole);
    expect(after.check()).toBe("ok");
    after.close();
  }
  memory.close();
  rmSync(dir, { recursive: true, force: true });
});
