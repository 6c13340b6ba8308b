import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Project } from "../../src/base/paths.ts";
import type { FixAnswer } from "../../src/features/fix/operation.ts";
import type { HowAnswer } from "../../src/features/how/operation.ts";
import type { LostTextAnswer } from "../../src/features/lost/operation.ts";
import { transcript } from "../support/transcript-fixture.ts";
import { cleanUp, createProject, pmJson } from "./daemon-fixture.ts";
import { callPm, runPm } from "./run-pm.ts";

let project: Project;
let transcripts: string;
const session = "11111111-0000-4000-8000-000000000000";
const error = "src/a.ts(3,5): error TS2304: Cannot find name 'openStore'.";

beforeAll(async () => {
  project = createProject({ "src/a.ts": "openStoreReadonly();\n" });
  transcripts = join(process.env.HOME!, ".claude/projects/-repo");
  mkdirSync(transcripts, { recursive: true });
  const fixture = transcript({ session, cwd: project.root, start: "2026-01-05T09:00:00.000Z" });
  fixture.prompt("Why does the build fail?");
  fixture.bash("npx tsc --noEmit 2>&1 | tail -20", error);
  fixture.edit(join(project.root, "src/a.ts"), "openStore();", "openStoreReadonly();");
  fixture.bash("npx tsc --noEmit 2>&1 | tail -20", "");
  fixture.bash("cd web && npm run test:unit", "ok");
  fixture.reply("It works.");
  fixture.writeTo(transcripts);
  expect(await callPm(["import", "claude"], { cwd: project.root })).toMatchObject({ code: 0 });
});
afterAll(async () => {
  await cleanUp();
  rmSync(transcripts, { recursive: true, force: true });
});

it("pm how shows what worked, and where", async () => {
  const { verdict, commands } = await pmJson<HowAnswer>(project, "how", "unit", "tests");
  expect(verdict).toBe("found");
  expect(commands).toMatchObject([
    { line: "npm run test:unit", directory: "web", worked: 1, agent: "claude", session_id: session, turn: 1 },
  ]);
  const { stdout } = await callPm(["how", "unit tests"], { cwd: project.root });
  expect(stdout).toContain("in web\nnpm run test:unit\n");
  const none = await callPm(["how", "deploy to kubernetes"], { cwd: project.root });
  expect(none).toMatchObject({ code: 5, stdout: expect.stringContaining("No such command found") });
});

it("pm fix reads an error from stdin, and shows what was changed before it worked", async () => {
  const input = error.replace("src/a.ts(3,5)", "lib/b.ts(77,1)");
  const { code, stdout } = await runPm(["fix", "--json"], { cwd: project.root, input });
  expect(code).toBe(0);
  expect(JSON.parse(stdout) as FixAnswer).toMatchObject({
    verdict: "found",
    errors: [{ command: "npx tsc --noEmit", fix: { edits: [{ path: "src/a.ts" }], stands: true } }],
  });
  const text = await callPm(["fix", error], { cwd: project.root });
  expect(text.stdout).toContain("its lines are still there");
  expect((await runPm(["fix"], { cwd: project.root, input: "FAIL" })).code).toBe(5);
  expect((await runPm(["fix"], { cwd: project.root, input: "" })).code).toBe(2);
});

it("pm memory lost shows what an edit replaced and no commit holds", async () => {
  const { texts, total } = await pmJson<LostTextAnswer>(project, "memory", "lost", "src/a.ts");
  expect(total).toBe(1);
  expect(texts).toMatchObject([{ lost_by: "edit", lines: ["openStore();"], session_id: session }]);
  expect((await callPm(["memory", "lost", "src/none.ts"], { cwd: project.root })).code).toBe(5);
});

it("pm session resume names the agent's own command and the directory, by id, words or nothing", async () => {
  const command = `cd '${project.root}' && claude --resume=${session}`;
  for (const what of [[session.slice(0, 8)], ["why does the build fail?"], []])
    expect(await callPm(["resume", ...what], { cwd: project.root })).toMatchObject({
      code: 0,
      stdout: `${command}\n`,
    });
  const none = await callPm(["resume", "deploy to kubernetes"], { cwd: project.root });
  expect(none).toMatchObject({ code: 5, stdout: "" });
});

it("pm session handoff writes what another agent needs", async () => {
  const { code, stdout } = await callPm(["handoff", session.slice(0, 8), "--to", "codex"], {
    cwd: project.root,
  });
  expect(code).toBe(0);
  expect(stdout).toMatch(/^# Go on with: \S/);
  expect(stdout).toContain("## Goal\n\n- Why does the build fail?");
  expect(stdout).toMatch(/## Done\n\n[\s\S]*- Changed src\/a\.ts/);
  expect(stdout).toMatch(/## Commands that worked\n\n[\s\S]*npm run test:unit/);
  expect(await callPm(["handoff", "--to", "cursor"], { cwd: project.root })).toMatchObject({ code: 2 });
});

it("pm note --rejected is shown with later hits", async () => {
  const reason = "it needs a database that only reads";
  const options = { cwd: project.root };
  expect(await callPm(["note", "--rejected", reason], options)).toMatchObject({ code: 2 });
  expect(await callPm(["note", "--rejected", "--session", session, reason], options)).toMatchObject({
    code: 0,
  });
  const { stdout } = await callPm(["search", "sessions", "why does the build fail"], options);
  expect(stdout).toContain(`Rejected: ${reason}`);
  expect((await callPm(["handoff", session], options)).stdout).toContain(
    `## Done\n\n- Rejected later: ${reason}`,
  );
});
