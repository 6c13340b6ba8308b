import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { removeDeadDrafts } from "./dead-drafts.ts";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "pommel-drafts-"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const dead = execFileSync(process.execPath, ["-p", "process.pid"], { encoding: "utf8" }).trim();

test("drafts of dead processes go, with what lies beside them; nothing else does", () => {
  const drafts = [`a.json.pommel-${dead}`, `m.db.pommel-${dead}-wal`, `m.db.pommel-${dead}.before-3`];
  const others = ["a.json", "hook.pommel-kept", `m.db.pommel-${dead}x`, `m.db.pommel-${process.pid}`];
  for (const name of [...drafts, ...others]) writeFileSync(join(dir, name), "");
  expect(removeDeadDrafts([dir, join(dir, "missing")]).sort()).toEqual(
    drafts.map((name) => join(dir, name)).sort(),
  );
  expect(readdirSync(dir).sort()).toEqual(others.sort());
});

test("a draft that nobody has written for an hour goes, whoever has its process id by now", () => {
  const file = join(dir, `m.db.pommel-${process.pid}`);
  writeFileSync(file, "");
  expect(removeDeadDrafts([dir])).toEqual([]);
  const twoHoursAgo = Date.now() / 1000 - 7200;
  utimesSync(file, twoHoursAgo, twoHoursAgo);
  expect(removeDeadDrafts([dir])).toEqual([file]);
});
