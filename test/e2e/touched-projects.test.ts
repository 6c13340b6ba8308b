import { mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { makeNewProject } from "../../src/base/paths.ts";
import { callDaemon } from "../../src/client/daemon-client.ts";
import { listSessions } from "../../src/features/sessions/operation.ts";
import { cleanUp, createProject, pmJson, start, until } from "./daemon-fixture.ts";
import { sessionIn, transcriptDir } from "./sessions-fixture.ts";

afterEach(async () => {
  await cleanUp();
  rmSync(join(process.env.HOME!, ".claude"), { recursive: true, force: true });
});

// thedotmack/claude-mem#3217, #3237
test("a session that was started in a folder around two projects is recorded in the one that it wrote to", async () => {
  const [written, other] = [createProject({ "a.ts": "1;\n" }), createProject({ "b.ts": "2;\n" })];
  const around = makeNewProject(dirname(written.root));
  const directory = transcriptDir(around);
  mkdirSync(directory, { recursive: true });
  await start(written);
  await start(other);
  const session = sessionIn(around, "44444444-1111-4111-8111-111111111111");
  session.prompt("add a saffron route");
  session.write(join(written.root, "saffron.ts"), "export const saffron = 1;\n");
  session.reply("Added.");
  session.writeTo(directory);
  const listed = async (project: typeof written) =>
    (await callDaemon(project.root, listSessions, {})).sessions;
  const found = await until(async () => (await listed(written))[0]);
  expect(found).toMatchObject({ id: "44444444-1111-4111-8111-111111111111", cwd: around.root });
  expect(await listed(other)).toEqual([]);
});

// colbymchenry/codegraph#193
test("pm import finds sessions that were started around a nested repository and wrote into it", async () => {
  const [nested, other] = [createProject({ "a.ts": "1;\n" }), createProject({ "b.ts": "2;\n" })];
  const around = makeNewProject(dirname(nested.root));
  const session = sessionIn(around, "55555555-1111-4111-8111-111111111111");
  session.prompt("add a nebula");
  session.write(join(nested.root, "src/nebula.ts"), "export const nebula = 1;\n");
  session.reply("Added.");
  session.writeTo(transcriptDir(around));
  for (const project of [nested, other]) await pmJson(project, "import", "claude");
  const listed = async (project: typeof nested) =>
    (await pmJson<{ sessions: { id: string }[] }>(project, "session", "list")).sessions.map(({ id }) => id);
  expect(await listed(nested)).toEqual(["55555555-1111-4111-8111-111111111111"]);
  expect(await listed(other)).toEqual([]);
});
