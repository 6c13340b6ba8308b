import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";
import { namedProject } from "../../../../test/support/named-project.ts";
import { transcript } from "../../../../test/support/transcript-fixture.ts";
import { makeDefaultConfig } from "../../../base/config/settings.ts";
import { silentLog } from "../../../base/log.ts";
import type { Project } from "../../../base/paths.ts";
import { listJobs } from "../../../store/memory/jobs/job-rows.ts";
import { enqueue } from "../../../store/memory/jobs/jobs.ts";
import { Memory } from "../../../store/memory/memory.ts";
import { findSessionByUid } from "../../../store/memory/sessions/sessions.ts";
import { listTurns } from "../../../store/memory/sessions/turns.ts";
import { makeJobOwner } from "../job-worker.ts";
import { askForReading } from "../session-requests.ts";
import { JobThreads } from "./job-threads.ts";
import { threadKinds } from "./thread-messages.ts";

type TurnOptions = Parameters<JobThreads["runTurns"]>[1];

let dir: string;
let project: Project;
let memory: Memory;
let threads: JobThreads;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "pommel-threads-"));
  project = namedProject(dir);
  memory = Memory.open(project.memoryDb, { readonly: false });
  threads = new JobThreads({ log: silentLog, readFree: () => Number.POSITIVE_INFINITY });
});
afterEach(async () => {
  await threads.close();
  memory.close();
  rmSync(dir, { recursive: true, force: true });
});

function ask(session: string, prompts = 1): string {
  const builder = transcript({ session, cwd: project.root });
  for (let i = 0; i < prompts; i++) builder.prompt(`Question ${i} of ${session}`);
  const file = join(dir, `${session}.jsonl`);
  writeFileSync(file, builder.text());
  askForReading(memory, file, { agent: "claude" });
  return file;
}

const turn = () => ({
  project,
  config: makeDefaultConfig(),
  roots: [project.root],
  kinds: threadKinds,
  hasScrubbingModel: false,
});
const options = (more: Partial<TurnOptions> = {}): TurnOptions => ({
  jobs: 1,
  bytes: 1,
  urgency: () => 10,
  settled: () => Promise.resolve(),
  signal: new AbortController().signal,
  owner: makeJobOwner,
  onJob() {},
  onLost() {},
  ...more,
});
const turnsIn = (uid: string) => listTurns(memory, findSessionByUid(memory, uid)?.id ?? -1).length;

it("read what is due, several of them at once", async () => {
  for (let i = 0; i < 6; i++) ask(`s${i}`, 3);
  let jobs = 0;
  await threads.runTurns(turn(), options({ jobs: 6, bytes: 1e9, onJob: () => jobs++ }));
  expect(listJobs(memory).filter(({ kind }) => kind === "transcript")).toEqual([]);
  expect(jobs).toBe(6);
  for (let i = 0; i < 6; i++) expect(turnsIn(`s${i}`)).toBe(3);
});

it("read with one alone while there is no room for another", async () => {
  for (let i = 0; i < 6; i++) ask(`s${i}`, 3);
  const narrow = new JobThreads({
    log: silentLog,
    waitForRoom: (signal) => new Promise((_, reject) => signal.addEventListener("abort", reject)),
  });
  const owners: string[] = [];
  const owner = () => {
    owners.push(makeJobOwner());
    return owners.at(-1)!;
  };
  await narrow.runTurns(turn(), options({ jobs: 6, bytes: 1e9, owner })).finally(() => narrow.close());
  expect(listJobs(memory).filter(({ kind }) => kind === "transcript")).toEqual([]);
  expect(owners).toHaveLength(1);
});

it("read with one alone again once memory has become scarce", async () => {
  for (let i = 0; i < 6; i++) ask(`s${i}`, 3);
  let free = 1e9;
  const scarce = new JobThreads({ log: silentLog, readFree: () => free });
  const owners: string[] = [];
  const owner = () => {
    owners.push(makeJobOwner());
    return owners.at(-1)!;
  };
  const onJob = () => {
    free = -1;
  };
  const read = () => scarce.runTurns(turn(), options({ jobs: 6, bytes: 1e9, owner, onJob }));
  await read();
  // What the one that left had begun may be left when the other one ends.
  await read().finally(() => scarce.close());
  expect(listJobs(memory).filter(({ kind }) => kind === "transcript")).toEqual([]);
  for (let i = 0; i < 6; i++) expect(turnsIn(`s${i}`)).toBe(3);
  expect(owners.length).toBeLessThanOrEqual(3);
});

