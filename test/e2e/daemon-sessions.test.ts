import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, mkdirSync, rmSync, truncateSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Project } from "../../src/base/paths.ts";
import { callDaemon } from "../../src/client/daemon-client.ts";
import { forget } from "../../src/features/forget/operation.ts";
import { importTranscript } from "../../src/features/import/operation.ts";
import { retryJobs, showQueue } from "../../src/features/jobs/operation.ts";
import { listNotes, writeNote } from "../../src/features/notes/operation.ts";
import { scrub } from "../../src/features/scrub/operation.ts";
import { searchAll } from "../../src/features/search/operation.ts";
import { showSession } from "../../src/features/sessions/operation.ts";
import { readState, showStatus } from "../../src/features/status/operation.ts";
import { findProject, rememberProject } from "../../src/git/projects/find-project.ts";
import { isAtRest, listJobs } from "../../src/store/memory/jobs/job-rows.ts";
import { enqueue } from "../../src/store/memory/jobs/jobs.ts";
import { Memory } from "../../src/store/memory/memory.ts";
import { locateVault, removeFromVault } from "../../src/store/vault/vault.ts";
import { runs } from "../support/runs.ts";
import type { TranscriptFixture } from "../support/transcript-fixture.ts";
import { fork } from "../support/transcript-fixture.ts";
import {
  cleanUp,
  createProject,
  found,
  logOf,
  pmJson,
  spawnDaemon,
  start,
  status,
  until,
  untilAnswering,
  untilIdle,
  untilStopped,
} from "./daemon-fixture.ts";
import { callPm, runPm, temporaryDir } from "./run-pm.ts";
import {
  ask,
  contentOfMemory,
  hookItem,
  sessionIn,
  sessionsFound,
  transcriptDir,
  untilRead,
} from "./sessions-fixture.ts";

/** How the daemon records an agent's transcripts and its hooks' events. */

let project: Project;
let dir: string;

beforeEach(() => {
  project = createProject({ "src/retry.ts": "export const attempts = 3;\n" });
  dir = transcriptDir(project);
});

const removeAll = async () => {
  await cleanUp();
  rmSync(join(process.env.HOME!, ".claude"), { recursive: true, force: true });
};

const idOf = (n: number) => `${String(n).repeat(8)}-1111-4111-8111-111111111111`;

/** A session about one thing. */
function about(n: number, thing: string): TranscriptFixture {
  const made = sessionIn(project, idOf(n));
  made.prompt(`Why does the ${thing} fail at night?`);
  made.bash(`npm test ${thing}`, `FAIL ${thing}`, { isError: true });
  made.edit(join(project.root, "src/retry.ts"), "const attempts = 3;", `const attempts = 5; // ${thing}`);
  made.reply(`The ${thing} failed because the timeout was too short; I raised it.`);
  return made;
}

/** As if it had ended long before Pommel came. */
function age(file: string): string {
  utimesSync(file, new Date("2025-01-01"), new Date("2025-01-01"));
  return file;
}

const importAll = (files: readonly string[]) =>
  callDaemon(project.root, importTranscript, { transcript_paths: [...files], trigger: "import" });

/** Waits until the queue is empty, summaries included. */
const untilNothingWaits = (of: Project = project) =>
  until(async () => (await callDaemon(of.root, showQueue, {}).catch(() => null))?.sessions.is_idle);

/** Leaves a session to be imported. */
function waitingSession(): void {
  const memory = Memory.open(project.memoryDb, { readonly: false });
  enqueue(memory, { kind: "transcript", subject: about(1, "flamingo").writeTo(dir) });
  memory.close();
}

/** Whether nothing is left to do for code, and for all. */
async function idle(): Promise<boolean[]> {
  const { queue } = await status(project);
  return [queue.code_is_idle, queue.is_idle];
}

