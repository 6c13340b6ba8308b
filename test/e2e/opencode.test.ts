import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { locateDataDir } from "../../src/agents/opencode/profile.ts";
import type { Project } from "../../src/base/paths.ts";
import { callDaemon } from "../../src/client/daemon-client.ts";
import type { ImportFollowed } from "../../src/features/import/import.ts";
import { showQueue } from "../../src/features/jobs/operation.ts";
import type { TranscriptSearchResponse } from "../../src/protocol/results.ts";
import { edited, opencodeSession, said } from "../support/opencode-fixture.ts";
import { cleanUp, createProject, pmJson, start, until } from "./daemon-fixture.ts";
import { ask, sessionsFound } from "./sessions-fixture.ts";

/** Sessions with OpenCode, from its database to what is found. */

const data = locateDataDir(process.env);
let project: Project;

beforeEach(() => {
  project = createProject({ "src/retry.ts": "export const attempts = 3;\n" });
});
afterEach(async () => {
  await cleanUp();
  rmSync(data, { recursive: true, force: true });
});

function about(session: string, thing: string, cwd = project.root, begun = Date.now()) {
  const s = opencodeSession(data, { session, cwd, start: begun });
  s.prompt(`Why does the ${thing} fail at night?`);
  s.answer([
    edited(
      `${session}-1`,
      join(cwd, "src/retry.ts"),
      "export const attempts = 3;",
      `const a = 5; // ${thing}`,
    ),
    said(`The ${thing} failed because the timeout was too short; I raised it.`),
  ]);
  return s;
}

const untilFound = (words: string, session: string) =>
  until(async () => (await sessionsFound(project, words))[0] === session);

test("a session is found while it goes on, and stays when the client deletes it", async () => {
  await start(project);
  const s = about("ses_a1", "flamingo");
  await untilFound("flamingo timeout", s.session);
  s.prompt("Now let's rename the pelican.");
  s.answer([said("The pelican is called albatross from now on.")]);
  await until(async () => (await ask(project, "albatross")).results.some(({ last_turn }) => last_turn === 2));
  const other = about("ses_a2", "heron");
  await untilFound("heron timeout", other.session);
  s.run((db) => {
    for (const table of ["part", "message"])
      db.prepare(`DELETE FROM ${table} WHERE session_id = ?`).run(s.session);
    db.prepare("DELETE FROM session WHERE id = ?").run(s.session);
  });
  about("ses_a3", "bittern", "/home/dev/elsewhere");
  const third = about("ses_a4", "osprey");
  await untilFound("osprey timeout", third.session);

  const [best] = (await ask(project, "why did the flamingo fail", { agent: "opencode" })).results;
  expect(best).toMatchObject({ session_id: s.session, agent: "opencode", files: ["src/retry.ts"] });
  const recorded = (await ask(project, "bittern")).results.map(({ session_id }) => session_id);
  expect(recorded).not.toContain("ses_a3");
  const { dead } = (await callDaemon(project.root, showQueue, {})).sessions;
  expect(dead).toEqual([]);
});

test("pm import opencode imports past sessions, once, with forks and subagents", async () => {
  execFileSync("git", ["-C", project.root, "init", "--quiet"]);
  const past = Date.now() - 86_400_000;
  const s = about("ses_b2", "flamingo", project.root, past);
  const fork = s.fork("ses_b1");
  fork.prompt("And the heron?");
  fork.answer([said("The heron stays.")]);
  const child = opencodeSession(data, {
    session: "ses_b3",
    parent: s.session,
    cwd: project.root,
    start: past,
  });
  child.prompt("Count the flamingos in the lagoon");
  child.answer([said("There are seven.")]);
  about("ses_b4", "bittern", "/home/dev/elsewhere", past);

  const dry = await pmJson(project, "import", "opencode", "--dry-run");
  expect(dry).toMatchObject({ agent: "opencode", sessions: 2, subagents: 1, elsewhere: { sessions: 1 } });
  const taken = await pmJson<ImportFollowed>(project, "import", "opencode");
  expect(taken).toMatchObject({ sessions: 2, failed: [] });
  const found = await pmJson<TranscriptSearchResponse>(project, "search", "transcripts", "flamingo timeout");
  expect(found.results.map(({ session_id }) => session_id)).toContain(s.session);
  expect(await pmJson(project, "session", "show", fork.session)).toMatchObject({
    session: { forked_from: s.session, turns: 1 },
  });
  expect(await pmJson(project, "import", "opencode")).toMatchObject({
    sessions: 0,
    already: { sessions: 2 },
  });
});