it("leave more urgent jobs of others to these, and what depends on them", async () => {
  ask("s1");
  enqueue(memory, { kind: "recut", subject: "memory", priority: 1 });
  await threads.runTurns(turn(), options());
  expect(listJobs(memory).map(({ kind }) => kind)).toEqual(["recut", "transcript"]);
});

it("look at a commit when what the daemon saw before it is stored, and then begin anew", async () => {
  ask("s1");
  enqueue(memory, { kind: "commit", subject: "a".repeat(40), payload: { seen: "hook" }, priority: 1 });
  let asked = 0;
  const settled = async () => void asked++;
  await threads.runTurns(turn(), options({ settled }));
  expect(listJobs(memory).map(({ kind }) => kind)).toEqual(["transcript"]);
  expect(asked).toBe(1);
});

it("read nothing for who has been interrupted, and end", async () => {
  ask("s1");
  await threads.runTurns(turn(), options({ signal: AbortSignal.abort() }));
  expect(listJobs(memory)).toMatchObject([{ kind: "transcript", state: "pending", attempts: 0 }]);
});

it("do what is most urgent first, whoever came first", async () => {
  const script = join(dir, "obeys.mjs");
  writeFileSync(
    script,
    `import { parentPort } from "node:worker_threads";
     let has = false;
     parentPort.on("message", (message) => {
       if (message === "end") process.exit();
       if (message === "leave") { if (has) parentPort.postMessage("over"); has = false; } else has = true;
     });`,
  );
  const obeying = new JobThreads({ log: silentLog, script: pathToFileURL(script) });
  const ended: string[] = [];
  const read = (name: string, urgency: number) => {
    const leave = new AbortController();
    const done = obeying.runTurns(turn(), options({ urgency: () => urgency, signal: leave.signal }));
    return { leave, done: done.then(() => void ended.push(name)) };
  };
  const [one, other] = [read("one", 101), read("other", 103)];
  const [later, sooner] = [read("later", 104), read("sooner", 102)];
  // The one that does the least urgent things makes room, and only for what is more urgent.
  await other.done;
  sooner.leave.abort();
  await sooner.done;
  expect(ended).toEqual(["other", "sooner"]);
  for (const { leave } of [one, later]) leave.abort();
  await Promise.all([one.done, later.done]);
  await obeying.close();
});

it("say what keeps a memory from being read", async () => {
  ask("s1");
  memory.exec("PRAGMA user_version = 99");
  await expect(threads.runTurns(turn(), options())).rejects.toMatchObject({ code: "index_too_new" });
});

it("tell whose jobs a turn left that failed", async () => {
  ask("s1");
  memory.exec("PRAGMA user_version = 99");
  const lost: string[] = [];
  const reading = threads.runTurns(
    turn(),
    options({ owner: () => "owner", onLost: (one) => lost.push(one) }),
  );
  await expect(reading).rejects.toMatchObject({ code: "index_too_new" });
  expect(lost).toEqual(["owner"]);
});

it("tell whose jobs a thread left that ended, and begin another", async () => {
  const script = join(dir, "ends.mjs");
  writeFileSync(
    script,
    `import { parentPort } from "node:worker_threads"; parentPort.on("message", () => { throw new Error("no more") });`,
  );
  const failing = new JobThreads({ log: silentLog, script: pathToFileURL(script) });
  const lost: string[] = [];
  for (let i = 1; i <= 2; i++) {
    const reading = failing.runTurns(
      turn(),
      options({ owner: () => `owner ${i}`, onLost: (one) => lost.push(one) }),
    );
    await expect(reading).rejects.toThrow("no more");
  }
  expect(lost).toEqual(["owner 1", "owner 2"]);
  await failing.close();
});