describe("a daemon that answers for all their projects", () => {
  afterAll(removeAll);

  test("sessions from before wait until they are imported, or go on", async () => {
    const [first, second] = [age(about(1, "flamingo").writeTo(dir)), age(about(2, "heron").writeTo(dir))];
    const elsewhere = sessionIn(project, idOf(4), { cwd: "/somewhere/else" });
    elsewhere.prompt("What about the ostrich?");
    elsewhere.writeTo(dir);
    // It is the first, so that it starts the daemon.
    const { code, stdout } = await callPm(["start"], { cwd: project.root });
    expect(code).toBe(0);
    expect(stdout).toMatch(/Found 2 past sessions \(\d.*B\)\. Import them: `pm import claude`\./);
    await untilRead(project);
    expect((await status(project)).memory.sessions).toBe(0);

    await importAll([first]);
    await untilNothingWaits();
    expect((await callDaemon(project.root, showQueue, {})).past).toMatchObject({ sessions: 1 });
    expect((await status(project)).memory.sessions).toBe(1);
    expect((await callDaemon(project.root, showSession, { id: idOf(1) })).summary).toMatchObject({
      source: "extractive",
    });
    appendFileSync(second, "\n");
    await until(async () => (await status(project)).memory.sessions === 2);
    const refused = await callDaemon(project.root, importTranscript, {
      transcript_path: join(dir, `${idOf(4)}.jsonl`),
    });
    expect(refused).toMatchObject({ queued: false, reason: expect.stringContaining("/somewhere/else") });
  });

  test("a session is found while it goes on", async () => {
    await start(project);
    about(2, "heron").writeTo(dir);
    about(3, "bittern").writeTo(dir);
    const made = about(1, "flamingo");
    const file = made.writeTo(dir);
    await until(async () => (await sessionsFound(project, "flamingo timeout"))[0] === idOf(1));
    const before = made.text().length;
    made.prompt("Now let's rename the pelican.");
    made.reply("The pelican is called albatross from now on.");
    appendFileSync(file, made.text().slice(before));
    await until(async () =>
      (await ask(project, "albatross")).results.some(({ last_turn }) => last_turn === 2),
    );
    const [best] = (await ask(project, "why did the flamingo fail")).results;
    expect(best).toMatchObject({ session_id: idOf(1), agent: "claude", files: ["src/retry.ts"] });

    const given = { session_id: idOf(1), cwd: "/elsewhere", workspace: { project_dir: project.root } };
    const line = await runPm(["statusline"], { cwd: temporaryDir(), input: JSON.stringify(given) });
    expect(line).toMatchObject({ code: 0, stdout: "pommel: nothing injected, 3 sessions\n", stderr: "" });

    const { memory, models } = await status(project);
    expect(memory).toMatchObject({ sessions: 3, turns: 4, problem: null, needs_scrubbing: false });
    expect(models.text).toMatchObject([{ id: "static-1", state: "ready" }]);
    const all = await callDaemon(project.root, searchAll, { q: "attempts of the flamingo" });
    expect(all).toMatchObject({ scope: "all", notes: [] });
    const content = await ask(project, '"FAIL flamingo"', { in: "content" });
    expect(content.results).toMatchObject([
      { session_id: idOf(1), turn: 1, found_in: { role: "tool_result", tool: "Bash" } },
    ]);
    // No code is about it: what comes closest is shown all the same.
    expect(all.code).toMatchObject({ results: [{ file: "src/retry.ts" }] });
    expect(all.code!.verdict).not.toBe("found");
    expect(all.transcripts!.results[0]!.session_id).toBe(idOf(1));
  });

  test("what hooks report is recorded at once, and only once when the transcript contains it too", async () => {
    await start(project);
    const note = "the flamingo needs 5 s";
    const made = sessionIn(project, idOf(1), { start: new Date().toISOString() });
    const file = join(dir, `${made.session}.jsonl`);
    const payload = { session_id: made.session, transcript_path: file, cwd: project.root };
    await hookItem(project, "session-start", { ...payload, source: "startup" });
    await hookItem(project, "user-prompt", { ...payload, prompt: `Note to Pommel: ${note}` });
    const annotations = async () => (await callDaemon(project.root, listNotes, {})).annotations;
    await until(async () => (await annotations()).length === 1);
    expect(await annotations()).toMatchObject([
      { note, session_id: made.session, turn: null, source: "prompt" },
    ]);

    made.prompt(`Look at the flamingo.\nNote to Pommel: ${note}`);
    made.bash("npm test", "FAIL flamingo", { isError: true });
    made.reply("The flamingo failed because the timeout was too short; I raised it to five seconds.");
    const agent = sessionIn(project, made.session, { agentId: "a1b2c3", start: made.time() });
    agent.prompt("Count the flamingos.");
    agent.reply("There are seven flamingos in the lagoon.");
    agent.writeTo(dir, { agentType: "Explore", description: "Count them" });
    made.writeTo(dir);
    await hookItem(project, "stop", payload);
    await hookItem(project, "session-end", { ...payload, reason: "prompt_input_exit" });
    await until(async () => (await annotations())[0]!.turn === 1);
    expect(await annotations()).toHaveLength(1);
    await until(async () => (await ask(project, "flamingos lagoon seven")).results.length > 0);

    const shown = () => callDaemon(project.root, showSession, { id: made.session.slice(0, 8) });
    await until(async () => (await shown()).summary !== null && (await shown()).session.agents === 1);
    expect(await shown()).toMatchObject({
      session: { id: made.session, agents: 1, turns: 1, end_reason: "prompt_input_exit" },
      agents: [`${made.session}/a1b2c3`],
    });
    const inner = await callDaemon(project.root, showSession, { id: `${made.session}/a1b2c3` });
    expect(inner.session).toMatchObject({ parent_id: made.session, agent_type: "Explore" });
  });

  test("a transcript may be cut off, replaced and deleted; what was read stays", async () => {
    await start(project);
    const file = about(1, "flamingo").writeTo(dir);
    await until(async () => (await status(project)).memory.turns === 1);
    truncateSync(file, 500);
    const other = sessionIn(project, idOf(1), { start: "2026-04-01T00:00:00Z" });
    // Other lines need other ids.
    for (let i = 0; i < 20; i++) other.snapshot();
    other.prompt("Where does the heron sleep?");
    other.reply("In the reeds.");
    writeFileSync(file, other.text());
    await until(async () => (await status(project)).memory.turns === 2);
    expect(logOf()).toContain("was replaced");
    rmSync(file);
    about(2, "bittern").writeTo(dir);
    await until(async () => (await status(project)).memory.sessions === 2);
    const { session, turns } = await callDaemon(project.root, showSession, { id: idOf(1) });
    expect(session.turns).toBe(2);
    expect(turns.map(({ prompt }) => prompt)).toEqual([
      "Why does the flamingo fail at night?",
      "Where does the heron sleep?",
    ]);
    await untilRead(project);
    expect((await callDaemon(project.root, showQueue, {})).sessions.dead).toEqual([]);
  });

  test("a transcript that grows while it is read is read to its end", async () => {
    await start(project);
    const made = sessionIn(project, idOf(1));
    const file = made.writeTo(dir);
    let written = 0;
    for (let turn = 1; turn <= 120; turn++) {
      made.prompt(`Question ${turn} about the heron?`);
      made.reply(`Answer ${turn}: ${"reeds and water ".repeat(100)}`);
      const text = made.text();
      // Torn in the middle of a line.
      const end = turn === 120 ? text.length : text.length - 700;
      appendFileSync(file, text.slice(written, end));
      written = end;
      // It is at it, and some way behind.
      if (turn % 20 === 0) await until(async () => (await status(project)).memory.turns > turn - 20);
    }
    await until(async () => (await status(project)).memory.turns === 120);
    await untilRead(project);
    const { transcripts, lines } = contentOfMemory(project);
    expect(transcripts).toMatchObject([{ offset: written, skipped: "{}" }]);
    expect(lines).toHaveLength(240);
  });

  test("worktrees of one repository share what is remembered, and each job is done once", async () => {
    const git = (...args: string[]) =>
      execFileSync("git", ["-C", project.root, "-c", "user.name=t", "-c", "user.email=t@localhost", ...args]);
    git("init", "--quiet");
    git("commit", "--quiet", "--allow-empty", "-m", "first");
    await rememberProject(project);
    const linked = join(temporaryDir(), "linked");
    git("worktree", "add", "--quiet", linked);
    const other = await findProject(linked);
    expect([other.id, other.root, other.memoryDb]).toEqual([project.id, linked, project.memoryDb]);
    expect(other.indexDb).not.toBe(project.indexDb);
    const files = Array.from({ length: 9 }, (_, i) => age(about(i + 1, `bird number ${i}`).writeTo(dir)));
    const inWorktree = sessionIn(project, idOf(0), { cwd: linked });
    inWorktree.prompt("Where do the storks nest?");
    inWorktree.edit(join(linked, "src/nest.ts"), "a", "b");
    await start(project);
    await Promise.all([untilRead(project), untilRead(other)]);
    await importAll(files);
    await callDaemon(other.root, importTranscript, { transcript_paths: files, trigger: "import" });
    inWorktree.writeTo(transcriptDir(other));
    await until(async () => (await status(other)).memory.sessions === 10);
    await untilRead(project);
    expect((await ask(project, "storks nest")).results[0]).toMatchObject({ files: ["src/nest.ts"] });
    expect((await sessionsFound(other, "storks nest"))[0]).toBe(idOf(0));
    const memory = Memory.open(project.memoryDb, { readonly: true });
    const twice = memory
      .prepare(
        "SELECT subject, sum(chunks > 0) AS n FROM activity WHERE kind = 'transcript' GROUP BY subject HAVING n > 1",
      )
      .all();
    memory.close();
    expect(twice).toEqual([]);
  });

  test("only the sessions of projects that somebody named are recorded", async () => {
    const root = temporaryDir();
    const unnamed = await findProject(root);
    await start(project);
    await untilIdle(unnamed);
    const made = sessionIn(unnamed, idOf(2));
    made.prompt("Where do the storks nest?");
    made.reply("On the roof.");
    made.writeTo(transcriptDir(unnamed));
    await hookItem(unnamed, "user-prompt", {
      session_id: idOf(2),
      cwd: root,
      prompt: "Note to Pommel: storks are protected",
    });
    about(1, "flamingo").writeTo(dir);
    await until(async () => (await sessionsFound(project, "flamingo timeout"))[0] === idOf(1));
    const { memory } = await status(unnamed);
    expect(memory).toMatchObject({ captures: false, sessions: 0, annotations: 0 });
    await callPm(["init", "--no-hooks"], { cwd: root });
    await until(async () => (await status(unnamed)).memory.captures);
    await hookItem(unnamed, "stop", {
      session_id: idOf(2),
      transcript_path: join(transcriptDir(unnamed), `${idOf(2)}.jsonl`),
      cwd: root,
    });
    await until(async () => (await sessionsFound(unnamed, "storks nest"))[0] === idOf(2));
  });

  function loseTable(table: string): void {
    const memory = Memory.open(project.memoryDb, { readonly: false });
    memory.exec(`PRAGMA foreign_keys = OFF; DROP TABLE ${table}`);
    memory.close();
  }

  const codeIsFound = async () => expect(await found(project, "attempts")).toEqual(["src/retry.ts"]);

  test.each(["jobs", "activity", "transcripts", "chunks"])(
    "a memory without its table of %s keeps nothing from working on code",
    async (table) => {
      loseTable(table);
      const { pid } = await start(project);
      await untilIdle(project);
      await codeIsFound();
      await until(async () => (await problemOf()).problem?.includes(`no such table: ${table}`));
      expect((await problemOf()).pid).toBe(pid);
    },
  );

  test.each(["jobs", "transcripts"])(
    "a memory may lose its table of %s while the daemon runs",
    async (table) => {
      const { pid } = await start(project);
      await untilRead(project);
      loseTable(table);
      about(1, "flamingo").writeTo(dir);
      await until(async () => (await problemOf()).problem?.includes("is damaged"));
      await codeIsFound();
      expect((await problemOf()).pid).toBe(pid);
    },
  );

  async function problemOf() {
    const { daemon, memory } = await callDaemon(project.root, showStatus, {});
    return { pid: daemon.pid, problem: memory.problem };
  }

  test("a directory in the place of the memory keeps nothing from working on code", async () => {
    mkdirSync(project.memoryDb);
    await start(project);
    await untilIdle(project);
    await codeIsFound();
    await until(async () => (await problemOf()).problem?.includes("cannot be opened"));
  });

  test("a memory that is damaged keeps nothing from working on code, and is left as it is", async () => {
    writeFileSync(project.memoryDb, "not a database, but precious ".repeat(1000));
    await start(project);
    await untilIdle(project);
    expect(await found(project, "attempts")).toEqual(["src/retry.ts"]);
    await expect(ask(project, "flamingo")).rejects.toMatchObject({ code: "memory_corrupt" });
    const { memory, notes } = await status(project);
    expect(memory.problem).toContain("is damaged");
    expect(notes.join()).toContain("is damaged");
    expect(await callDaemon(project.root, searchAll, { q: "attempts" })).toMatchObject({
      transcripts: null,
    });
    const { stdout } = await callPm(["status"], { cwd: project.root });
    expect(stdout).toContain("Problem:");
  });

  test("impossible jobs fail after some attempts, and can be tried again", async () => {
    await start(project);
    const file = join(dir, "nobody.jsonl");
    await callDaemon(project.root, importTranscript, { transcript_path: file, agent: "claude" });
    const jobs = async () => (await callDaemon(project.root, showQueue, {})).sessions;
    await until(async () => (await jobs()).pending === 1);
    about(1, "flamingo").writeTo(dir);
    await until(async () => (await status(project)).memory.sessions === 1);
    // A missing transcript delays nothing, and is read when it appears.
    const late = sessionIn(project, idOf(2));
    late.prompt("Is it there now?");
    writeFileSync(file, late.text());
    await until(async () => (await status(project)).memory.sessions === 2);
    expect(await callDaemon(project.root, retryJobs, {})).toEqual({ jobs: 0 });
  });

  test("notes from a shell are found, and forgotten when that is asked for", async () => {
    await start(project);
    about(1, "flamingo").writeTo(dir);
    about(2, "heron").writeTo(dir);
    await until(async () => (await status(project)).memory.sessions === 2);
    const given = { note: "the ibis moves in May", session_id: idOf(1) };
    const { annotation } = await callDaemon(project.root, writeNote, given);
    expect(annotation).toMatchObject({ note: given.note, session_id: idOf(1), source: "tool" });
    await callDaemon(project.root, writeNote, { note: "spoonbills are protected" });
    const notes = async (q: string) => (await ask(project, q)).results.map((result) => result.annotation);
    expect(await notes("when does the ibis move")).toContain(given.note);
    expect(await notes("spoonbills protected")).toContain("spoonbills are protected");

    const preview = await callDaemon(project.root, forget, { annotation: annotation.id, dry_run: true });
    expect(preview).toMatchObject({ annotations: 1, forgotten: false });
    expect(await notes("when does the ibis move")).toContain(given.note);
    await callDaemon(project.root, forget, { annotation: annotation.id });
    expect(await notes("when does the ibis move")).not.toContain(given.note);
    await expect(callDaemon(project.root, scrub, { llm: true })).rejects.toMatchObject({ code: "usage" });
    expect(await callDaemon(project.root, scrub, {})).toEqual({ queued: true });
    await until(async () =>
      (await callDaemon(project.root, showQueue, {})).sessions.recent.some(
        ({ kind, outcome }) => kind === "scrub" && outcome === "done",
      ),
    );
  });

  /** Nothing is captured in this project. */
  const captureNothing = () => writeFileSync(project.configFile, "[sessions]\ncapture = false\n");

  test("nothing is idle while a session waits to be imported, with a daemon", async () => {
    waitingSession();
    // Nothing is read, so that it goes on waiting.
    captureNothing();
    await start(project);
    await untilIdle(project);
    expect(await idle()).toEqual([true, false]);
    expect(await callDaemon(project.root, showQueue, {})).toMatchObject({
      code_is_idle: true,
      is_idle: false,
    });
  });

  test("settings say whether anything is captured", async () => {
    captureNothing();
    await start(project);
    const transcript_path = about(1, "flamingo").writeTo(dir);
    const asked = callDaemon(project.root, importTranscript, { transcript_path });
    await expect(asked).rejects.toMatchObject({ code: "capture_off" });
    expect((await pmJson<{ memory: { sessions: number } }>(project, "status")).memory.sessions).toBe(0);
  });
});

