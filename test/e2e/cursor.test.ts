import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { locateUserDirectory } from "../../src/agents/cursor/profile.ts";
import type { Project } from "../../src/base/paths.ts";
import type { ImportFollowed } from "../../src/features/import/import.ts";
import type { WhyAnswer } from "../../src/features/why/operation.ts";
import { cursorConversation } from "../support/cursor-fixture.ts";
import { cleanUp, createProject, pmJson, start, until } from "./daemon-fixture.ts";
import { ask, sessionsFound } from "./sessions-fixture.ts";

/** Conversations with Cursor, from the editor's database to what is found. */

const user = locateUserDirectory(process.env);
const [before, after] = ["export const attempts = 3;\n", "export const attempts = 5;\n"];
let project: Project;

beforeEach(() => {
  project = createProject({ "src/retry.ts": before });
});
afterEach(async () => {
  await cleanUp();
  rmSync(user, { recursive: true, force: true });
});

function about(id: string, thing: string, options: { cwd?: string; start?: number } = {}) {
  const c = cursorConversation(user, { id, cwd: project.root, name: `The ${thing}`, ...options });
  c.prompt(`Why does the ${thing} fail at night?`);
  c.edit("src/retry.ts", before, after);
  c.say(`The ${thing} failed because the timeout was too short; I raised it.`);
  return c;
}

test("a conversation is found while it goes on, and none of another project", async () => {
  await start(project);
  const c = about("aaaaaaaa-1", "flamingo");
  await until(async () => (await sessionsFound(project, "flamingo timeout"))[0] === c.id);
  about("aaaaaaaa-2", "bittern", { cwd: "/home/dev/elsewhere" });
  c.prompt("Now let's rename the pelican.");
  c.say("The pelican is called albatross from now on.");
  await until(async () => (await ask(project, "albatross")).results.some(({ last_turn }) => last_turn === 2));
  const [best] = (await ask(project, "why did the flamingo fail", { agent: "cursor" })).results;
  expect(best).toMatchObject({ session_id: c.id, agent: "cursor", files: ["src/retry.ts"] });
  expect((await ask(project, "bittern")).results).toEqual([]);
});

test("pm import cursor imports past conversations, once, and pm why knows what they wrote", async () => {
  const past = Date.now() - 60_000;
  const git = (date: number, ...args: string[]) => {
    const at = new Date(date).toISOString();
    const env = { ...process.env, GIT_AUTHOR_DATE: at, GIT_COMMITTER_DATE: at };
    execFileSync("git", ["-C", project.root, ...args], { env });
  };
  git(past, "init", "--quiet");
  git(past, "config", "user.name", "Ann");
  git(past, "config", "user.email", "ann@example.invalid");
  git(past - 3600_000, "add", "--all");
  git(past - 3600_000, "commit", "--quiet", "--message", "Begin");
  const c = about("bbbbbbbb-1", "flamingo", { start: past });
  about("bbbbbbbb-2", "bittern", { cwd: "/home/dev/elsewhere", start: past });
  writeFileSync(join(project.root, "src/retry.ts"), after);
  git(Date.now(), "commit", "--quiet", "--all", "--message", "Retry more often");

  const dry = await pmJson(project, "import", "cursor", "--dry-run");
  expect(dry).toMatchObject({ agent: "cursor", sessions: 1, elsewhere: { sessions: 1 } });
  expect(await pmJson<ImportFollowed>(project, "import", "cursor")).toMatchObject({
    sessions: 1,
    failed: [],
  });
  expect(await pmJson<ImportFollowed>(project, "import", "cursor")).toMatchObject({ sessions: 0 });
  await start(project);
  await until(async () => {
    const { origins } = await pmJson<WhyAnswer>(project, "why", "src/retry.ts:1");
    const { agent, session_id } = origins[0]!.written_by;
    return agent === "cursor" && session_id === c.id;
  });
});
