import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { namedProject } from "../../../test/support/named-project.ts";
import { makeDefaultConfig } from "../../base/config/settings.ts";
import { silentLog } from "../../base/log.ts";
import type { Project } from "../../base/paths.ts";
import { Sqlite } from "../../store/sqlite/sqlite.ts";
import { MemoryWork } from "./memory-work.ts";
import { JobThreads } from "./threads/job-threads.ts";

let project: Project;
let work: MemoryWork;

beforeEach(() => {
  project = namedProject(mkdtempSync(join(tmpdir(), "pommel-memory-work-")));
  work = new MemoryWork({
    project,
    config: { ...makeDefaultConfig(), "embed.text": "none" },
    roots: () => [project.root],
    rootsFound: Promise.resolve(),
    bundled: null,
    threads: new JobThreads({ log: silentLog }),
    log: silentLog,
  });
});
afterEach(async () => {
  await work.close();
  rmSync(project.root, { recursive: true, force: true });
});

function change(sql: string): void {
  const db = new Sqlite(project.memoryDb, { mode: "create", timeoutMs: 1000 });
  db.exec(sql);
  db.close();
}

/** What a read of the table throws. */
function missingTable(): unknown {
  try {
    return work.open!.memory.prepare("SELECT 1 FROM sessions").get();
  } catch (error) {
    return error;
  }
}

it("is outgrown when a newer Pommel migrates the open memory, and takes a table that went for no damage", () => {
  expect(work.isOutgrown()).toBe(false);
  change("ALTER TABLE sessions RENAME TO runs; PRAGMA user_version = 99");
  expect(work.isOutgrown()).toBe(true);
  work.suspect(missingTable());
  expect(work.failure).toBeNull();
  expect(work.isOutgrown()).toBe(true);
});

it("closes a memory that lost a table otherwise", () => {
  change("ALTER TABLE sessions RENAME TO runs");
  work.suspect(missingTable());
  expect(work.failure).toMatchObject({ code: "memory_corrupt" });
  expect(work.open).toBeNull();
  expect(work.isOutgrown()).toBe(false);
});