describe("a daemon of its own, or none", () => {
  afterEach(removeAll);

  test("nothing is idle while a session waits to be imported, without a daemon", async () => {
    waitingSession();
    expect(await idle()).toEqual([true, false]);
  });

  test("status says which sessions the client will delete soon, and how many are stored", async () => {
    const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000);
    const old = [about(1, "flamingo"), about(2, "heron")].map((made) => made.writeTo(dir));
    for (const file of old) utimesSync(file, daysAgo(28), daysAgo(28));
    about(3, "bittern").writeTo(dir);
    await start(project);
    await untilRead(project);
    await importAll([old[0]!]);
    await untilRead(project);
    const check = async () => {
      const { checks } = await pmJson<{ checks: { name: string; status: string }[] }>(project, "doctor");
      return checks.find(({ name }) => name === "retention");
    };
    const expiring = "2 sessions expire in Claude Code within 7 days; 1 is imported";
    expect(await check()).toMatchObject({
      status: "ok",
      message: expect.stringContaining(`${expiring}, 1 is kept until it is read`),
    });
    const vanishing = async () => (await status(project)).memory.vanishing;
    expect(await vanishing()).toMatchObject([
      { agent: "claude", days: 30, sessions: 2, stored: 1, kept: 1 },
      { agent: "gemini", sessions: 0 },
    ]);
    rmSync(locateVault(), { recursive: true });
    expect(await check()).toMatchObject({ status: "warn", message: `${expiring}.` });
    await until(async () => (await vanishing())?.[0]?.kept === 0);
    mkdirSync(join(project.root, ".claude"), { recursive: true });
    writeFileSync(join(project.root, ".claude", "settings.json"), '{"cleanupPeriodDays": 60}');
    expect(await check()).toMatchObject({ status: "ok" });
  });

  test("a session that its client deletes before it is read is imported all the same, and counted alike by all", async () => {
    const old = about(1, "flamingo").writeTo(dir);
    const lost = about(2, "heron").writeTo(dir);
    for (const file of [old, lost]) utimesSync(file, new Date(0), new Date(0));
    await start(project);
    const past = async () => (await callDaemon(project.root, showQueue, {})).past?.sessions;
    await until(async () => (await past()) === 2);
    for (const file of [old, lost]) rmSync(file);
    removeFromVault([lost]);
    const preview = async () => pmJson<{ sessions: number }>(project, "import", "claude", "--dry-run");
    expect([await past(), (await preview()).sessions]).toEqual([1, 1]);
    expect((await status(project)).memory.vanishing).toMatchObject([{ sessions: 0 }, { sessions: 0 }]);
    expect(await pmJson(project, "import", "claude", "--yes")).toMatchObject({
      sessions: 1,
      gone: 0,
      failed: [],
    });
    expect([await past(), (await preview()).sessions]).toEqual([0, 0]);
    // One that goes between its being found and its being read is no failure.
    await importAll([lost]);
    await untilRead(project);
    expect((await status(project)).memory.jobs.dead).toEqual([]);
  });

  /** Transcripts of all sorts, some megabytes. */
  function manyTranscripts(): string[] {
    const files: string[] = [];
    const secret = ["ghp", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"].join("_");
    for (let n = 1; n <= 7; n++) {
      const made = sessionIn(project, idOf(n));
      for (let turn = 0; turn < (n <= 2 ? 90 : 12); turn++) {
        made.prompt(`Question ${turn} of ${n}?\nNote to Pommel: number ${turn % 7}`);
        made.bash(`npm test ${turn}`, `${"line of output\n".repeat(100)}FAIL ${turn}`, {
          isError: turn % 3 === 0,
        });
        made.edit(join(project.root, `src/file${turn % 9}.ts`), "a", `b${turn} ${n === 3 ? secret : ""}`);
        made.reply(
          `Decision ${turn}: we use approach ${n} because ${"it is simpler and ".repeat(100)}so on.`,
        );
        if (turn % 90 === 80) made.compact(`So far: ${turn} questions of ${n} were answered.`);
      }
      files.push(made.writeTo(dir));
      if (n === 3) {
        const other = fork(made, idOf(9));
        other.prompt("And in the fork?");
        other.reply("Here as well.");
        files.push(other.writeTo(dir));
        const agent = sessionIn(project, made.session, { agentId: "a1b2c3" });
        agent.prompt("Search for it.");
        agent.reply("Found it.");
        files.push(agent.writeTo(dir));
      }
    }
    return files.map(age);
  }

  test("killed at any time, the daemon ends up with what it had remembered undisturbed", async () => {
    const files = manyTranscripts();
    const kill = async () => {
      process.kill((await untilAnswering()).pid, "SIGKILL");
      await untilStopped();
    };
    spawnDaemon();
    await untilIdle(project);
    await importAll(files);
    await untilNothingWaits();
    await kill();
    const undisturbed = contentOfMemory(project);
    expect(undisturbed.turns!.length).toBeGreaterThan(200);
    expect(undisturbed.summaries!.length).toBeGreaterThan(9);
    expect(undisturbed.secrets).toHaveLength(1);
    for (const end of ["", "-wal", "-shm"]) rmSync(project.memoryDb + end, { force: true });

    let daemon = spawnDaemon();
    await untilAnswering();
    await importAll(files);
    const memory = Memory.open(project.memoryDb, { readonly: true });
    const isAtWork = () => listJobs(memory).some(({ state }) => state === "running");
    const rounds = runs(3);
    for (let round = 0; round < rounds; round++) {
      // Each kill comes after a further part of the work, and while more is done; the first before anything is stored.
      const enough = (undisturbed.turns!.length * round) / rounds;
      const isDone = () => memory.readValue<number>("SELECT count(*) FROM turns") >= enough;
      await until(() => (isDone() && isAtWork()) || isAtRest(memory));
      const ended = once(daemon, "exit");
      daemon.kill("SIGKILL");
      await ended;
      daemon = spawnDaemon();
      // It goes on with a project when somebody asks for that.
      await until(() => callDaemon(project.root, readState, {}).catch(() => null));
    }
    memory.close();
    await untilAnswering();
    await untilNothingWaits();
    const { dead } = (await callDaemon(project.root, showQueue, {})).sessions;
    expect(dead).toEqual([]);
    await kill();
    const disturbed = contentOfMemory(project);
    for (const table of Object.keys(undisturbed)) {
      expect({ [table]: disturbed[table] }).toEqual({ [table]: undisturbed[table] });
    }
  });
});
