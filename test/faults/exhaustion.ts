import { spawnSync } from "node:child_process";
import { closeSync, mkdirSync, openSync, readdirSync, writeSync } from "node:fs";
import { join } from "node:path";
import { Sqlite } from "../../src/store/sqlite/sqlite.ts";
import { pmFile, runStep, stepFile, tsx } from "./processes.ts";
import { base, envOf, report, work } from "./setting.ts";
import { contentOf } from "./stored.ts";

/** A backup on a disk that is too small, with an older one there. */
export async function diskFull(): Promise<void> {
  const disk = join(work, "disk");
  mkdirSync(disk);
  if (spawnSync("mount", ["-t", "tmpfs", "-o", "size=24m", "none", disk]).status !== 0) {
    report("disk full: backup", "not tried", "mounting a small disk needs root");
    return;
  }
  try {
    const project = base("full", { end: 3 });
    await runStep("import", project.root);
    const backup = () =>
      spawnSync(process.execPath, [pmFile, "backup", "--to", `${disk}/`], {
        cwd: project.root,
        env: envOf(project.root),
      });
    const first = backup().status;
    const before = readdirSync(disk);
    const filler = openSync(join(disk, "filler"), "w");
    try {
      for (;;) writeSync(filler, Buffer.alloc(65_536));
    } catch {
      closeSync(filler);
    }
    const second = backup();
    const left = readdirSync(disk).filter((name) => name !== "filler");
    const isGood =
      first === 0 &&
      second.status === 1 &&
      /too little room|disk.* full/i.test(String(second.stderr)) &&
      left.join() === before.join() &&
      contentOf(join(disk, before[0]!)) === contentOf(project.memoryDb);
    report(
      "disk full: backup",
      1,
      isGood ? 1 : 0,
      "refused; the older backup is kept, and no partial one is left",
    );
  } finally {
    spawnSync("umount", [disk]);
  }
}

/** With so few file descriptors it fails or works; afterwards all is as if nothing had been. */
export async function fewFiles(): Promise<void> {
  const calm = base("calm-files", { end: 3 });
  await runStep("import", calm.root);
  let good = 0;
  const limits = [24, 32, 48, 64];
  for (const limit of limits) {
    const project = base(`files-${limit}`, { end: 3 });
    const command = `ulimit -n ${limit}; exec "${process.execPath}" --import "${tsx}" "${stepFile}" import "${project.root}"`;
    spawnSync("bash", ["-c", command], { env: envOf(project.root) });
    await runStep("import", project.root);
    const db = new Sqlite(project.memoryDb, { mode: "read", timeoutMs: 1000 });
    if (
      db.pragma("integrity_check") === "ok" &&
      db.prepare("SELECT count(*) FROM sessions").pluck().get() === 3
    )
      good++;
    db.close();
  }
  report("file descriptors exhausted: import", limits.length, good, `limits ${limits.join(", ")}`);
}
