import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { namedProject } from "../../../test/support/named-project.ts";
import { run } from "../../answers/run.ts";
import type { Project } from "../../base/paths.ts";
import { listJobs } from "../../store/memory/jobs/job-rows.ts";
import { claimJob, enqueue, fail } from "../../store/memory/jobs/jobs.ts";
import { Memory } from "../../store/memory/memory.ts";
import { retryJobs, showQueue } from "./operation.ts";

let project: Project;
afterEach(() => rmSync(project.root, { recursive: true, force: true }));

function withMemory<T>(use: (memory: Memory) => T): T {
  const memory = Memory.open(project.memoryDb, { readonly: false });
  try {
    return use(memory);
  } finally {
    memory.close();
  }
}

/** A project with failed jobs. */
function failJobs(...subjects: string[]): void {
  project = namedProject(mkdtempSync(join(tmpdir(), "pommel-jobs-")));
  withMemory((memory) => {
    for (const subject of subjects) {
      enqueue(memory, { kind: "transcript", subject });
      fail(memory, claimJob(memory, "one")!, { error: "gone", retryable: false });
    }
  });
}

const readStates = () =>
  withMemory((memory) => listJobs(memory).map(({ subject, state }) => `${subject} ${state}`));

it("failed jobs are tried again, all or those that are named", async () => {
  failJobs("a", "b");
  const [first] = withMemory((memory) => listJobs(memory));
  expect(await run(retryJobs, project, { ids: [first!.id] })).toEqual({ jobs: 1 });
  expect(readStates().sort()).toEqual([
    `${first!.subject} pending`,
    first!.subject === "a" ? "b dead" : "a dead",
  ]);
  expect(await run(retryJobs, project, {})).toEqual({ jobs: 1 });
  expect(readStates().sort()).toEqual(["a pending", "b pending"]);
});

it("failed jobs are dropped where that is wanted", async () => {
  failJobs("a", "b");
  expect(await run(retryJobs, project, { drop: true })).toEqual({ jobs: 2 });
  expect(readStates()).toEqual([]);
});

it("the queue of a project that no daemon keeps counts what failed", async () => {
  failJobs("a");
  expect((await run(showQueue, project, {})).sessions).toMatchObject({
    dead: [{ subject: "a", error: "gone" }],
    pending: 0,
  });
});
