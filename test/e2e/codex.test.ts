import { appendFileSync, mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Project } from "../../src/base/paths.ts";
import { migrated, type RolloutFixture, rollout, threadId } from "../support/rollout-fixture.ts";
import { compressed } from "../support/zstd-frames.ts";
import { cleanUp, createProject, pmJson, start, status, until } from "./daemon-fixture.ts";
import { callPm } from "./run-pm.ts";
import { contentOfMemory, sessionsFound, untilRead } from "./sessions-fixture.ts";

/** Sessions of Codex CLI: live, imported, rewritten and archived. */

let project: Project;
let home: string;
beforeEach(() => {
  project = createProject({ "src/retry.ts": "export const attempts = 3;\n" });
  home = join(process.env.HOME!, ".codex");
});
afterEach(async () => {
  await cleanUp();
  rmSync(home, { recursive: true, force: true });
});

function about(thing: string, format: "legacy" | "code", cwd = project.root): RolloutFixture {
  const r = rollout({ session: threadId(thing), format, cwd });
  r.turn();
  r.prompt(`Why does the ${thing} fail at night?`);
  r.bash(`npm test ${thing}`, `FAIL ${thing}`, 1);
  r.tokens(100, 10);
  r.reply(`The ${thing} failed because the timeout was too short; I raised it.`);
  return r;
}

const longAgo = new Date("2026-03-02T10:00:00Z");

test("a session is found while it goes on, and stays one when it is rewritten and archived", async () => {
  await start(project);
  await until(async () => (await status(project)).memory.jobs.is_idle);
  const r = about("printer", "legacy");
  about("kettle", "code", "/somewhere/else").writeTo(home);
  const file = r.writeTo(home);
  await until(async () => (await sessionsFound(project, "printer at night")).includes(r.session));
  await untilRead(project);
  expect(await sessionsFound(project, "kettle")).not.toContain(threadId("kettle"));
  const lines = linesOf(project);

  const more = rollout({ session: r.session, cwd: project.root });
  more.lines.length = 0;
  more.turn();
  more.prompt("And the stapler?");
  more.reply("The stapler works.");
  writeFileSync(file, migrated(r.text()));
  appendFileSync(file, more.text());
  await until(async () => linesOf(project) > lines);
  await untilRead(project);
  expect(linesOf(project)).toBe(lines + 2);

  const archived = join(home, r.path("archived_sessions"));
  mkdirSync(dirname(archived), { recursive: true });
  renameSync(file, archived);
  more.lines.length = 0;
  more.prompt("One more thing: the scanner.");
  appendFileSync(archived, more.text());
  await until(async () => (await sessionsFound(project, "scanner")).includes(r.session));
  await untilRead(project);
  expect(linesOf(project)).toBe(lines + 3);
  expect((await status(project)).memory.agents).toEqual({ codex: 1 });
});

test("pm import codex imports past sessions, also compressed ones", async () => {
  const r = about("printer", "code");
  const file = r.writeTo(home);
  about("kettle", "code", "/somewhere/else").writeTo(home);
  utimesSync(file, longAgo, longAgo);
  const old = rollout({ session: threadId("old"), cwd: project.root });
  old.turn();
  old.prompt("Why does the laminator jam in winter?");
  old.reply("The rollers shrink.");
  const archived = join(home, `${old.path("archived_sessions")}.zst`);
  mkdirSync(dirname(archived), { recursive: true });
  writeFileSync(archived, compressed(old.text()));
  utimesSync(archived, longAgo, longAgo);
  const { stdout } = await callPm(["start"], { cwd: project.root });
  expect(stdout).toMatch(/Found 2 past sessions \(\d.*B\)\. Import them: `pm import codex`\./);
  expect(await pmJson(project, "import", "codex", "--yes")).toMatchObject({
    agent: "codex",
    sessions: 2,
    elsewhere: { sessions: 1 },
    failed: [],
  });
  const found = await pmJson(project, "search", "transcripts", "printer at night", "--agent", "codex");
  expect(found).toMatchObject({ results: [{ session_id: r.session, agent: "codex" }] });
  const compressedOne = await pmJson(project, "search", "transcripts", "laminator jam", "--agent", "codex");
  expect(compressedOne).toMatchObject({ results: [{ session_id: old.session, agent: "codex" }] });
  const listed = await pmJson(project, "session", "list", "--agent", "codex");
  expect((listed as { sessions: unknown[] }).sessions).toHaveLength(2);
  expect(await pmJson(project, "session", "list", "--agent", "claude")).toMatchObject({ sessions: [] });
});

const linesOf = (of: Project): number => contentOfMemory(of).lines!.length;
